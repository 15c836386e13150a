"""Whole numbers of 64 bits that a function holds beside its arguments."""

import functools
import pathlib
import sys
import types
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from podsim import _wide  # noqa: E402
from podsim._asking import Asked  # noqa: E402

IDS = np.array([2**40 + 4, 3])


def helper(x):
    return [x * IDS for _ in range(2)]


def loss(params, batch):
    return (lambda x: helper(x))(batch)


def traced(*consts, literals=()):
    """A jaxpr with these constants."""
    equation = types.SimpleNamespace(
        invars=[types.SimpleNamespace(val=each) for each in literals], params={})
    return types.SimpleNamespace(jaxpr=types.SimpleNamespace(eqns=[equation]), consts=consts)


class WideTest(unittest.TestCase):
    def check(self, function, *consts, **more):
        _wide.check(Asked("the loss function", function), traced(*consts, **more))

    def test_an_array_that_jax_narrows_is_refused_with_its_place(self):
        with self.assertRaisesRegex(
                ValueError, r"^test_wide.py:\d+: IDS is int64 and holds 1099511627780, of which "
                "JAX makes int32, 4, without a word: give numbers from -2147483648 to 2147483647"):
            self.check(loss, IDS.astype(np.int32))

    def test_an_array_that_is_not_narrowed_is_taken(self):
        self.check(loss, IDS.astype(np.float32), np.array([1, 2], np.int32))
        self.check(lambda p, b: b)

    def test_a_number_is_found_among_the_literals(self):
        large = np.uint64(2**33 + 9)
        scaled = functools.partial(lambda p, b, scale: b * scale, scale=large)
        with self.assertRaisesRegex(ValueError, "scale is uint64 and holds 8589934601, of which "
                                    "JAX makes uint32, 9, without a word: give numbers from 0 to "
                                    "4294967295"):
            self.check(scaled, literals=[np.float32(9)])
        self.check(scaled, literals=[np.float32(9), np.float32(large)])
        self.check(scaled, literals=[np.float32(8)])

    def test_numbers_that_fit_are_not_too_wide(self):
        for value in (np.array([2**31 - 1, -2**31]), np.uint64(2**32 - 1), np.uint32(2**32 - 1),
                      2**40, 2.0**40, np.zeros(0, int), np.float64(2**40)):
            self.assertIsNone(_wide._too_wide(value))


if __name__ == "__main__":
    unittest.main()
