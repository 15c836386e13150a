"""Iterables of batches as files, and what a call refuses."""

import itertools
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from podsim import _data, _functions, _inputs, _job, _trees  # noqa: E402


def named_leaves(tree, _):
    """As _trees has it, of a tuple of arrays and without JAX."""
    return [str(i) for i in range(len(tree))], list(tree), len(tree)


def batches():
    """Of three examples each, without an end."""
    for i in itertools.count():
        yield np.full((3, 2), i, np.float32), np.arange(3 * i, 3 * i + 3)


class BatchesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        patch = mock.patch.object(_trees, "named_leaves", named_leaves)
        patch.start()
        self.addCleanup(patch.stop)

    def test_batches_follow_one_another(self):
        _data._Batches(itertools.islice(batches(), 4), None).write(self.folder)
        labels = np.load(self.folder / "1.npy")
        np.testing.assert_array_equal(labels, np.arange(12))
        self.assertEqual(labels.dtype, np.int32)
        self.assertEqual(np.load(self.folder / "0.npy").shape, (12, 2))

    def test_of_one_without_an_end_what_the_job_consumes_is_read(self):
        source = _data._Batches(batches(), 7)
        source.write(self.folder)
        self.assertTrue(source.ordered)
        np.testing.assert_array_equal(np.load(self.folder / "1.npy"), np.arange(9))

    def test_a_value_that_32_bits_cannot_hold_is_refused_by_its_index(self):
        good = np.zeros((2, 2), np.int64)
        for dtype, value, message in (
                (np.int64, 2**31, r"'0' \[3, 1\] is 2147483648, which int32 cannot hold"),
                (np.int64, -2**31 - 1, "is -2147483649, which int32"),
                (np.uint64, 2**32, "is 4294967296, which uint32"),
                (np.float64, 1e39, r"is 1e\+39, which float32")):
            bad = np.zeros((2, 2), dtype)
            bad[1, 1] = value
            with self.assertRaisesRegex(ValueError, message):
                _data._Batches([(good.astype(dtype),), (bad,)], None).write(self.folder)
        most = np.array([[2**31 - 1, -2**31]], np.int64)
        _data._Batches([(most,)], None).write(self.folder)
        np.testing.assert_array_equal(np.load(self.folder / "0.npy"), most)

    def test_batches_that_do_not_go_together_are_refused(self):
        first = next(batches())
        for second, message in (((first[0],), "batch 1 has the arrays"),
                                ((first[0], first[1][:2]), "of batch 1 must have the same"),
                                ((first[0][:, :1], first[1]), "float32 of .1,. after 3")):
            with self.assertRaisesRegex(ValueError, message):
                _data._Batches([first, second], None).write(self.folder)
        with self.assertRaisesRegex(ValueError, "has none"):
            _data._Batches([], None)
        with self.assertRaisesRegex(TypeError, "generator function: call it"):
            _data.source_of(batches, None, lambda: None)

    def test_a_job_says_what_it_consumes(self):
        job = {"topology": "v3-32", "batch_per_core": 2, "learning_rate": 0.1}
        self.assertEqual(_job.examples_of(job | {"train_steps": 5}), 5 * 64)
        self.assertIsNone(_job.examples_of(job | {"epochs": 5}))


class CallTest(unittest.TestCase):
    def test_an_evaluation_takes_no_key(self):
        state, none = mock.Mock(is_none=False), mock.Mock(is_none=True)
        _functions.check_takes_no_key(lambda params, state, batch, scale=1: 0, state)
        _functions.check_takes_no_key(lambda *arguments: 0, none)
        with self.assertRaisesRegex(TypeError, "takes params, batch and no key.* 3"):
            _functions.check_takes_no_key(lambda params, batch, key: 0, none)

    def test_arguments_that_do_not_go_together_are_refused(self):
        def check(dataset, batch=None, eval_dataset=None, **settings):
            _inputs._check(_inputs.Call(None, None, dataset, None, eval_dataset, None, None,
                                        batch, None, None), settings)

        check("digits", batch=1)
        check((1, 2))
        for arguments, message in (
                ({"dataset": "gs://a/b", "batch": 1}, "a place; say \"arrays\""),
                ({"dataset": pathlib.Path("a"), "batch": 1}, "a place"),
                ({"dataset": "digits"}, "say batch="),
                ({"dataset": "digits", "batch": 1, "eval_dataset": 1}, "holds"),
                ({"dataset": (1, 2), "batch": 1}, "leave them out"),
                ({"dataset": (1, 2), "data_dir": "x"}, "leave them out")):
            with self.assertRaisesRegex(TypeError, message):
                check(**arguments)


if __name__ == "__main__":
    unittest.main()
