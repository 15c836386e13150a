"""Puts podsim's programs into the package, as build/release of the tree has them.

scripts/build_wheel calls this and makes a wheel of it that installs elsewhere. The
rest is in pyproject.toml."""

import pathlib
import shutil

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parent / "build" / "release"


def named_in(file: str) -> list[str]:
    """What a list of the build tree names (cmake/PodsimInstall.cmake)."""
    listed = BUILD / file
    if not listed.is_file():
        raise SystemExit(f"podsim's programs are not built: {listed} is missing; "
                         "./run --wheel builds them and this package")
    return listed.read_text().split()


def contents() -> list[tuple[pathlib.Path, str]]:
    """What is copied, and to which place in the package. Raises SystemExit naming all
    that is missing."""
    files = [(BUILD / "bin" / name, f"bin/{name}") for name in named_in("programs.txt")]
    files += [(BUILD / "lib" / "podsim" / name, f"lib/podsim/{name}")
              for name in named_in("kernels.txt")]
    files += [(BUILD / name, name) for name in ("programs.txt", "THIRD_PARTY_NOTICES.txt")]
    missing = [path.name for path, _ in files if not path.is_file()]
    if missing:
        raise SystemExit(f"the package would lack {', '.join(missing)} of {BUILD}; "
                         "./run --wheel builds them and this package")
    return files


class BuildWithPrograms(build_py):
    """Copies programs and the modules of kernels as they lie when installed."""

    def run(self):
        super().run()
        package = pathlib.Path(self.build_lib, "podsim")
        for source, place in contents():
            (package / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, package / place)


class ForThisMachine(Distribution):
    """Programs are of one kind of machine."""

    def has_ext_modules(self):
        return True


class AnyPython(bdist_wheel):
    """Nothing in it is built for one version of Python."""

    def get_tag(self):
        _, _, platform = super().get_tag()
        return "py3", "none", platform


setup(cmdclass={"build_py": BuildWithPrograms, "bdist_wheel": AnyPython},
      distclass=ForThisMachine,
      entry_points={"console_scripts": [f"{name} = podsim.__main__:{name}"
                                        for name in named_in("programs.txt")]})
