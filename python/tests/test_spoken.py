"""What is said of a wait, on a terminal and elsewhere."""

import io
import pathlib
import sys
import threading
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from podsim import _spoken  # noqa: E402


class Lines(io.StringIO):
    """Standard error that tells when so much was written to it."""

    def __init__(self, terminal, lines):
        super().__init__()
        self.full = threading.Event()
        self._terminal, self._left = terminal, lines

    def isatty(self):
        return self._terminal

    def flush(self):
        self._left -= 1
        if self._left == 0:
            self.full.set()


def said(terminal, lines, often, again):
    out = Lines(terminal, lines)
    with mock.patch.object(sys, "stderr", out), mock.patch.multiple(
            _spoken, _FIRST=0.001, _OFTEN=often, _AGAIN=again):
        with _spoken.spoken("JAX lowers loss"):
            out.full.wait(60)
    return out.getvalue()


class SpokenTest(unittest.TestCase):
    def test_a_log_has_a_line_now_and_then(self):
        self.assertRegex(said(False, 3, 3600, 0.001), r"^(podsim: JAX lowers loss, 0 s\n){3,}$")

    def test_a_terminal_has_one_line_that_moves_and_goes(self):
        text = said(True, 3, 0.001, 3600)
        self.assertRegex(text, r"^(\rpodsim: JAX lowers loss, 0 s\x1b\[K){3,}\r\x1b\[K$")

    def test_what_is_short_or_not_wanted_is_not_told(self):
        with mock.patch.object(sys, "stderr", Lines(False, 1)) as out:
            with _spoken.spoken("nothing"):
                pass
            with mock.patch.object(_spoken, "_FIRST", 0), _spoken.spoken("nothing", False):
                pass
        self.assertEqual(out.getvalue(), "")

    def test_without_standard_error_nothing_is_told(self):
        with mock.patch.object(sys, "stderr", None), mock.patch.object(
                sys, "stdout", io.StringIO()) as out, mock.patch.object(_spoken, "_FIRST", 0):
            _spoken._tell("nothing", threading.Event())
        self.assertEqual(out.getvalue(), "")

    def test_it_ends_with_an_error_too(self):
        before = threading.active_count()
        with self.assertRaisesRegex(ValueError, "wrong"), _spoken.spoken("nothing"):
            raise ValueError("wrong")
        self.assertEqual(threading.active_count(), before)


if __name__ == "__main__":
    unittest.main()
