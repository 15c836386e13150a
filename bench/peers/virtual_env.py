"""The peers' Python: PyTorch and JAX in a virtual environment of their own."""

import os
import subprocess
import sys

MODULES = ("torch", "jax", "numpy")  # and the names of their packages on PyPI
DEBIAN_PYTHON = "/usr/bin/python3"


def python_of(folder):
    return os.path.join(folder, "bin", "python")


def has_modules(python, modules):
    """Whether they are installed, without the seconds that importing takes."""
    question = ("import importlib.util, sys; sys.exit(not all("
                "map(importlib.util.find_spec, sys.argv[1:])))")
    try:
        return subprocess.run([python, "-c", question, *modules],
                              capture_output=True).returncode == 0
    except OSError:
        return False


def prepare(folder, install_missing):
    """Makes and fills the environment; why it could not, or None.

    A machine without PyPI still measures everything else.
    """
    if has_modules(python_of(folder), MODULES):
        return None
    install_missing("python3-venv")
    return prepare_packages(python_of(folder), MODULES, MODULES,
                            " (some 6 GB: torch brings its CUDA libraries)")


def prepare_packages(python, modules, packages, size=""):
    """Makes an environment with them where `python` is; why not, or None."""
    if has_modules(python, modules):
        return None
    folder = os.path.dirname(os.path.dirname(python))
    print(f"# installing {' '.join(packages)} from PyPI into {folder}{size}",
          file=sys.stderr, flush=True)
    for command in ([sys.executable, "-m", "venv", folder],
                    [python, "-m", "pip", "install", "--quiet",
                     "--disable-pip-version-check", *packages]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            lines = (done.stderr or done.stdout).strip().splitlines()
            return (f"{' '.join(command[1:4])} failed: "
                    f"{lines[-1] if lines else done.returncode}")
    return None


def debian_torch(install, install_missing):
    """Why Debian's PyTorch 1.13 cannot be measured, or None."""
    if install:
        install_missing("python3-torch")
    if not has_modules(DEBIAN_PYTHON, ("torch", "numpy")):
        return "python3-torch is not installed, --with-debian-torch installs it"
    version = subprocess.run(
        [DEBIAN_PYTHON, "-c", "import torch; print(torch.__version__)"],
        capture_output=True, text=True).stdout.strip()
    if not version.startswith("1.13"):
        return f"this system's PyTorch is {version or 'broken'}, not 1.13"
    return None
