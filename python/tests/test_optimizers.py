"""What podsim's optimizers refuse of their arguments."""

import copy
import pathlib
import pickle
import sys
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import podsim  # noqa: E402


class ArgumentsTest(unittest.TestCase):
    def check(self, call, said, kind=TypeError):
        with self.assertRaises(kind) as caught:
            call()
        self.assertEqual(str(caught.exception), said)

    def test_the_third_argument_of_sgd_is_no_number(self):
        self.check(lambda: podsim.sgd(0.1, 0.9, 1e-4),
                   "podsim.sgd: nesterov, the third argument, is 0.0001; it must be True or False; "
                   "weight decay is a keyword beside optimizer=: weight_decay=0.0001")
        self.check(lambda: podsim.sgd(0.1, nesterov="yes"), "podsim.sgd: nesterov, the third "
                   "argument, is 'yes'; it must be True or False")
        self.assertEqual(podsim.sgd(0.1, 0.9, np.True_).settings["optimizer"], "nesterov")

    def test_settings_are_asked_for_by_their_names(self):
        rule = podsim.adamw(1e-3)
        for name in ("lr", "learning_rate"):
            self.check(lambda name=name: getattr(rule, name), f"a podsim.Optimizer has no {name!r}: "
                       "say optimizer.settings['learning_rate']", AttributeError)
        self.check(lambda: rule.b1, "a podsim.Optimizer has no 'b1': say "
                   "optimizer.settings['beta1']", AttributeError)
        self.check(lambda: rule["lr"], "a podsim.Optimizer is no dict: say "
                   "optimizer.settings['learning_rate']")
        self.check(lambda: podsim.sgd(0.1).init, "a podsim.Optimizer has no 'init': podsim.train "
                   "makes the updates, optimizer=; a loop of your own takes one of optax",
                   AttributeError)
        self.check(lambda: podsim.sgd(0.1).zz, "a podsim.Optimizer has no 'zz': it has settings, a "
                   "dict of 'optimizer', 'learning_rate', 'momentum'", AttributeError)
        self.assertEqual(copy.deepcopy(rule), rule)
        self.assertEqual(pickle.loads(pickle.dumps(rule)), rule)

    def test_numbers_are_numbers(self):
        for value, shown, then in (
                (True, "True", ", such as 0.9"), (None, "None", ", such as 0.9"),
                ("0.9", "'0.9', a str", "; without the quotes, b1=0.9"),
                ((0.9, 0.95), "(0.9, 0.95), a tuple", ", such as 0.9"),
                (np.zeros((2, 3)), "an array of the shape (2, 3)", ", such as 0.9"),
                ({}, "a dict", ", such as 0.9"), ("x", "'x', a str", ", such as 0.9")):
            self.check(lambda: podsim.adam(1e-3, value), f"podsim.adam: b1 is {shown}; it must be "
                       f"a number, at least 0 and less than 1{then}")
        for value in (np.float32(0.5), np.array(0.5), 0):
            self.assertEqual(podsim.adam(1e-3, value).settings["beta1"], value)
        self.assertEqual(podsim.sgd(0.1, None).settings["momentum"], 0)

    def test_numbers_have_bounds(self):
        for call, said in (
                (lambda: podsim.sgd(0.1, 90), "podsim.sgd: momentum is 90; it must be at least 0 "
                 "and less than 1; 90% is 0.9"),
                (lambda: podsim.sgd(0), "podsim.sgd: learning_rate is 0; it must be more than 0, "
                 "such as 1e-3"),
                (lambda: podsim.adamw(1e-3, b2=1.0), "podsim.adamw: b2 is 1; it must be at least 0 "
                 "and less than 1, such as 0.999"),
                (lambda: podsim.lamb(1e-3, eps=-1), "podsim.lamb: eps is -1; it must be more than "
                 "0, such as 1e-8"),
                (lambda: podsim.adamw(1e-3, weight_decay=float("nan")), "podsim.adamw: weight_decay "
                 "is nan; it must be finite and at least 0, such as 1e-4"),
                (lambda: podsim.adam(10**400), "podsim.adam: learning_rate is inf; it must be "
                 "finite and more than 0, such as 1e-3"),
                (lambda: podsim.lars(0.1, trust_coefficient=0), "podsim.lars: trust_coefficient is "
                 "0; it must be more than 0, such as 1e-3"),
                (lambda: podsim.adamw(1e-3, clip_norm=0), "podsim.adamw: clip_norm is 0; it must "
                 "be more than 0, such as 1; for no clipping leave it out")):
            self.check(call, said, ValueError)

    def test_calls_that_do_not_fit_are_said_in_their_words(self):
        self.check(lambda: podsim.adam(1e-3, 0.9, 0.999, 1e-8, 1e-4), "podsim.adam takes "
                   "learning_rate, b1, b2, eps by position; the 5th argument, 0.0001, needs its name: "
                   "clip_norm=1.0; a weight decay is podsim.adamw's")
        self.check(lambda: podsim.adamw(1e-3, learning_rate=1e-4), "podsim.adamw: learning_rate is "
                   "given twice, by position (0.001) and by name (0.0001); leave one out")

    def test_what_another_update_rule_has_is_written_there(self):
        for call, name, value, write in (
                (podsim.adam, "weight_decay", 0.01, "adamw(0.002, weight_decay=0.01)"),
                (podsim.adam, "wd", 0.01, "adamw(0.002, weight_decay=0.01)"),
                (podsim.adam, "weight_decay_exclude", ["bias"],
                 "adamw(0.002, weight_decay_exclude=['bias'])"),
                (podsim.adam, "momentum", 0.9, "sgd(0.1, momentum=0.9)"),
                (podsim.adamw, "trust_coefficient", 1, "lars(0.1, trust_coefficient=1)"),
                (podsim.sgd, "epsilon", 1e-3, "adamw(1e-3, eps=0.001)"),
                (podsim.sgd, "betas", (0.9, 0.95), "adamw(1e-3, b1=0.9, b2=0.95)")):
            self.check(lambda: call(2e-3, **{name: value}), f"podsim.{call.__name__} has no "
                       f"argument '{name}'; leave it out, or write podsim.{write}")
        self.check(lambda: podsim.adam(1e-3, qq=1), "podsim.adam has no argument 'qq'; it has "
                   "learning_rate, b1, b2, eps, clip_norm")

    def test_betas_are_said_with_their_values(self):
        with self.assertRaisesRegex(TypeError, "no argument 'betas'; say b1=0.9, b2=0.95; it has"):
            podsim.adamw(1e-3, betas=(0.9, 0.95))

    def test_words_of_other_libraries(self):
        for name, said in (("betas", "say b1=0.9, b2=0.999"), ("decay", "say weight_decay"),
                           ("amsgrad", "no update rule of podsim has it: leave it out"),
                           ("nesterov", "podsim.sgd(0.1, momentum=0.9, nesterov=True) has it"),
                           ("learning_rat", "did you mean learning_rate?")):
            self.check(lambda: podsim.adamw(1e-3, **{name: 1}), f"podsim.adamw has no argument "
                       f"'{name}'; {said}; it has learning_rate, b1, b2, eps, weight_decay, "
                       "weight_decay_exclude, clip_norm")

    def test_names_without_weight_decay_are_a_list(self):
        for parts in ("bias, norm", ["bias", "norm"], ("bias", "norm"), {"norm", "bias"}):
            self.assertEqual(podsim.adamw(1e-3, weight_decay_exclude=parts)
                             .settings["weight_decay_exclude"], ["bias", "norm"])
        for parts, shown in ((3, "3"), (["bias", 3], "['bias', 3]"), (b"bias", "b'bias'")):
            self.check(lambda: podsim.adamw(1e-3, weight_decay_exclude=parts), "podsim.adamw: "
                       f"weight_decay_exclude is {shown}; it must be a list of texts that are in "
                       "variables' names, such as [\"bias\", \"norm\"]")
        with self.assertRaisesRegex(TypeError, r"is a lambda; .* a mask is for optax"):
            podsim.adamw(1e-3, weight_decay_exclude=lambda params: params)

    def test_an_optimizer_is_made_of_a_dict(self):
        self.check(lambda: podsim.Optimizer("adam"), "podsim.Optimizer takes a dict of settings, "
                   "not 'adam': say podsim.adamw(1e-3) or the like")


if __name__ == "__main__":
    unittest.main()
