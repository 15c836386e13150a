"""Iterables of batches as files, and what a call refuses."""

import dataclasses
import itertools
import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from podsim import (_alike, _batches, _checks, _data, _examples, _functions,  # noqa: E402
                    _inputs, _job, _npy, _trees)


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
        _batches.Batches(itertools.islice(batches(), 4), None).write(self.folder)
        labels = np.load(self.folder / "1.npy")
        np.testing.assert_array_equal(labels, np.arange(12))
        self.assertEqual(labels.dtype, np.int32)
        self.assertEqual(np.load(self.folder / "0.npy").shape, (12, 2))

    def test_of_one_without_an_end_what_the_job_consumes_is_read(self):
        source = _batches.Batches(batches(), 7)
        source.write(self.folder)
        self.assertTrue(source.ordered)
        np.testing.assert_array_equal(np.load(self.folder / "1.npy"), np.arange(9))

    def test_a_plan_counts_without_reading_where_it_can(self):
        endless = batches()
        self.assertEqual(_batches.Batches(endless, 7).count(), 9)
        np.testing.assert_array_equal(next(endless)[1], [3, 4, 5])  # one was taken
        listed = list(itertools.islice(batches(), 4))
        self.assertEqual(_batches.Batches(listed, 7).count(), 9)
        self.assertEqual(_batches.Batches(listed, 100).count(), 12)
        self.assertEqual(_batches.Batches(iter(listed), None).count(), 12)
        with mock.patch.object(_batches, "_MOST_BATCHES", 5):
            with self.assertRaisesRegex(ValueError, "no end after 12 examples; say so"):
                _batches.Batches(batches(), None, "say so").count()

    def test_a_list_of_examples_is_told_to_be_stacked(self):
        with self.assertRaisesRegex(ValueError, r"dataset is a list of 1 examples, the "
                                    r"first \(float32\[2\], int32\); .*np.stack"):
            _batches.Batches([(np.zeros(2), 3)], None).example()

    def test_a_value_that_32_bits_cannot_hold_is_refused_by_its_index(self):
        good = np.zeros((2, 2), np.int64)
        for dtype, value, message in (
                (np.int64, 2**31, r"'0' \[3, 1\] is 2147483648, which int32 cannot hold; .*: give "
                 r"numbers from -2147483648 to 2147483647, or .astype\(np.float32\)"),
                (np.int64, -2**31 - 1, "is -2147483649, which int32"),
                (np.uint64, 2**32, "is 4294967296, which uint32"),
                (np.float64, 1e39, r"is 1e\+39, which float32")):
            bad = np.zeros((2, 2), dtype)
            bad[1, 1] = value
            with self.assertRaisesRegex(ValueError, message):
                _batches.Batches([(good.astype(dtype),), (bad,)], None).write(self.folder)
        most = np.array([[2**31 - 1, -2**31]], np.int64)
        _batches.Batches([(most,)], None).write(self.folder)
        np.testing.assert_array_equal(np.load(self.folder / "0.npy"), most)

    def test_batches_that_do_not_go_together_are_refused(self):
        first = next(batches())
        for second, message in (((first[0],), r"batch 1 \(from example 3\) has examples of"),
                                ((first[0], first[1][:2]), "of batch 1 of dataset must have the same"),
                                ((first[0][:, :1], first[1]), r"'0' of batch 1 \(from example 3\) has examples of \(1,\), "
                                 r"those before \(2,\): pad all to one shape")):
            with self.assertRaisesRegex(ValueError, message):
                _batches.Batches([first, second], None).write(self.folder)
        with self.assertRaisesRegex(ValueError, "has none"):
            _batches.Batches([], None)
        with self.assertRaisesRegex(TypeError, "generator function batches: call it, dataset=batches"):
            _data.source_of(batches, None, lambda: None)
        with self.assertRaisesRegex(TypeError, r"f takes \(\): if it returns a data set, call it: f\(\)"):
            _data.source_of(lambda: batches(), 9, lambda: None)

    def test_splits_in_a_dict_are_given_apart(self):
        train, held_out = np.zeros((4, 2)), np.zeros((3, 2))
        with self.assertRaisesRegex(ValueError, r"give data\['train'\], and data\['test'\] as "
                                    "eval_dataset="):
            _checks.count_of(["train/0", "test/0"], [train, held_out], "the data set")

    def test_the_first_example_that_differs_is_told(self):
        good = (np.zeros(8, np.float32), 3)
        for other, says in (
                (None, "is None, those before are (float32[8], int32): return an example for "
                 "every index from 0 to 99, or map over the indices of good ones"),
                ((np.zeros(7, np.float32), 3), "is (float32[7], int32), those before are "
                 "(float32[8], int32): pad all to one shape"),
                ((good[0], 0.5), "is (float32[8], float32), those before are (float32[8], "
                 "int32): give all the same types"),
                ((good[0], "cat"), "is (float32[8], 'cat'), those before"),
                ((good[0],), "is (float32[8],), those before are (float32[8], int32): give all "
                 "the same structure")):
            with mock.patch.object(_trees, "named_leaves", lambda tree, _: named_leaves(
                    tree or (), _)), self.assertRaises(ValueError) as caught:
                _alike.check_examples([good, good, other], good, 64, 100, "eval_dataset")
            self.assertIn(f"eval_dataset(66) {says}", str(caught.exception))
        _alike.check_examples([good, (np.zeros(8), 4)], good, 0, 2, "dataset")

    def test_trees_are_told_on_one_line(self):
        for tree, said in (({"x": np.zeros((2, 3))}, "{'x': float32[2,3]}"),
                           ([1, 2.5, True], "[int32, float32, bool]"), ((None, "a"), "(None, 'a')"),
                           ([object()], "[an object]"), (np.zeros(3, "U2"), "<U2[3]"),
                           (tuple(range(9)), "(" + "int32, " * 6 + "and 3 more)")):
            self.assertEqual(_alike.told(tree), said)

    def test_one_without_an_end_is_refused_soon(self):
        no_end = _data._NO_END["examples"]
        with self.assertRaisesRegex(ValueError, "has no end; epochs needs .* train_steps=N"):
            _batches.Batches(itertools.cycle([1]), None, no_end)
        _batches.Batches(itertools.cycle([1]), 3, no_end)
        with mock.patch.object(_batches, "_MOST_BATCHES", 4):
            with self.assertRaisesRegex(ValueError, r"after 12 examples \(1 MiB\); epochs"):
                _batches.Batches(batches(), None, no_end).write(self.folder)
            _batches.Batches([next(batches())] * 5, None, no_end).write(self.folder)
        usage = mock.Mock(free=40, total=0)
        with mock.patch.object(_batches.shutil, "disk_usage", return_value=usage):
            with self.assertRaisesRegex(ValueError, "no end after 3 examples"):
                _batches.Batches(batches(), None, no_end).write(self.folder)

    def test_room_is_looked_for_before_anything_is_written(self):
        usage = mock.Mock(free=3 << 20, total=8 << 20)
        with mock.patch.object(_npy.shutil, "disk_usage", return_value=usage):
            _npy.check_room(self.folder, 2 << 20, "it")
            with self.assertRaisesRegex(OSError, "set needs 3 MiB, but .* room for 2 MiB"):
                _batches.Arrays((np.zeros(600_000),)).write(self.folder)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_what_memory_has_no_room_for_goes_where_temporary_files_do(self):
        def usage(folder):
            free = (1 if str(folder) == "/dev/shm" else 9) << 20
            return mock.Mock(free=free, total=0)

        with mock.patch.object(_npy.shutil, "disk_usage", usage), \
                mock.patch.object(_data.tempfile, "gettempdir", return_value="/other"):
            self.assertEqual(_data.place_for(1 << 20), _data.folder_in_memory() or "/other")
            self.assertEqual(_data.place_for(9 << 20), "/other")
            with self.assertRaisesRegex(OSError, "need 10 MiB, but .*/other has room for 9 MiB: "
                                        "set TMPDIR"):
                _data.place_for((9 << 20) + 1)
        arrays = (np.zeros((4, 2)), np.zeros(4, np.int64))
        self.assertEqual(_batches.Arrays(arrays).stored_bytes(), 4 * 2 * 4 + 4 * 4)

    def test_numbers_of_examples_that_say_nothing_are_refused(self):
        for count in (0, -1, 2.5, "8", True):
            with self.assertRaisesRegex(TypeError, f"eval_examples is {count!r}; it must be a .*: "
                                        "such as eval_examples=1000"):
                _data.source_of(abs, count, lambda: None, "eval_examples")
        with self.assertRaisesRegex(TypeError, "examples is 8.0; .*, 1 or more: say examples=8$"):
            _data.source_of(abs, 8.0, lambda: None)
        with self.assertRaisesRegex(TypeError, "eval_dataset is 0.2; podsim holds no part of the "
                                    r"data set out: slice it, .*eval_dataset=\(x\[:n\]"):
            _data.source_of(0.2, None, lambda: None, "eval_examples")
        with self.assertRaisesRegex(TypeError, "^dataset is 8; it is the examples themselves: give "
                                    r"arrays .*, such as \(x, y\)$"):
            _data.source_of(8, None, lambda: None)
        with self.assertRaisesRegex(TypeError, "eval_dataset is the function abs; .* needs "
                                    r"eval_examples=N, .* eval_examples=len\(x\)"):
            _data.source_of(abs, None, lambda: None, "eval_examples")
        with mock.patch.object(_data, "_is_batches", return_value=False):
            with self.assertRaisesRegex(TypeError, "examples is 8, but it is for a data set that"):
                _data.source_of((1, 2), 8, lambda: None)

    def test_a_function_that_fails_is_told_with_its_index(self):
        with self.assertRaisesRegex(TypeError, r"takes one argument, .* f takes \(\)"):
            _examples.Examples(lambda: 1, 2)
        with self.assertRaisesRegex(TypeError, r"takes \(p, b\): write lambda i: \(x\[i\], y\[i\]\)"):
            _examples.Examples(lambda p, b: 1, 2)
        with self.assertRaisesRegex(ValueError, "fails at index 1 of 9 examples: IndexError: list"):
            _examples.Examples([1].__getitem__, 9)._at(1)
        with self.assertRaisesRegex(ValueError, "no more than 1 examples, say eval_examples=1$"):
            _examples.Examples([1].__getitem__, 9, "eval_dataset")._at(1)
        with self.assertRaisesRegex(ValueError, "the function dataset fails at index 0 of 9 examples: "
                                    "IndexError: list index out of range: call it with 0 to see"):
            _examples.Examples([].__getitem__, 9)._at(0)

    def test_an_example_that_is_none_is_told_without_what_jax_says(self):
        def fails(*trees):
            raise ValueError("pytree structure error")

        examples = _examples.Examples(lambda index: None, 9)
        for alike, said in ((ValueError("dataset(5) is None"), r"^dataset\(5\) is None$"),
                            (None, r"^dataset\(4\) to dataset\(5\) do not stack: pytree ")):
            jax = types.SimpleNamespace(tree_util=types.SimpleNamespace(tree_map=fails))
            with mock.patch.dict(sys.modules, {"jax": jax}), \
                    mock.patch.object(examples, "_check_alike", side_effect=alike), \
                    self.assertRaisesRegex(ValueError, said) as caught:
                examples._in_one([1, None], 4)
            self.assertIsNone(caught.exception.__context__)

    def test_a_held_out_data_set_is_like_the_other(self):
        x, y = np.zeros((2, 8), np.float32), np.zeros(2, np.int32)
        _data.check_alike((x, y), (x[:1], y[:1].astype(np.int64)))
        with self.assertRaisesRegex(ValueError, r"has float32 of \(4,\) in '0', one of the data "
                                    r"set has float32 of \(8,\)"):
            _data.check_alike((x, y), (x[:, :4], y))
        with self.assertRaisesRegex(ValueError, r"eval_dataset is \(float32\[8\],\), one of the "
                                    r"data set is \(float32\[8\], int32\): give both"):
            _data.check_alike((x, y), (x,))

    def test_a_job_says_what_it_consumes(self):
        job = {"topology": "v3-32", "batch_per_core": 2, "learning_rate": 0.1}
        self.assertEqual(_job.examples_of(job | {"train_steps": 5}), 5 * 64)
        self.assertIsNone(_job.examples_of(job | {"epochs": 5}))


class CallTest(unittest.TestCase):
    def test_an_evaluation_takes_no_key(self):
        state, none = mock.Mock(is_none=False), mock.Mock(is_none=True)
        _functions.check_takes_no_key(lambda params, state, batch, scale=1: 0, state)
        _functions.check_takes_no_key(lambda *arguments: 0, none)
        with self.assertRaisesRegex(TypeError, r"eval_fn is called as \(params, batch\); .* 3"):
            _functions.check_takes_no_key(lambda params, batch, key: 0, none)
        with self.assertRaisesRegex(TypeError, r"3 arguments: take \(params, batch\), and x, y = b"):
            _functions.check_takes_no_key(lambda params, x, y: 0, none)
        with self.assertRaisesRegex(TypeError, r"1 argument: write def eval_fn\(params, batch\)"):
            _functions.check_takes_no_key(lambda x: 0, none)

    def test_what_the_second_thing_of_a_pair_is(self):
        one = np.zeros((), np.float32)
        for second, shown, more in (
                (np.zeros((7, 3), np.float32), "float32[7,3]", ""), (one, "one number", ""),
                (None, "None", ""), (({}, one), "a tuple (a dict, float32[])",
                                     "; what steps carry goes through state=")):
            self.assertEqual(_functions._no_metrics(second, False), "the loss function returns "
                             f"(loss, {shown}); the second thing of a pair is metrics, a dict of "
                             'numbers: return the loss alone, or loss, {"accuracy": ...}' + more)
        self.assertEqual(_functions._no_metrics(one, True), "the loss function returns (loss, "
                         "(new_state, one number)); the second thing of a pair is metrics, a dict "
                         "of numbers: return loss, new_state, or loss, (new_state, "
                         '{"accuracy": ...})')
        with self.assertRaisesRegex(TypeError, r"returns \(float32\[7,3\], one number\); the first "
                                    "thing of a pair is the loss: return loss, or loss, {"):
            _functions._check_comes_first(np.zeros((7, 3), np.float32), one)
        for loss, second in ((one, one), (np.zeros((7, 1)), one), (np.zeros((7, 3)), None)):
            _functions._check_comes_first(loss, second)

    def test_a_loss_of_another_number_of_arguments(self):
        state, none = mock.Mock(is_none=False), mock.Mock(is_none=True)
        for loss_fn, given, said in (
                (lambda params, x, y, key: 0, none, r"take \(params, batch, key\), and x, y = batch"),
                (lambda x: 0, none, r"1 argument: write def loss_fn\(params, batch\)$"),
                (lambda p, b: 0, state, r"def loss_fn\(params, state, batch\), or leave state= out"),
                (lambda p, s, b, k: 0, none, "give state= if it takes a state, too")):
            with self.assertRaisesRegex(TypeError, said):
                _functions._takes_key(loss_fn, given)

    def test_arguments_that_do_not_go_together_are_refused(self):
        def check(dataset, batch=None, eval_dataset=None, **settings):
            _inputs._check(_inputs.Call(None, None, dataset, None, eval_dataset, None, None,
                                        batch, None, None), settings)

        check("digits", batch=(1,))
        check((1, 2))
        for arguments, message in (
                ({"dataset": "gs://a/b", "batch": 1}, "a place; say \"arrays\""),
                ({"dataset": pathlib.Path("a"), "batch": 1}, "a place"),
                ({"dataset": "digits"}, "say batch="),
                ({"dataset": "digits", "batch": (1,), "eval_dataset": 1}, "eval_dataset is 1, but "
                 "the data set 'digits' holds examples out itself: leave eval_dataset out"),
                ({"dataset": "v3-8"}, "the name of a slice: say topology='v3-8', and give"),
                ({"dataset": "train.parquet"}, "the name of a file; give what it holds as arrays"),
                ({"dataset": (1, 2), "batch": (3,)}, r"batch is \(3\), which is for .*: leave "
                 "batch out"),
                ({"dataset": (1, 2), "batch": 32}, "batch is 32; .*: of a batch size say "
                 "train_batch_size=, of the whole pod, or batch_per_core="),
                ({"dataset": (1, 2), "data_dir": "x"}, "data_dir is 'x', .*: leave data_dir out")):
            with self.assertRaisesRegex(TypeError, message):
                check(**arguments)
        for name, dataset, message in (("examples", "digits", "opened by pod_launch, which"),
                                       ("eval_examples", (1,), "there is no eval_dataset")):
            call = _inputs.Call(None, None, dataset, None, None, None, None, None, None, None)
            with self.assertRaisesRegex(TypeError, f"{name} is 5, but .*{message}"):
                _inputs._check(dataclasses.replace(call, **{name: 5}), {})


if __name__ == "__main__":
    unittest.main()
