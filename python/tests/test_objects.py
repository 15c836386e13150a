"""What a data set's message says of objects that are no arrays."""

import array
import decimal
import pathlib
import re
import sys
import types
import unittest
from unittest import mock

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from podsim import _data, _objects, _said  # noqa: E402

TEXTS = "numbers are needed: np.unique(texts, return_inverse=True)[1] has one for each text"


def of(module, name, **more):
    """An object of a class of another library."""
    return type(name, (), {"__module__": module, **more})()


class ObjectsTest(unittest.TestCase):
    def test_objects_are_named_with_a_way_round(self):
        for value, said in (
                (of("scipy.sparse._csr", "csr_matrix", dtype=np.dtype("f4"), shape=(2, 3)),
                 "a scipy.sparse.csr_matrix; give a dense array: x.toarray()"),
                (of("polars.series.series", "Series"), "a polars.Series; give an array of numbers: "
                 "x.to_numpy()"),
                (of("torch", "Tensor", dtype="torch.float32", shape=(2, 3)), "a torch.Tensor; give "
                 "an array: x.numpy(), of one with a gradient x.detach().numpy()"),
                (of("PIL.PngImagePlugin", "PngImageFile"), "a PIL.PngImageFile; give an array: "
                 "np.asarray(image), of several np.stack([np.asarray(i) for i in images])"),
                (decimal.Decimal(1), "a decimal.Decimal; give an array: np.asarray(values, "
                 "np.float32)"),
                ({1, 2}, "a set; it has no order: give an array"),
                ("cat", f"'cat', a text; {TEXTS}"),
                (pathlib.Path("a/b"), "'a/b', a path; give what the file holds as arrays, as "
                 "np.load or np.loadtxt read it"),
                ("x.csv", "'x.csv', a text; give what the file holds as arrays, as np.load or "
                 "np.loadtxt read it"),
                (len, "the function len; give an array of numbers, such as np.asarray makes of a "
                 "list"),
                (object(), "an object; give an array of numbers, such as np.asarray makes of a "
                 "list")):
            with self.subTest(said), self.assertRaises(TypeError) as caught:
                _objects.check_arrays("ab", [np.zeros(2), value])
            self.assertEqual(str(caught.exception), f"the array 'b' of the data set is {said}")

    def test_arrays_of_other_types_are_told_what_to_become(self):
        masked = np.ma.masked_array(np.zeros(3), [True, False, True])
        for value, said in (
                (np.rec.fromarrays([np.zeros(2), np.zeros(2, int)], names="length,label"),
                 "a structured array of length, label; give a dict of its columns: {name: a[name] "
                 "for name in a.dtype.names}"),
                (masked, "a masked array, 2 of whose values are masked; podsim knows no masks: give "
                 "x.filled(0), or leave those examples out"),
                (np.array(["cat", "dog"]), f"an array of texts (<U3); {TEXTS}"),
                (np.array(["1", "2.5"]), "an array of texts (<U3); say .astype(np.float32)"),
                (np.array(["cat", "dog"], object), f"an array of objects; {TEXTS}"),
                (np.array([1, 2.5], object), "an array of objects; say .astype(np.float32)"),
                (np.array([[1], [1, 2]], object), "an array of objects; its parts differ in length: "
                 "pad them to one, so that np.stack takes them"),
                (np.array([1, None], object), "an array of objects; None is among them: leave those "
                 "examples out, or give a number for it"),
                (np.zeros(2, "M8[D]"), "datetime64[D]; give numbers, such as (x - x.min()) / "
                 "np.timedelta64(1, 'D')"),
                (np.zeros(2, "c8"), "complex64; give x.real and x.imag as two arrays"),
                (np.zeros(2, "f2"), "float16; podsim reads float32 and float64: say "
                 ".astype(np.float32)")):
            with self.subTest(said), self.assertRaises(TypeError) as caught:
                _objects.check_arrays(["batch"], [value], whole="dataset")
            self.assertEqual(str(caught.exception), f"dataset is {said}")

    def test_what_is_read_is_not_refused(self):
        for value in (np.zeros(2, bool), np.zeros(2, np.int64), np.zeros(2), range(3), [1.0], 3,
                      array.array("i", [1]), memoryview(b"ab"), np.float32(1), True,
                      np.ma.masked_array(np.zeros(2), [False, False])):
            _objects.check_arrays("a", [value])

    def test_objects_with_items_are_functions_of_the_index(self):
        digits = of("__main__", "DigitsDataset", __len__=len, __getitem__=len)
        self.assertTrue(_objects.is_indexed(digits))
        for shapes, said in (
                ([(3,), ()], "examples: give a function and their number: "
                 "eval_dataset.__getitem__, eval_examples=len(eval_dataset)"),
                ([(9, 3), (9,)], "look like batches: give an iterable of them: "
                 "(eval_dataset[i] for i in range(len(eval_dataset)))")):
            with mock.patch.object(_objects, "_item", return_value=shapes):
                self.assertRegex(_objects.indexed(digits, "eval_dataset", "eval_examples"),
                                 "^eval_dataset is a DigitsDataset, whose items (are )?"
                                 + re.escape(said))
        for other in ([1], (1,), {"a": 1}, "a", np.zeros(2), iter([1]), types.SimpleNamespace()):
            self.assertFalse(_objects.is_indexed(other))

    def test_a_class_is_no_function_of_the_index(self):
        with self.assertRaisesRegex(TypeError, "the data set is the class object; give an object"):
            _data.source_of(object, 3, lambda: None)


class SaidTest(unittest.TestCase):
    def test_values_are_short_and_on_one_line(self):
        for value, said in (
                (0.1, "0.1"), (np.float32(2), "2.0"), ("a" * 70, repr("a" * 70)[:60] + "..."),
                ((1, "a"), "(1, 'a')"), (list(range(99)), "a list"), ([{}], "[a dict]"),
                (np.zeros((2, 3)), "an array of the shape (2, 3)"), (None, "None"),
                (dict, "the class dict"), (len, "the function len"), (lambda: 0, "a lambda"),
                (np, "the module numpy"), (object(), "an object")):
            self.assertEqual(_said.shown(value), said)


if __name__ == "__main__":
    unittest.main()
