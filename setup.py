"""The compiled modules, which pyproject.toml cannot list.

The hot modules are typed Python with a `.pxd` of the same name. Cython looks for the
`.pxd` files by import name, so the folders are linked as `build/ns/kibitz/...` first; a
machine without a C compiler gets the uncompiled modules and one warning.
"""

import os
import platform
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SHARED_UTILITIES = "kibitz.engine._cyutility"
ROOT = Path(__file__).resolve().parent
NAMESPACE = ROOT / "build" / "ns"
FOLDERS = ("engine", "protocol", "scripts", "search")
# Declarations without a compiled module of their own.
DECLARATIONS = (
    "engine/bits.pxd",
    "engine/codes.pxd",
    "engine/jarmo/layout.pxd",
    "engine/krepost/layout.pxd",
    "engine/talisman/layout.pxd",
    "engine/trollchess/layout.pxd",
    "search/clock.pxd",
    "search/values.pxd",
)
COMPILE_ARGUMENTS = ["-O3", "-g0", "-Werror=shift-count-overflow"]
if platform.machine() in ("x86_64", "AMD64"):
    # Every x86-64 processor since 2008 has the instruction; without it a population count
    # is a function call.
    COMPILE_ARGUMENTS.append("-mpopcnt")
DIRECTIVES = {
    "language_level": 3,
    "annotation_typing": False,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
}


def link_namespace() -> None:
    """Make `build/ns/kibitz/FOLDER` stand for each folder."""
    package = NAMESPACE / "kibitz"
    package.mkdir(parents=True, exist_ok=True)
    for folder in FOLDERS:
        link = package / folder
        if not link.is_symlink():
            link.symlink_to(Path("../../..") / folder, target_is_directory=True)


def declarations() -> list[str]:
    """Every `.pxd`, by its path from the root."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.pxd")]
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def declarations_changed() -> bool:
    """Whether C code is there that is older than a declaration.

    Cython follows declarations by the folders' own names and so misses what one module
    takes from another; all of them are then made again.
    """
    newest = max((ROOT / name).stat().st_mtime for name in declarations())
    return any(path.stat().st_mtime < newest for path in (ROOT / "build" / "c").rglob("*.c"))


def compiled_modules() -> list[Extension]:
    """Every module that has a `.pxd` beside it."""
    names = declarations()
    return [
        Extension(
            "kibitz." + name.removesuffix(".pxd").replace("/", "."),
            [name.removesuffix(".pxd") + ".py"],
            extra_compile_args=COMPILE_ARGUMENTS,
            depends=names,
        )
        for name in names
        if name not in DECLARATIONS
    ] + [Extension(SHARED_UTILITIES, ["engine/_cyutility.c"])]


class BuildOrWarn(build_ext):
    """Builds the modules; where there is no C compiler, warns once and goes on without."""

    def finalize_options(self) -> None:
        """Compile as many modules at once as there are processors."""
        super().finalize_options()
        self.parallel = os.cpu_count()

    def run(self) -> None:
        """Build all modules or, when that fails, none."""
        try:
            super().run()
        except Exception as error:
            if os.environ.get("KIBITZ_REQUIRE_COMPILED"):
                raise
            # What an earlier build left would be used in place of the newer sources.
            for extension in self.extensions:
                source = ROOT / extension.name.removeprefix("kibitz.").replace(".", "/")
                for built in source.parent.glob(source.name + ".*.so"):
                    built.unlink()
            self.extensions = []
            sys.stderr.write(
                "\nwarning: kibitz could not compile its core and will run as plain Python, "
                f"thirty times slower or more.\nInstall a C compiler (gcc) and the Python "
                f"headers, and install again. The reason was: {error}\n\n"
            )


link_namespace()
pure = os.environ.get("KIBITZ_PURE", "") not in ("", "0")
setup(
    ext_modules=[]
    if pure
    else cythonize(
        compiled_modules(),
        include_path=[str(NAMESPACE)],
        build_dir="build/c",
        force=declarations_changed(),
        compiler_directives=DIRECTIVES,
        shared_utility_qualified_name=SHARED_UTILITIES,
        quiet=True,
    ),
    cmdclass={"build_ext": BuildOrWarn},
)
