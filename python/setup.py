"""Puts podsim's programs into the package, where they have been built beside it.

The rest is in pyproject.toml."""

import pathlib
import shutil

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parent / "build" / "release"
PROGRAMS = ("pod_launch", "pod_host", "pod_coordinator", "pod_program", "pod_plan",
            "pod_ckpt", "pod_data", "pod_bench")


class BuildWithPrograms(build_py):
    """Copies programs and the modules of kernels as they lie when installed."""

    def run(self):
        super().run()
        if not all((BUILD / "bin" / name).is_file() for name in PROGRAMS):
            self.announce(f"no programs in {BUILD}/bin: the package will look for them on "
                          "PATH and in PODSIM_BIN", level=3)
            return
        package = pathlib.Path(self.build_lib, "podsim")
        for folder in ("bin", "lib/podsim"):
            (package / folder).mkdir(parents=True, exist_ok=True)
        for name in PROGRAMS:
            shutil.copy2(BUILD / "bin" / name, package / "bin" / name)
        for module in (BUILD / "lib" / "podsim").glob("*.so"):
            shutil.copy2(module, package / "lib" / "podsim" / module.name)


class ForThisMachine(Distribution):
    """Programs are of one kind of machine."""

    def has_ext_modules(self):
        return (BUILD / "bin" / "pod_launch").is_file()


class AnyPython(bdist_wheel):
    """Nothing in it is built for one version of Python."""

    def get_tag(self):
        _, _, platform = super().get_tag()
        return "py3", "none", platform


setup(cmdclass={"build_py": BuildWithPrograms, "bdist_wheel": AnyPython},
      distclass=ForThisMachine)
