"""What clients say in tests/dialogues and in the examples of docs/protocol.md."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def conversations() -> list[bytes]:
    """Give what clients say in the dialogues and in the examples of the page."""
    paths = sorted((ROOT / "tests" / "dialogues").glob("*.txt"))
    texts = [path.read_text(encoding="utf-8") for path in paths]
    page = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    texts += [block for block in page.split("```")[1::2] if block.startswith("json\n> {")]
    said = []
    for text in texts:
        lines = [line[2:] for line in text.splitlines() if line.startswith("> ")]
        said.append("".join(line + "\n" for line in lines).encode())
    return said
