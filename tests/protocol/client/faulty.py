"""A scripted engine with faults to order, for the tests of the client.

    python faulty.py FAULT ...

Without faults it speaks UGI and UCI like a little engine that always plays `a`. It calls
itself `faulty PID`. A search ends at once if it has a depth, else at `stop`. The faults:

    uci-only        passes over `ugi`
    rude            answers `ugi` with words for people, then speaks UCI
    deaf            answers nothing but `uci` until that came
    late            answers `ugi` and `isready` only when `uci` comes, and that too
    silent          answers nothing at all
    crash-at-start  ends at once with status 3 and words on standard error
    crash-in-go     the same in the middle of the first search
    killed-in-go    is killed by a signal there
    closes-output   closes its output there, and stays
    stalls-in-go    answers nothing any more there
    ignores-stop    never ends a search without a depth
    junk            writes rubbish before every answer
    talkative       answers with `ponder`, and then once more
    stray           answers a search that nobody began, before each `readyok`
    endless         writes infos without a pause until `stop`
    errors          refuses every position
    lost            answers a `go` by an error, and no move
    never-ends      heeds neither `quit`, nor the end of its input, nor SIGTERM
    parent          starts a process that would outlive it, and names it as its author
    sessions        has sessions, which is no fault
    no-queries      knows no `query`
    pongs           knows that there are sessions, but has none, which is no fault
"""

import os
import queue
import signal
import subprocess
import sys
import threading

FAULTS = frozenset(sys.argv[1:])


def say(*lines: str) -> None:
    data = "".join(line + "\n" for line in lines).encode()
    if "junk" in FAULTS:
        data = b"\xff\xfe\0junk\r\n\ninfo depth score cp\nid\noption name\nsession\n" + data
    while data:
        data = data[os.write(1, data) :]


def fail_in_search() -> None:
    if "crash-in-go" in FAULTS:
        sys.stderr.write("first words\nthe reason why\n")
        sys.stderr.flush()
        os._exit(3)
    if "killed-in-go" in FAULTS:
        os.kill(os.getpid(), signal.SIGKILL)
    if "closes-output" in FAULTS:
        os.close(1)
        while True:
            signal.pause()
    if "stalls-in-go" in FAULTS:
        while True:
            signal.pause()


class Engine:
    def __init__(self) -> None:
        self.input: queue.Queue[str] = queue.Queue()
        self.uci = False
        self.late: list[str] = []
        self.searching = False
        self.child = ""
        self.sessions: dict[str, Engine] = {}
        self.prefix = ""

    def say(self, *lines: str) -> None:
        say(*(self.prefix + line for line in lines))

    def read(self) -> None:
        for line in sys.stdin:
            self.input.put(line.strip())
        self.input.put("quit")

    def run(self) -> None:
        threading.Thread(target=self.read, daemon=True).start()
        while True:
            try:
                line = self.input.get(block=not (self.searching and "endless" in FAULTS))
            except queue.Empty:
                self.say("info depth 9 multipv 1 score cp 1 nodes 1 pv a b c")
                continue
            if line == "quit":
                if "never-ends" in FAULTS:
                    while True:
                        signal.pause()
                return
            self.answer(line)

    def answer(self, line: str) -> None:
        word = line.split(" ", 1)[0]
        if "silent" in FAULTS:
            return
        if word == "uci":
            self.uci = True
            for late in self.late:
                self.handle(late.split(" ", 1)[0], late)
            self.late.clear()
        elif not self.uci:
            if "deaf" in FAULTS:
                return
            if "late" in FAULTS:
                self.late.append(line)
                return
        self.handle(word, line)

    def handle(self, word: str, line: str) -> None:
        if word in ("ugi", "uci"):
            self.greet(word)
        elif word == "isready":
            if "stray" in FAULTS:
                self.say("bestmove stray")
            self.say("readyok")
        elif word == "position" and "errors" in FAULTS:
            self.say("info string error bad_position: it is never right")
        elif word == "query" and "no-queries" not in FAULTS:
            self.say("response " + {"p1turn": "true", "legalmoves": "a b"}.get(line[6:], "unknown"))
        elif "sessions" in FAULTS and (word == "session" or word.startswith("@")):
            self.talk_of_sessions(*line.split())
        elif "pongs" in FAULTS and word.startswith("@"):
            self.say(f"{word} info string error no_session: there is none")
        elif word == "go":
            self.go(line)
        elif word == "stop" and self.searching and "ignores-stop" not in FAULTS:
            self.decide()

    def talk_of_sessions(self, word: str, verb: str, *rest: str) -> None:
        if word == "session" and verb == "open":
            if rest[0] == "taken":
                self.say("info string error over_limit: no more of them")
                return
            engine = self.sessions[rest[0]] = Engine()
            engine.prefix = f"@{rest[0]} "
            self.say(f"session opened {rest[0]}")
        elif word == "session":
            del self.sessions[rest[0]]
            self.say(f"session closed {rest[0]}")
        elif word[1:] in self.sessions:
            self.sessions[word[1:]].answer(" ".join((verb, *rest)))

    def greet(self, word: str) -> None:
        if word == "ugi" and "uci-only" in FAULTS:
            return
        if word == "ugi" and "rude" in FAULTS:
            self.say("Unknown command: 'ugi'. Type help for more information.")
            return
        self.say(
            f"id name faulty {os.getpid()}",
            f"id author {self.child or 'somebody'}",
            "option name MultiPV type spin default 1 min 1 max 9",
            "option name Clear Hash type button",
            "option name Style type combo default Calm var Calm var Very Wild",
            "option name Book File type string default <empty>",
            "option name Ponder type check default false",
            f"{word}ok",
        )

    def go(self, line: str) -> None:
        self.say("info depth 1 score cp 5 pv a")
        fail_in_search()
        if "lost" in FAULTS:
            self.say("info string error bad_limit: no such limit", "bestmove (none)")
            return
        self.say("info string thinking", "info depth 1 seldepth 2 score mate 2 time 1500 pv a b")
        self.searching = True
        if "depth" in line:
            self.decide()

    def decide(self) -> None:
        self.searching = False
        if "talkative" in FAULTS:
            self.say("bestmove a ponder b", "bestmove z")
        else:
            self.say("bestmove a")


def main() -> None:
    if "never-ends" in FAULTS:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "crash-at-start" in FAULTS:
        sys.stderr.write("no licence\n")
        sys.exit(3)
    engine = Engine()
    if "parent" in FAULTS:
        # It holds none of our streams, so that only its number tells that it lives.
        child = subprocess.Popen(
            [sys.executable, "-c", "import signal; signal.pause()"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        engine.child = str(child.pid)
    engine.run()
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
