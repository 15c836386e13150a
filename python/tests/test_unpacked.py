"""Dicts that are taken apart as tuples are, sides of operators, and trees of other kinds."""

import pathlib
import sys
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from podsim import (_asking, _failures, _objects, _operands, _params, _rates, _said,  # noqa: E402
                    _trees, _unpacked)

X, Y = np.zeros((7, 4), np.float32), np.zeros(7, np.int32)
BATCH = {"image": X, "label": Y}


def product(x, weights):
    return x @ weights


def pairs(params, batch):
    x, y = batch
    return product(x, params) + y


def many(params, batch):
    x, y, z = batch
    return x, y, z, params


def one(params, batch):
    x, = batch
    return x @ params


def loops(params, batch):
    found = 0
    for part in batch:
        found = part @ params
    return found


def loops_twice(params, batch):
    return [k + v for k, v in batch] + params


class UnpackedTest(unittest.TestCase):
    def said(self, function, batch=None, params=X):
        batch = BATCH if batch is None else batch
        asked = _asking.Asked("it", function, ("params", "batch"), (params, batch))
        try:
            function(params, batch)
        except Exception as error:
            self.line = error.__traceback__.tb_next.tb_lineno
            return _unpacked.of(error, _failures._callers(error), asked)
        self.fail("it does not fail")

    def test_the_line_of_the_unpacking_is_said(self):
        said = self.said(pairs)
        line = pairs.__code__.co_firstlineno + 1
        self.assertEqual(said, f"test_unpacked.py:{line}: batch is a dict of 'image' and 'label'; "
                         'x, y = batch takes its keys: write x, y = batch["image"], '
                         'batch["label"]')

    def test_other_numbers_of_names(self):
        self.assertIn("x, y, z = batch takes its keys, of which there are 2: take its arrays by "
                      'their keys, as in batch["image"]', self.said(many))
        self.assertIn('x, = batch takes its keys: write x = batch["x"]', self.said(one, {"x": X}))

    def test_loops(self):
        self.assertIn("for part in batch takes its keys: write for part in batch.values()",
                      self.said(loops))

    def test_names_are_matched_with_keys(self):
        matched = _unpacked.matched
        self.assertEqual(matched(["w", "b"], ["b", "w"]), ["w", "b"])
        self.assertEqual(matched(["x", "y"], ["label", "pixels"]), ["pixels", "label"])
        self.assertEqual(matched(["a", "c"], ["d", "e"]), ["d", "e"])
        self.assertIsNone(matched(["x", "y"], ["a"]))

    def test_other_failures_are_not_taken_for_it(self):
        for function in (lambda p, b: b[0], lambda p, b: 1 / 0, lambda p, b: [*b][5],
                         lambda p, b: {**b} @ p):
            self.assertEqual(self.said(function), "")

        def used_as_keys(p, b):
            x, y = b
            return b[x] / b[y[:0]]

        self.assertEqual(self.said(used_as_keys), "")

    def test_tuples_are_none(self):
        self.assertEqual(self.said(pairs, (np.zeros(3), Y)), "")


class OperandsTest(unittest.TestCase):
    def sides(self, function, *arguments):
        try:
            function(*arguments)
        except Exception as error:
            return _operands.of_operator(_failures._frame(error))
        self.fail("it does not fail")

    def test_names_constants_and_items(self):
        self.assertEqual(self.sides(lambda a: a @ "2", (1,)), [("a", (1,)), ("'2'", "2")])
        self.assertEqual(self.sides(lambda a: a["w"] @ a[0], {"w": (1,)}), [])
        self.assertEqual(self.sides(lambda a, b: a["w"] + b[0], {"w": (1,)}, [3]),
                         [("a['w']", (1,)), ("b[0]", 3)])

    def test_what_would_run_code_is_left_out(self):
        self.assertEqual(self.sides(lambda a: len(a) @ a, (1,)), [("a", (1,))])

    def test_functions_without_a_source(self):
        function = eval("lambda a: a @ 1")  # noqa: S307
        self.assertEqual(self.sides(function, (1,)), [])


class TreesTest(unittest.TestCase):
    def test_keys_have_an_order(self):
        _trees.check_keys({"a": {1: 0, 2: 0}, "b": [{"c": 0}]}, "params")
        with self.assertRaisesRegex(TypeError, r"the keys of params\['b'\]\[0\] have no order, 1 "
                                    r"\(int\), 'c' \(str\): .*give all the same type"):
            _trees.check_keys({"a": 0, "b": [{1: 0, "c": 0}]}, "params")

    def test_empty_trees(self):
        for tree, said in (((), "an empty tuple"), ({}, "an empty dict"),
                           ([None], "a list of None alone"), ({"a": None}, "a dict of None alone")):
            self.assertTrue(_objects.is_empty(tree))
            self.assertEqual(_objects.empty(tree), said)
        self.assertFalse(_objects.is_empty([0]))

    def test_weights_are_numbers(self):
        _params.check_holds_numbers(["a", "b"], [np.array([np.inf]), np.zeros((0, 2))])
        with self.assertRaisesRegex(ValueError, r"the parameter 'b' holds nan at \[1, 0\]: train"):
            _params.check_holds_numbers(["a", "b"], [X, np.array([[0.0], [np.nan]])])
        with self.assertRaisesRegex(ValueError, "the parameter 'b' holds nan: training"):
            _params.check_holds_numbers(["b"], [np.float32(np.nan)])

    def test_numbers_of_numpy_are_shown_as_numbers(self):
        for value, said in ((np.float32(0.1), "0.1"), (np.int8(3), "3"), (np.str_("a"), "'a'"),
                            (np.bool_(True), "True"), (np.datetime64("2024-01-01"),
                                                       "a numpy.datetime64"),
                            (property(len), "a property"), (classmethod(len), "a classmethod")):
            self.assertEqual(_said.shown(value), said)


class RatesTest(unittest.TestCase):
    def test_rules(self):
        for value, rule in (("SGD", "sgd"), (None, "adamw"), ("rmsprop", "adamw"), (len, "adamw"),
                            ("nesterov", "sgd"), ("lamb", "lamb")):
            self.assertEqual(_rates.rule_of(value), rule)

    def test_optimizers_are_no_rates(self):
        pair = type("Pair", (), {"init": len, "update": len})()
        with self.assertRaisesRegex(TypeError, "learning_rate is an optimizer; it belongs into"):
            _rates.check_rate(pair)
        with self.assertRaisesRegex(TypeError, "give a number: without the quotes, 0.001"):
            _rates.check_rate("1e-3")
        with self.assertRaisesRegex(TypeError, "'fast', a str; give a number, such as 1e-3"):
            _rates.check_rate("fast")


if __name__ == "__main__":
    unittest.main()
