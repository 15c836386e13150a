"""Random numbers of numpy and Python in a function that is traced."""

import pathlib
import random
import sys
import threading
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from podsim import _assertions, _draws  # noqa: E402
from podsim._asking import Asked  # noqa: E402

RNG = np.random.default_rng(0)
OLD = np.random.RandomState(0)


def of_numpy():
    return np.random.normal()


def of_python():
    return random.random()


def of_generator():
    return RNG.normal() + OLD.normal()


def of_none():
    return np.random.default_rng(0).normal() + random.Random(0).random()


def called_by_others():
    return of_numpy()


class DrawsTest(unittest.TestCase):
    def drawn(self, function, what="the loss function"):
        with _draws.refusing(Asked(what, function)):
            function()

    def test_what_drew_is_named_with_its_line(self):
        for function, name in ((of_numpy, "np.random"), (of_python, "random"),
                               (of_generator, "RNG")):
            line = function.__code__.co_firstlineno + 1
            with self.assertRaisesRegex(TypeError, f"^test_draws.py:{line}: the loss function "
                                        f"draws by {name}: it is traced, not run at each step"):
                self.drawn(function)
        with self.assertRaisesRegex(TypeError, "eval_fn draws by np.random, but an evaluation"):
            self.drawn(of_numpy, "eval_fn")
        self.drawn(of_none)

    def test_another_thread_may_draw_meanwhile(self):
        with self.assertRaisesRegex(TypeError, r"^test_draws.py:\d+: the loss function draws by"):
            self.drawn(called_by_others)
        done = threading.Event()
        other = threading.Thread(target=done.wait)
        other.start()
        try:
            self.drawn(called_by_others)
            with self.assertRaisesRegex(TypeError, "draws by np.random"):
                self.drawn(of_numpy)
        finally:
            done.set()
            other.join()


def sized(x):
    assert x.shape[0] == 8  # a batch
    return x


def wanted(x):
    assert x.dtype == float, "no number"


class AssertionsTest(unittest.TestCase):
    def test_the_line_that_failed_is_said(self):
        for function, said in ((sized, r"^assert x.shape\[0\] == 8: the number of examples is not"),
                               (wanted, '^assert x.dtype == float, "no number": the assertion is')):
            try:
                function(np.zeros(3, int))
            except AssertionError as error:
                self.assertRegex(_assertions.text(error.__traceback__.tb_next), said)
            else:
                self.fail("it did not assert")
        self.assertEqual(_assertions.text(None), "")


if __name__ == "__main__":
    unittest.main()
