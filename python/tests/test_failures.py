"""What is said of the caller's functions where they fail, with stand-ins for JAX and flax."""

import json
import pathlib
import sys
import types
import unittest
from unittest import mock

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import podsim  # noqa: E402
from podsim import (_asking, _calling, _calls, _counts, _errors, _failures,  # noqa: E402
                    _fixed, _flax, _frames, _importing, _leaks, _roles, _tracebacks, _tracing,
                    _words, _wrapped)

JAX = types.SimpleNamespace(
    core=types.SimpleNamespace(Tracer=type("Tracer", (), {})), Array=np.ndarray,
    numpy=types.SimpleNamespace(array=None, mean=None), random=types.SimpleNamespace(permutation=0))


def with_jax(test):
    modules = {"jax": JAX, "jax.numpy": JAX.numpy}
    return mock.patch.dict(sys.modules, modules)(test)


def error_of(name, text, module="jax.errors"):
    return type(name, (TypeError,), {"__module__": module})(text)


class CountsTest(unittest.TestCase):
    def test_numbers_that_follow_the_examples_are_n(self):
        for numbers, said in (((19, 23, 29), "N"), ((152, 184, 232), "8*N"), ((18, 22, 28), "N-1"),
                              ((9, 11, 14), "N//2"), ((10, 12, 15), "ceil(N/2)"),
                              ((18.5, 22.5, 28.5), "N-0.5"), ((20, 21, 22), "")):
            self.assertEqual(_counts.of_n(numbers), said)

    def test_two_messages_are_merged(self):
        self.assertEqual(_counts.merged(["got (19, 8) and 19,4 of float32[19]", "got (23, 8) and "
                                         "23,4 of float32[23]"]), "got (N, 8) and N,4 of "
                                          "float32[N]")
        self.assertEqual(_counts.merged(["a.py:19: 19 of 5", "a.py:19: 23 of 7"]),
                         "a.py:19: N of a number that follows N")

    def test_one_message_has_n_for_the_number(self):
        self.assertEqual(_counts.merged(["shape (19, 8), w19, 1.19"]), "shape (N, 8), w19, 1.19")
        self.assertEqual(_counts.merged(["shape (23,)", "other"], (23, 23)), "shape (N,)")


class WordsTest(unittest.TestCase):
    def test_what_traces_is_an_array(self):
        for text, said in (
                ("for @: 'tuple' and 'LinearizeTracer'", "for @: 'tuple' and 'jax.Array'"),
                ("got (JitTracer(int32[]),)", "got (int32[],)"),
                ("not JitTracer(key<?>[])", "not a random key"),
                ("GradTracer(primal=JitTracer(float32[4]), typeof(tangent)=f32[4])",
                 "a traced array"),
                ("the input is a <class 'jax._src.core.ShapedArray'> not", "the input is a "
                 "jax.Array not"),
                ("got <class 'tuple'> at 0", "got tuple at 0"),
                ("output [ShapedArray(float32[], weak_type=True)]", "output [float32[]]"),
                ("array of shape (3, 8) (size 24) into (5,)", "array of shape (3, 8) into (5,)"),
                ("dot_general requires contracting", "a product of matrices (@, jnp.dot, "
                 "jnp.einsum) requires contracting"),
                ("mul got incompatible shapes", "x * y got incompatible shapes")):
            self.assertEqual(_words.plain(text), said)

    def test_one_line_without_addresses(self):
        for text, said in (
                ("No good (https://flax.io/errors.html#x)", "No good"),
                ("No good.\nSee https://docs.jax.dev/x.html#y", "No good"),
                ("They differ:\n\nA is 1.\n\nMend it.", "They differ: A is 1"),
                ("Sizes:\n  * one had 4;\n  * one had 8", "Sizes: one had 4; one had 8"),
                ("bad\nthings", "bad things"), ("", "")):
            self.assertEqual(_words.plain(text), said)
        self.assertLess(len(_words.plain("long " * 200)), 330)

    def test_types_have_the_names_of_numpy(self):
        self.assertEqual(_words.types("its type is C64; F32, BF16, S32 and PRED"),
                         "its type is complex64; float32, bfloat16, int32 and bool")


class RolesTest(unittest.TestCase):
    def mistake(self, names, *roles):
        return _roles.mistake(names.split(), roles, "f")

    def test_parameters_in_another_order(self):
        for names, roles, order in (
                ("b p", ("params", "batch"), "(p, b)"),
                ("p key b", ("params", "batch", "key"), "(p, b, key)"),
                ("p b s", ("params", "state", "batch"), "(p, s, b)"),
                ("rng params state batch", ("params", "state", "batch", "key"),
                 "(params, state, batch, rng)")):
            self.assertRegex(self.mistake(names, *roles),
                             rf"^f\(.*\) is called as \({', '.join(roles)}\): change their order "
                             + "to " + order.replace("(", r"\(").replace(")", r"\)") + "$")

    def test_a_batch_that_is_taken_apart_among_the_parameters(self):
        said = self.mistake("p x y", "params", "batch", "key")
        self.assertEqual(said, "f(p, x, y) is called as (params, batch, key): x is the whole batch "
                         "and y a random key: take (p, batch), and x, y = batch")
        self.assertIn("take (params, state, batch), and x, y = batch",
                      self.mistake("params state x y", "params", "state", "batch", "key"))
        self.assertIn("params come first", self.mistake("x y p", "params", "batch", "key"))

        self.assertIn("x, y = batch['image'], batch['label']", _roles.mistake(
            ["p", "x", "y"], ("params", "batch", "key"), "f", {"image": 0, "label": 1}))
        self.assertIn("training is a random key: give it a default, as in training=True",
                      self.mistake("p b training", "params", "batch", "key"))

    def test_a_metric_of_outputs_and_labels(self):
        self.assertEqual(self.mistake("logits labels", "params", "batch"),
                         "f(logits, labels) is called as (params, batch): logits is the params and "
                         "labels the whole batch: take (params, batch), and compute logits from "
                         "them")
        self.assertEqual(self.mistake("params labels", "params", "batch"), "")

    def test_a_state_that_is_not_given_and_one_that_is_not_taken(self):
        self.assertIn("s is the batch: for a state give state=, and take (p, s, b)",
                      self.mistake("p s b", "params", "batch", "key"))
        self.assertIn("state is params here, with nothing beside: write model.apply(params, x), "
                      "and take (params, batch)", self.mistake("state batch", "params", "batch"))
        self.assertIn("state= is given: take (p, state, b, k)",
                      self.mistake("p b k", "params", "state", "batch"))

    def test_names_that_say_nothing(self):
        for names, roles in (("p b", ("params", "batch")), ("w q", ("params", "batch")),
                             ("model data noise", ("params", "batch", "key")), ("a b c", ())):
            self.assertEqual(self.mistake(names, *roles), "")
        self.assertEqual(_roles.mistake(None, ("params", "batch"), "f"), "")


def made_by(transformation, function):
    """What a transformation inside JAX returns."""
    code = compile(f"def {transformation}(fun):\n"
                   f"    def wrapper(*args): return fun(*args)\n"
                   f"    def {transformation}_f(*args): return wrapper(*args)\n"
                   f"    {transformation}_f.__wrapped__ = fun\n"
                   f"    return {transformation}_f\n", "/x/site-packages/jax/_src/api.py", "exec")
    names = {}
    exec(code, names)  # noqa: S102
    return names[transformation](function)


class WrappedTest(unittest.TestCase):
    def test_a_transformation_is_told_with_what_it_is_of(self):
        def loss_fn(params, batch):
            return 0

        self.assertEqual(_wrapped.advice("the loss function", loss_fn), "")
        self.assertEqual(_wrapped.advice("the loss function", made_by("pmap", loss_fn)),
                         "the loss function is jax.pmap of loss_fn: give loss_fn itself; podsim "
                         "divides the batch over the cores and reduces the gradients")
        jitted = types.SimpleNamespace(__wrapped__=made_by("vmap", lambda params, batch: 0))
        self.assertRegex(_wrapped.advice("it", jitted), "^it is jax.vmap of the lambda: give the "
                         "lambda itself if it takes a whole batch")

    def test_where_it_begins(self):
        line = self.test_where_it_begins.__code__.co_firstlineno
        asked = _asking.Asked("it", made_by("vmap", self.test_where_it_begins))
        self.assertEqual(asked.place(), f"test_failures.py:{line}: ")
        self.assertEqual(_asking.Asked("it", unittest.main).place(), "")
        self.assertEqual(_asking.Asked("it", lambda p, b: 0).name(), "the lambda (p, b)")
        self.assertEqual(_asking.Asked("it", print).name(), "print")


class LeaksTest(unittest.TestCase):
    @with_jax
    def test_the_variable_is_named(self):
        log, value = [[JAX.core.Tracer()]], 1

        def loss_fn(params, batch):
            return log, value

        self.assertRegex(_leaks.text("the loss function", loss_fn), "^the loss function keeps "
                         r"traced values of an earlier call \(in 'log'\): .*run.losses")
        self.assertNotIn("in '", _leaks.text("the loss function", lambda params, batch: value))

    @with_jax
    def test_of_an_object_it_is_an_attribute(self):
        model = type("Model", (), {"__call__": lambda self, params, batch: 0})()
        model.seen = {"last": JAX.core.Tracer()}
        self.assertIn("(in 'self.seen')", _leaks.text("it", model))
        self.assertIn("(in 'self.seen')", _leaks.text("it", model.__call__))


def frame_of(function):
    """Where this file was last as a function failed."""
    try:
        function()
    except Exception as error:
        return _failures._frame(error)
    return None


class FramesTest(unittest.TestCase):
    @staticmethod
    def called(function):
        return ".".join(_frames.called(frame_of(function)))

    def test_the_function_of_a_module_is_named(self):
        array = np.zeros(3)
        self.assertEqual(self.called(lambda: np.random.permutation("x", 2)),
                         "np.random.permutation")
        self.assertEqual(self.called(lambda: np.ones(3).reshape(7)), "")
        self.assertEqual(self.called(lambda: array.reshape(7)), "")
        self.assertEqual(self.called(lambda: np.ones(3) / None), "")

    def test_the_function_that_failed_is_named(self):
        def loss_fn():
            return [1 / each for each in (0,)]

        class Net:
            def __call__(self):
                return 1 / 0

        self.assertEqual(_frames.function(frame_of(loss_fn)), "loss_fn")
        self.assertEqual(_frames.function(frame_of(Net())), "Net.__call__")
        self.assertEqual(_frames.function(frame_of(lambda: 1 / 0)), "a lambda")
        self.assertEqual(_frames.function(None), "a function")


class TracingTest(unittest.TestCase):
    def said(self, name, text, at=None):
        return _tracing.in_one_line(error_of(name, text), at)

    @with_jax
    def test_kinds_have_a_way_round(self):
        for name, text, said in (
                ("NonConcreteBooleanIndexError", "Array boolean indices must be concrete; got "
                 "bool[19]", "by a mask of traced values, .*mask.sum"),
                ("ConcretizationTypeError", "Abstract tracer value\nThis occurred in the item() "
                 "method of jax.Array", r"calls \.item\(\) of a traced value"),
                ("ConcretizationTypeError", "A\nThe tolist() method was called", r"\.tolist"),
                ("ConcretizationTypeError", "Abstract\nIt arose in the jnp.arange argument 'stop'",
                 "^jnp.arange is given a traced value as stop"),
                ("ConcretizationTypeError", "A\nThe error arose in jax.nn.one_hot argument "
                 "`num_classes`.", "^jax.nn.one_hot is given a traced value as num_classes"),
                ("ConcretizationTypeError", "A\nThe error arose for the first argument of "
                 "jnp.unique().", "^jnp.unique returns as many values as it finds"),
                ("ConcretizationTypeError", "A", "before the function runs: compute"),
                ("TracerIntegerConversionError", "The __index__() method was called", "make the "
                 "list"),
                ("TypeError", "unsupported format string passed to LinearizeTracer.__format__",
                 "formats a traced value"),
                ("TypeError", "unhashable type: 'DynamicJaxprTracer'", "looked up in a dict"),
                ("TypeError", "scan body function carry input and carry output must have equal "
                 "types, but they differ:\n\nThe input carry c has type float32[] but the other "
                 "has float32[2].\n\nRevise",
                 r"the input carry c has type float32\[\] but the other has float32\[2\]: return "
                 "it as it came in"),
                ("TypeError", "cond branches must have equal output types but they differ.\n\n"
                 "true_fun is f\n\nThe output of true_fun has type float32[].\n\nRevise",
                 "branches of jax.lax.cond return different types: the output of true_fun"),
                ("ValueError", "Reverse-mode differentiation does not work for lax.while_loop. Try "
                 "using lax.scan, or using fori_loop with static start/stop.",
                 "^reverse-mode .*: use lax.scan, or fori_loop with static start/stop$"),
                ("TypeError", "cannot reshape array of shape (19, 8) (size 152) into shape (32, 8)",
                 r"^reshape to \(32, 8\): .* write x.shape\[0\] or -1"),
                ("TypeError", "cannot reshape array of shape (8, 4) (size 32) into shape (3, 3)",
                 r"^reshape to \(3, 3\): .*: give as many"),
                ("NotImplementedError", "`poisson` is only implemented for the threefry2x32 RNG",
                 "poisson .* count exponential gaps"),
                ("RuntimeError", "with_sharding_constraint requires a non-empty mesh",
                 "places arrays on devices itself"),
                ("TypeError", "key accepts a scalar seed, but was given a PRNG key", "a key "
                 "already"),
                ("AttributeError", "LinearizeTracer has no attribute mea", "did you mean mean"),
                ("AttributeError", "DynamicJaxprTracer has no attribute numpy", r"calls "
                 r"\.numpy\(\)")):
            self.assertRegex(self.said(name, text), said)

    @with_jax
    def test_the_function_with_an_if_is_named(self):
        def loss_fn():
            return 1 / 0

        text = "Attempted boolean conversion of traced array with shape bool[]"
        self.assertRegex(self.said("TracerBoolConversionError", text, frame_of(loss_fn)),
                         "^loss_fn takes an if, while, and, or or bool")

    @with_jax
    def test_an_assert_of_a_traced_value_is_to_be_taken_out(self):
        def on_a_line():
            assert 1 / 0, "why"

        def on_several():
            assert (
                1 and
                1 / 0)

        text = "Attempted boolean conversion of traced array with shape bool[]"
        for function in (on_a_line, on_several):
            self.assertEqual(self.said("TracerBoolConversionError", text, frame_of(function)),
                             f"{function.__name__} asserts a traced value, which has no concrete "
                             "value: take the assert out; podsim stops by itself at a loss that is "
                             "not finite")

    @with_jax
    def test_numpy_is_named_with_what_to_call_instead(self):
        for function, said in (
                (lambda: np.array(1, bad=1), r"\(np.array\): use jax.numpy there: "
                                             r"jnp.array\(...\)$"),
                (lambda: np.random.permutation("x", 2), r"draw from .*jax.random.permutation\(key"),
                (lambda: np.ones(3)["a"], "indexed by a traced value")):
            self.assertRegex(self.said("TracerArrayConversionError", "", frame_of(function)), said)


class FlaxTest(unittest.TestCase):
    def test_a_module_is_told_how_it_is_called(self):
        for text, said in (
                ('ScopeCollectionNotFound: Tried to access "kernel" from collection "params" in '
                 '"/layers_0" but the collection is empty.', r'write m.apply\({"params": params}, '
                  r'x'),
                ('ScopeCollectionNotFound: Tried to access "mean" from collection "batch_stats" in '
                 '"/BatchNorm_0" but', '"batch_stats" of BatchNorm_0: take state='),
                ('InvalidRngError: layers_1 needs PRNG for "dropout" (https://x)', "^layers_1 "
                 "needs a "
                 r'key for "dropout": take a third argument, .*rngs={"dropout": key}\)$'),
                ('ModifyScopeVariableError: Cannot update variable "mean" in "/BatchNorm_0" '
                 'because '
                 'collection "batch_stats" is immutable.', r'BatchNorm_0 '
                                                           r'.*mutable=\["batch_stats"\]'),
                ('ScopeParamShapeError: For parameter "kernel" in "/layers_0", the given '
                 'initializer '
                 "is expected to generate shape (4, 8), but the existing parameter it received has "
                 "shape (8, 8).", r"kernel of layers_0 has the shape \(8, 8\), .* \(4, 8\)"),
                ("ApplyScopeInvalidVariablesTypeError: x", "dictionary of collections"),
                ("CallCompactUnboundModuleError: x", "without its params"),
                ("ValueError: other", "^$")):
            self.assertRegex(_flax.in_one_line(text), said)


class CallingTest(unittest.TestCase):
    """Without JAX: a tree is a tuple of arrays."""

    def failing(self, function, **more):
        arrays = (np.zeros((19, 8), np.float32), np.zeros(19, np.int32))
        with mock.patch.object(_asking, "shapes", lambda tree, examples=False: "t" * examples), \
                mock.patch.object(_tracing, "in_one_line", return_value=""), \
                self.assertRaises(Exception) as caught:
            _calling.call("the loss function", function, {}, batch=arrays, **more)
        return caught.exception

    def test_what_it_fails_with_is_told_with_its_line_and_its_call(self):
        def unpacks(params, batch):
            x, y, z = batch

        error = self.failing(unpacks)
        self.assertIs(type(error), ValueError)
        self.assertRegex(str(error), r"^test_failures.py:\d+: the loss function fails: ValueError: "
                         r"not enough values to unpack .*; unpacks\(params, batch\) is called as "
                         r"\(params, batch\), params ; batch t \(N examples\): it unpacks 3, and "
                         "the batch has 2")
        self.assertEqual(len(str(error).splitlines()), 1)
        self.assertIsInstance(error.__cause__, ValueError)
        lines = [at.tb_frame.f_code.co_name for at in _tracebacks.entries(error.__cause__)]
        self.assertEqual(lines, ["unpacks"])

    def test_what_has_no_line_of_the_callers_is_not_shown(self):
        with mock.patch.object(_failures, "of", return_value=TypeError("said")), \
                self.assertRaisesRegex(TypeError, "^said$") as caught:
            _calling.call("the loss function", json.loads, {}, batch=())
        self.assertIsNone(caught.exception.__cause__)
        self.assertTrue(caught.exception.__suppress_context__)

    def test_what_is_said_of_a_function_is_raised_where_podsim_is_called(self):
        @_calls.checked("podsim.train")
        def train(loss_fn):
            raise _errors.said(TypeError("a.py:3: the loss function fails"))

        try:
            train(None)
        except TypeError as error:
            names = [at.tb_frame.f_code.co_name for at in _tracebacks.entries(error)]
        self.assertEqual(names, ["test_what_is_said_of_a_function_is_raised_where_podsim_is_called",
                                 "train"])

    def test_every_kind_of_failure_is_one_line(self):
        for raised, kind, said in (
                (KeyError("image"), TypeError, "KeyError: 'image': the function raises that itself: "
                 "mend what it says$"),
                (StopIteration(), ValueError, r"StopIteration: next\(\) is called"),
                (RuntimeError("bad\nthings"), podsim.PodsimError, "RuntimeError: bad things: call it "
                 "without podsim, on a few examples, to see where$"),
                (NameError("name 'x' is not defined"), NameError, "define it, or import it"),
                (FileNotFoundError(2, "No such file", "a"), FileNotFoundError, "read files before"),
                (AssertionError(), AssertionError, "fails: AssertionError: the assertion is"),
                (ValueError("Only interpret mode is supported on CPU backend."), ValueError,
                 'jax.nn.dot_product_attention does, and give attention="fused"'),
                (NotImplementedError("no rule"), TypeError, "no rule: compute it with other"),
                (type("Own", (Exception,), {})("why"), ValueError, "Own: why")):
            def fails(params, batch, raised=raised):
                raise raised

            error = self.failing(fails)
            self.assertIs(type(error), kind)
            self.assertRegex(str(error), rf"^test_failures.py:\d+: the loss function fails: "
                                         rf".*{said}"
                             if "fails" not in said else said)
            self.assertEqual(len(str(error).splitlines()), 1)

    def test_what_is_no_failure_of_it_stays(self):
        for raised in (KeyboardInterrupt(), SystemExit(), MemoryError()):
            def fails(params, batch, raised=raised):
                raise raised

            with self.assertRaises(BaseException) as caught:
                _calling.call("the loss function", fails, {}, batch=())
            self.assertIs(caught.exception, raised)

    def test_what_podsim_says_itself_stays(self):
        def fails(params, batch):
            raise podsim.PodsimError("no")

        error = self.failing(fails)
        self.assertIsInstance(error, podsim.PodsimError)
        self.assertRegex(str(error), r"^test_failures.py:\d+: no$")

    def test_the_names_of_its_parameters_come_first(self):
        error = self.failing(lambda b, p: b["w"])
        self.assertIn("the lambda (b, p) is called as (params, batch): change their order",
                      str(error))

    def test_a_dict_that_is_unpacked(self):
        asked = _asking.Asked("it", print, ("params", "batch"), ({}, {"x": 0, "y": 1}))
        self.assertIn("the batch has 2", asked.advice("too many values to unpack (expected 1)"))
        self.assertIn("make the function fit", asked.advice("no"))

    def test_a_number_of_examples_that_is_fixed(self):
        batch, params = [(19, 16), (19,)], [(16, 10), (10,), (64,)]
        for why, fixed in (
                ("Incompatible shapes for broadcasting: shapes=[(32,), (19,)]", 32),
                ("add got incompatible shapes: (19, 10), (64, 10).", 64),  # though params have 64
                ("one axis had size 19: float32[19,10]; of type float32[32,10]", 32),
                ("Size of label 'n' for operand 1 (32) does not match (19)", 32),
                ("shapes=[(10,), (19,)]", None),  # the number of classes
                ("shapes=[(19, 10), (19,)]", None),
                ("shapes=[(1, 10), (19, 16)]", None),
                ("got (32,) and (12,)", None), ("no", None)):
            self.assertEqual(_fixed.number(why, batch, params), fixed, why)
        self.assertIsNone(_fixed.number("(32,), (19,)", [(19,), (8,)], []))

    def test_a_number_of_examples_that_is_fixed_is_named(self):
        with mock.patch.object(_fixed, "_sizes", lambda tree: [
                np.shape(each) for each in tree if np.ndim(each)]):
            asked = _asking.Asked("it", print, ("params", "batch"), (
                {}, (np.zeros((19, 8)), np.zeros(19))))
            said = asked.advice("shapes=[(64,), (19,)]")
            self.assertRegex(said, "^if 64 is a number of examples, write x.shape.0. in its place: "
                             "the function must take any number N of them")
            self.assertEqual(_failures._with_fixed("a", ValueError("(64, 2), (19, 2)"), asked),
                             f"a; {said}")
            self.assertEqual(_failures._with_fixed("x.shape[0]", ValueError("(64,), (19,)"), asked),
                             "x.shape[0]")
            self.assertEqual(_failures._with_fixed("a", ValueError("no"), asked), "a")
            # Shapes of traced values, as jnp.unique(labels) names them.
            traced = type("ConcretizationTypeError", (TypeError,), {"__module__": "jax.errors"})
            self.assertEqual(_failures._with_fixed("a", traced("(64, 2), (19, 2)"), asked), "a")

    def test_shapes_are_those_of_one_example(self):
        self.assertEqual(_asking._shape(np.zeros((19, 8), np.float32), True), "float32[N,8]")
        self.assertEqual(_asking._shape(np.zeros((8, 4), np.float32), False), "float32[8,4]")
        self.assertEqual(_asking._shape(None, False), "NoneType")


class ImportingTest(unittest.TestCase):
    def said(self, name, why, part="training"):
        return _importing.in_python(f"cannot import f: {part}: a.py:1: {name}: {why}", "f.py:9: ")

    def test_operations_have_the_names_of_jax_numpy(self):
        self.assertEqual(self.said("dot_general (dot)", "the batch is in two of its dimensions: "
                                                        "no"),
                         "a.py:1: a product of matrices (@, jnp.dot, jnp.einsum): the batch is in "
                         "two "
                         "of its dimensions: no")
        self.assertEqual(self.said("rev (reverse)", "why", "evaluation"),
                         "a.py:1: eval_fn: jnp.flip (x[::-1]): why")
        self.assertEqual(self.said("own (tanh)", "why"), "a.py:1: tanh: why")

    def test_what_pod_program_refuses_is_told_with_a_way_round(self):
        for name, why, said in (
                ("sort", "arg_sort(uint32 [B]): dimension 0 has the batch: its examples would be "
                 "compared with one another", "jax.random.permutation, .*leave them out, "
                                              ".*shuffle=True"),
                ("sort", "arg_sort([B]): dimension 0 has the batch: its examples would be compared "
                 "with one another", "jnp.sort.*: dimension 0 .*: sort along another axis"),
                ("slice", "a slice that ends has 20, 24, 30 with 19, 23, 29 examples, which podsim "
                 "cannot leave open", "take a part of the examples: .*fold_in"),
                ("slice", "dimension 0 is 9, 11, 14 with 19, 23, 29 examples: neither fixed nor a "
                 "multiple of the batch", "take a part of the examples: each core"),
                ("conv_general_dilated (convolution)", "dimension 2 is 21, 25, 31 with 19, 23, 29 "
                 "examples: neither fixed nor", r"a convolution: an axis has N\+2 elements"),
                ("constant", "its number is 18, 22, 28 with 19, 23, 29 examples: neither fixed nor",
                 "computes with N-1, which"),
                ("reduce_window_sum (reduce-window)", "a window or a running sum over the "
                                                      "examples, "
                 "so: take it along another axis; it has 18, 22, 28 with 19, 23, 29 examples, "
                 "which",
                 "^a.py:1: a window or a running sum over the examples, so: take it along another "
                 "axis$"),
                ("iota_2x32_shape (iota)", "its type is U64; podsim has F32", "take a third "
                 "argument"),
                ("own (convert)", "its type is C64; podsim has F32", "complex numbers .*float32"),
                ("lu (custom-call)", "podsim cannot call 'lapack_sgetrf_ffi'; compute it before",
                 "^a.py:1: a decomposition .*: podsim has no such operation: compute it before$"),
                ("fft", "podsim has no such operation: of examples compute it before",
                 "^a.py:1: jnp.fft: podsim has no such operation: of examples compute it before$"),
                ("pure_callback (custom-call)", "the cores of a pod have no Python; compute it "
                 "before", "^a.py:1: a call back into Python [^:]*: the cores of a pod have no")):
            self.assertRegex(self.said(name, why), said)
            self.assertNotRegex(self.said(name, why), "19|23, 29|arg_sort|iota|lapack")
        self.assertIn("an evaluation draws nothing",
                      self.said("iota_2x32_shape (iota)", "its type is U64; x", "evaluation"))

    def test_where_no_line_is_known_it_is_the_functions(self):
        text = ("cannot import f: training: constant: what is computed depends on the number of "
                "examples")
        self.assertRegex(_importing.in_python(text, "f.py:9: "), "^f.py:9: what is computed "
         "depends")
        self.assertEqual(_importing.in_python("a.py:1: no"), "a.py:1: no")

    def test_labels_in_a_column_are_named(self):
        batch = [np.zeros((4, 8), np.float32), np.zeros((4, 1), np.int32)]
        text = ("cannot import f: training: a.py:1: {}: the batch is in two of its dimensions: "
                "examples are compared with one another")
        with mock.patch.object(_importing._trees, "named_leaves",
                               return_value=(["0", "1"], batch, None)):
            self.assertRegex(_importing.in_python(text.format("sub (broadcast)"), "", batch),
                             r"^a.py:1: array 1 of the batch is int32\[N,1\] and is broadcast "
                             r"against "
                             r"\[N\], .* \(N,\): y\[:, 0\]$")
            batch.pop()
            self.assertIn("x[:, 0] makes the first of them [N]",
                          _importing.in_python(text.format("sub (broadcast)"), "", batch))
            batch.append(np.zeros((4, 1), np.int32))
            product = _importing.in_python(text.format("dot_general (dot)"), "", batch)
            self.assertIn("product", product)


if __name__ == "__main__":
    unittest.main()
