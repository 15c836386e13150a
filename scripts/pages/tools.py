"""What pages are opened with: Debian's Chromium, TensorBoard and Perfetto's UI of PyPI."""

import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PINS = pathlib.Path(__file__).with_name("requirements.txt")
CHROMIUM = "chromium"
INSTALL = '. "$0/scripts/setup.sh"; install_missing "$@"'


def debian_packages(*packages):
    if subprocess.run(["bash", "-euc", INSTALL, ROOT, *packages], check=False).returncode:
        sys.exit(f"look: {' '.join(packages)} cannot be installed")


def browser(program):
    """The program, which is there. Installed is Debian's alone."""
    if program == CHROMIUM and not shutil.which(program):
        debian_packages("chromium", "fonts-dejavu-core")
    if not shutil.which(program):
        sys.exit(f"look: there is no {program}; install chromium or give --browser")
    return program


def viewers():
    """The folder of the virtual environment with TensorBoard and viztracer, made if need be."""
    folder = ROOT / "build" / "look_tools"
    installed = folder / "installed"
    if installed.is_file() and installed.read_text() == PINS.read_text():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    debian_packages("python3-venv")
    print("look: installing TensorBoard and Perfetto's UI", file=sys.stderr)
    for command in ([sys.executable, "-m", "venv", folder],
                    [folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check",
                     "--require-hashes", "--only-binary", ":all:", "-r", PINS]):
        if subprocess.run(command, check=False).returncode:
            sys.exit(f"look: {' '.join(map(str, command))} failed")
    shutil.copy(PINS, installed)
    return folder
