"""A call's own files and its job, when Python is stopped from outside."""

import contextlib
import os
import pathlib
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LONGEST = 60  # seconds

# Goes on until it is stopped, and says when it trains.
JOB = ("--topology=v3-8", "--model=mlp", "--hidden=8", "--train_steps=10000000",
       "--batch_per_core=1", "--optimizer=sgd", "--learning_rate=0.01")
CODE = """
import pathlib, sys
sys.path.insert(0, {package!r})
from podsim import _guard, _process
with _guard.folder({place!r}) as own:
    (own.path / "array.npy").write_bytes(bytes(1 << 20))
    pathlib.Path({said!r}).write_text("begun")
    _process.launch({flags!r} + ["--model_dir=" + str(own.path / "run")], progress=True,
                    keeps=False, watching=own.watching)
"""

# A job whose checkpoints outlast the call.
KEEPING = """
import os, signal, sys
sys.path.insert(0, {package!r})
from podsim import _process
{before}
_process.launch({flags!r}, progress=True)
"""


def heed_signals():
    """Under nohup, and behind a shell's &, these tests ignore signals, and what they start
    would, too."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


def until(condition):
    """Waits for it, for at most LONGEST seconds; whether it came."""
    end = time.monotonic() + LONGEST
    while not condition() and time.monotonic() < end:
        select.select([], [], [], 0.02)
    return condition()


class GuardTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.place = self.folder / "memory"
        self.place.mkdir()

    def started(self, *flags, **streams):
        code = CODE.format(package=str(ROOT / "python"), place=str(self.place),
                           said=str(self.folder / "said"), flags=[*JOB, *flags])
        return subprocess.Popen([sys.executable, "-c", code], preexec_fn=heed_signals,
                                **streams)

    def jobs(self):
        """Processes whose command names this test's folder."""
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                if str(self.folder).encode() in entry.read_bytes():
                    found.append(int(entry.parent.name))
        return [pid for pid in found if pid != os.getpid()]

    def test_what_a_killed_process_leaves_is_removed(self):
        for stop in (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            with self.subTest(stop), self.started(
                    stdout=subprocess.PIPE) as python:
                for line in python.stdout:
                    if line.startswith(b"pod formed"):
                        break
                self.assertEqual(len(list(self.place.iterdir())), 1)
                python.send_signal(stop)
                self.assertEqual(python.wait(LONGEST), -stop)
                self.assertTrue(until(lambda: not any(self.place.iterdir())))
                self.assertTrue(until(lambda: not self.jobs()), self.jobs())

    def test_a_signal_to_python_alone_reaches_the_job(self):
        for in_terminal in (False, True):
            with self.subTest(in_terminal=in_terminal):
                ours, theirs = pty.openpty() if in_terminal else os.pipe()
                with self.started(stdin=subprocess.DEVNULL, stdout=theirs,
                                  stderr=theirs) as python:
                    os.close(theirs)
                    shown = b""
                    interrupted = False
                    with contextlib.suppress(OSError):  # EIO is a terminal's end
                        end = time.monotonic() + LONGEST
                        while select.select([ours], [], [], LONGEST)[0]:
                            self.assertLess(time.monotonic(), end, shown[-1000:])
                            read = os.read(ours, 1 << 16)
                            shown += read
                            if not read:
                                break
                            if b"pod formed" in shown and not interrupted:
                                interrupted = True
                                python.send_signal(signal.SIGINT)
                    self.assertNotEqual(python.wait(LONGEST), 0)
                os.close(ours)
                self.assertIn(b"Ctrl-C: the pod finishes its step", shown)
                self.assertIn(b"KeyboardInterrupt: nothing of the job is kept: model_dir=DIR",
                              shown)
                self.assertIn(b"drained: ", shown)
                for promise in (b"saves and ends", b"resumes from here"):
                    self.assertNotIn(promise, shown)
                self.assertFalse(any(self.place.iterdir()))

    def terminated(self, before: str = ""):
        """What Python said that was told to end in mid-job, and how it ended."""
        run = self.folder / "run"
        code = KEEPING.format(package=str(ROOT / "python"), before=before,
                              flags=[*JOB, f"--model_dir={run}"])
        with subprocess.Popen([sys.executable, "-c", code], preexec_fn=heed_signals,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as python:
            said = []
            for line in python.stdout:
                said.append(line)
                if line.startswith(b"pod formed"):
                    python.send_signal(signal.SIGTERM)
            return b"".join(said).decode(), python.wait(LONGEST)

    def test_on_sigterm_the_job_saves_before_python_ends(self):
        said, code = self.terminated()
        self.assertEqual(code, -signal.SIGTERM, said)
        self.assertIn("drained: ", said)
        self.assertNotIn("Traceback", said)
        saved = [entry.name for entry in (self.folder / "run").iterdir() if entry.name.isdigit()]
        self.assertEqual(len(saved), 1, said)
        self.assertEqual(self.jobs(), [])

    def test_a_handler_of_the_callers_own_stays(self):
        said, code = self.terminated(
            "signal.signal(signal.SIGTERM, lambda *_: (print('mine', flush=True), os._exit(7)))")
        self.assertEqual(code, 7, said)
        self.assertIn("mine", said)
        self.assertTrue(until(lambda: not self.jobs()), self.jobs())


if __name__ == "__main__":
    unittest.main()
