"""What a loss uses of params, of jaxprs as JAX makes them."""

import pathlib
import sys
import types
import unittest
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from podsim import _maps, _uses  # noqa: E402


class Variable:
    pass


A, B, X, LOSS, ZERO, OTHER, UNUSED = (Variable() for _ in range(7))


def number(value):
    return types.SimpleNamespace(val=value)


def equation(name, operands, results, **params):
    return types.SimpleNamespace(primitive=types.SimpleNamespace(name=name), invars=operands,
                                 outvars=results, params=params)


def jaxpr(operands, results, *equations):
    return types.SimpleNamespace(invars=operands, outvars=results, eqns=list(equations))


def closed(inner):
    return types.SimpleNamespace(jaxpr=inner)


ZEROS = equation("broadcast_in_dim", [number(0.0)], [ZERO])


def checked(*equations, gradients):
    """With the parameters a and b, of an input, a metric and a state."""
    _uses.check(closed(jaxpr([A, B, X], [LOSS, X, *gradients, X], *equations)), ["a", "b"], 1)


class UsesTest(unittest.TestCase):
    def test_a_loss_without_params_is_refused(self):
        with self.assertRaisesRegex(ValueError, "the loss does not use params, .* first argument"):
            checked(equation("reduce_sum", [X], [LOSS]), ZEROS, gradients=[ZERO, ZERO])

    def test_a_loss_without_a_gradient_is_refused(self):
        with self.assertRaisesRegex(ValueError, "gradient of the loss is 0 .*stop_gradient"):
            checked(equation("round", [A], [OTHER]), equation("mul", [OTHER, B], [LOSS]), ZEROS,
                    gradients=[ZERO, number(0.0)])

    def test_a_parameter_that_is_not_used_is_named_once(self):
        with self.assertWarnsRegex(UserWarning, "^the loss does not use 'b' of params: no "
                                   "gradient") as caught:
            checked(equation("mul", [A, X], [LOSS]), equation("neg", [B], [OTHER]), ZEROS,
                    gradients=[X, ZERO])
        self.assertEqual(len(caught.warnings), 1)

    def test_averages_among_the_parameters_are_a_state(self):
        names = ["a", "batch_stats/BatchNorm_0/mean"]
        with self.assertWarnsRegex(UserWarning, r"state=\{'batch_stats': variables\['batch_"):
            _uses.check(closed(jaxpr([A, B, X], [LOSS, X, X, ZERO, X],
                                     equation("mul", [A, X], [LOSS]), ZEROS)), names, 1)

    def test_a_frozen_parameter_is_used(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            checked(equation("stop_gradient", [B], [OTHER]),
                    equation("mul", [A, OTHER], [LOSS]), ZEROS, gradients=[X, ZERO])

    def test_calls_are_looked_into(self):
        first, second, result = Variable(), Variable(), Variable()
        inside = jaxpr([first, second], [second, result], equation("neg", [first], [result]))
        for call, holds in (("jit", closed(inside)), ("checkpoint", inside)):
            outer = jaxpr([A, B], [LOSS, OTHER],
                          equation(call, [A, B], [OTHER, LOSS], jaxpr=holds))
            self.assertEqual(_uses.used(outer, [LOSS]) & {A, B}, {A})
            self.assertEqual(_uses.used(outer, [OTHER]) & {A, B}, {B})
        outer = jaxpr([A, B], [LOSS], equation("while", [A, B, number(1)], [OTHER, LOSS]))
        self.assertEqual(_uses.used(outer, [LOSS]) & {A, B}, {A, B})

    def test_a_loss_follows_from_an_array_of_the_batch(self):
        def check(operands, states=0, inputs=1):
            invars = [A, B, X]
            traced = closed(jaxpr(invars, [LOSS], equation("mul", operands, [LOSS])))
            _uses.check_batch(traced, 3 - states - inputs, states, inputs, "take x = batch")

        check([A, X])
        check([A, B], inputs=2)
        with self.assertRaisesRegex(ValueError, "every step would see the same numbers; take x = "):
            check([A, B])
        with self.assertWarnsRegex(UserWarning, "no example of the data set reaches it; take x = "):
            check([A, B], states=1)


class MapsTest(unittest.TestCase):
    def test_a_loop_over_rows_is_one_over_examples_if_it_follows_their_number(self):
        def loop(length):
            return jaxpr([X], [OTHER], equation("scan", [X], [OTHER], num_carry=0,
                                                num_consts=0, length=length))

        self.assertTrue(_maps.follows_examples([loop(19), loop(23)], (19, 23, 29)))
        self.assertFalse(_maps.follows_examples([loop(19), loop(19)], (19, 23, 29)))
        self.assertFalse(_maps.follows_examples([loop(7), loop(7)], (19, 23, 29)))


if __name__ == "__main__":
    unittest.main()
