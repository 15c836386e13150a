"""scripts/setup.sh and ./run: what a command says while it builds, and without building.

    python3 -m unittest discover -s tests/scripts"""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def bash(script):
    return subprocess.run(["bash", "-euo", "pipefail", "-c",
                           f". {ROOT}/scripts/setup.sh; {script}"],
                          capture_output=True, text=True, check=False)


class QuietlyTest(unittest.TestCase):

    def test_a_log_has_a_line_every_30_seconds(self):
        # SECONDS is the shell's: a command that takes a minute is played by it.
        done = bash("""far a; SECONDS=29; far b; SECONDS=30; far c; SECONDS=59; far d;
                       SECONDS=61; far e""")
        self.assertEqual(done.stderr.split(), ["c", "e"])

    def test_what_a_command_prints_is_shown_when_it_fails(self):
        self.assertEqual(bash("quietly trying echo '[1/2] here'").stderr, "")
        done = bash("quietly trying bash -c 'echo [1/2] here; exit 3'")
        self.assertEqual((done.returncode, done.stderr.splitlines()[0]), (1, "[1/2] here"))
        self.assertIn("error: trying failed", done.stderr)


class HoldTreeTest(unittest.TestCase):

    def test_who_waits_says_for_whom(self):
        with tempfile.TemporaryDirectory() as folder:
            hold = (f". {ROOT}/scripts/setup.sh; hold_tree {folder}; echo held; read -r _")
            with subprocess.Popen(["bash", "-c", hold], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True) as first:
                self.assertEqual(first.stdout.readline(), "held\n")
                with subprocess.Popen(["bash", "-c", hold], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      text=True) as second:
                    self.assertRegex(second.stderr.readline(),
                                     rf"waiting up to 60 min for .*process {first.pid}, since")
                    first.communicate("\n")
                    self.assertEqual(second.stdout.readline(), "held\n")
                    second.communicate("\n")


class HelpTest(unittest.TestCase):

    def test_help_builds_nothing_and_waits_for_nobody(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            (tree / "scripts").mkdir()
            for name in ("run", "scripts/setup.sh"):
                shutil.copy(ROOT / name, tree / name)
            done = subprocess.run([tree / "run", "--help"], capture_output=True, text=True,
                                  check=True, timeout=60)
            self.assertIn("./run --wheel", done.stdout)
            self.assertFalse((tree / "build").exists())


if __name__ == "__main__":
    unittest.main()
