"""What functions of libraries are given by the caller's, with stand-ins for the libraries."""

import pathlib
import sys
import types
import unittest
from unittest import mock

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from podsim import (_asking, _decompositions, _fits, _flax, _frames, _given,  # noqa: E402
                    _importing, _near_names, _refused_calls, _tracebacks, _typed, _words)

X, Y = np.zeros((7, 4), np.float32), np.zeros(7, np.int32)


def library(name, text):
    """A module whose code is that of an installed package."""
    module = types.ModuleType(name)
    exec(compile(text, f"/x/site-packages/{name}.py", "exec"), module.__dict__)  # noqa: S102
    return module


lib = library("lib", '''
def fails(why):
    raise ValueError(why)

def softmax_cross_entropy(logits: "Array", labels: "Array", axis=-1):
    fails("Incompatible shapes for broadcasting: shapes=[(7,), (7, 4)]")

def softmax_cross_entropy_with_integer_labels(logits: "Array", labels: "Array"):
    fails("a dtype that is a subdtype of numpy.integer, got float32")

def mean(a: "ArrayLike", axis: "None | int" = None):
    raise IndexError("tuple index out of range")

def wrapped(*args, **kwargs):
    fails("they do not fit")

def concatenate(arrays: "Array | Sequence[ArrayLike]", axis=0):
    raise TypeError("Only integer scalar arrays can be converted to a scalar index.")

def hstack(tup):
    fails("shapes that differ in dimensions other than the one being concatenated")

def conv(lhs, rhs, window_strides, padding):
    fails("conv_general_dilated lhs feature dimension size divided by feature_group_count must "
          "equal the rhs input feature dimension size, but 8 // 1 != 3.")

def conv_general_dilated(lhs, rhs, window_strides, padding, dimension_numbers=None):
    conv(lhs, rhs, window_strides, padding)

def scan(f, init):
    return f(init, 1)
''')
lib.wrapped.__signature__ = __import__("inspect").signature(lambda x, y=0: 0)


def failure(function):
    try:
        function()
    except Exception as error:
        return error
    return None


def at_of(error):
    return [each for each in _tracebacks.entries(error) if _tracebacks.is_callers(each)][-1]


def no_array(function):
    error = failure(function)
    return _fits.no_array(error, at_of(error))


def general(function):
    error = failure(function)
    return _fits.general(_given.call(error, at_of(error)), error)


def refused(function):
    error = failure(function)
    return _refused_calls.text(error, at_of(error))


class GivenTest(unittest.TestCase):
    def test_what_is_no_array_is_named(self):
        for value, said in (
                ((X, {"mean": Y}), "a tuple (float32[7,4], a dict) for logits: apply with mutable= "
                 "returns (output, new_state): write logits, new = m.apply(...)"),
                (None, "None for logits: the function that returns it has no return"),
                ("x", "'x' for logits: give an array"),
                ([X], "a list (float32[7,4]) for logits: make an array of it"),
                ({"a": X}, "a dict for logits: give one of its arrays"),
                (at_of, "the function at_of for logits: call it"),
                (types.SimpleNamespace(apply=0), "a SimpleNamespace for logits: give what it "
                 "computes: m.apply")):
            self.assertIn(f"lib.softmax_cross_entropy is given {said}",
                          no_array(lambda value=value: lib.softmax_cross_entropy(value, Y)))
        self.assertEqual(no_array(lambda: lib.softmax_cross_entropy(X, Y)), "")
        for axis in ("i", 1.0):
            self.assertIn(f"the axis {axis!r}: axes are whole",
                          no_array(lambda axis=axis: lib.mean(X, axis=axis)))

    def test_labels_of_the_other_kind(self):
        self.assertEqual(general(lambda: lib.softmax_cross_entropy(X, Y)),
                         "lib.softmax_cross_entropy is given logits: float32[7,4], labels: "
                         "int32[7]: use lib.softmax_cross_entropy_with_integer_labels, or "
                         "jax.nn.one_hot(labels, 4)")
        integer = lib.softmax_cross_entropy_with_integer_labels
        for arguments, said in (((X, X), "use optax.softmax_cross_entropy, or labels.argmax(-1)"),
                                ((Y, X), "the logits come first"),
                                ((X[:, None], Y), "one axis more than labels"),
                                ((X, X[:, 0]), "labels.astype(jnp.int32)")):
            made = _given.Call("f", integer, dict(zip(("logits", "labels"), arguments)))
            self.assertIn(said, _fits._of_losses(made))

    def test_an_axis_that_is_not_there(self):
        self.assertEqual(general(lambda: lib.mean(Y, axis=1)), "lib.mean is given a: int32[7], "
                         "axis: 1: int32[7] has the axis 0 alone")
        self.assertIn("float32[7,4] has the axes 0 and 1", general(lambda: lib.mean(X, 5)))
        self.assertIn("has no axes", general(lambda: lib.mean(np.float32(0), 0)))

    def test_what_wrappers_are_given(self):
        self.assertEqual(general(lambda: lib.wrapped(X, y=3)), "lib.wrapped is given x: "
                         "float32[7,4], y: 3: they do not fit: give it what it takes, (x, y=0)")
        self.assertIn("give the arrays in one list, lib.concatenate([a, b], axis=...)",
                      general(lambda: lib.concatenate(X, Y)))

    def test_a_function_without_an_axis_is_told_of_none(self):
        self.assertTrue(general(lambda: lib.hstack([X, Y])).endswith(
            "equal along all axes but the one that is concatenated"))

    def test_a_convolution_is_told_how_it_reads_its_axes(self):
        def of(lhs, rhs):
            x, w = (np.zeros(shape, np.float32) for shape in (lhs, rhs))
            return general(lambda: lib.conv(x, w, (1, 1), "SAME"))

        def general_of(lhs, rhs, **more):
            x, w = (np.zeros(shape, np.float32) for shape in (lhs, rhs))
            return general(lambda: lib.conv_general_dilated(x, w, (1, 1), "SAME", **more))

        write = "; write lib.conv_general_dilated(..., dimension_numbers="
        for call, name in ((of, "conv"), (general_of, "conv_general_dilated")):
            self.assertEqual(call((7, 8, 8, 1), (3, 3, 1, 4)), f"lib.{name} reads "
                             f"float32[7,8,8,1] as NCHW and float32[3,3,1,4] as OIHW{write}"
                             '("NHWC", "HWIO", "NHWC"))')
        for lhs, rhs, way in (((7, 8, 8, 1), (4, 1, 3, 3), '("NHWC", "OIHW", "NHWC"))'),
                              ((7, 6, 8, 5), (3, 3, 6, 4), '("NCHW", "HWIO", "NCHW"))'),
                              ((7, 8, 2), (3, 2, 4), '("NHC", "HIO", "NHC"))'),
                              ((7, 8, 8, 8, 2), (3, 3, 3, 2, 4), '("NDHWC", "DHWIO", "NDHWC"))')):
            self.assertTrue(of(lhs, rhs).endswith(write + way), of(lhs, rhs))
        self.assertTrue(of((7, 3, 8, 8), (4, 2, 5, 5)).endswith(
            "as OIHW, 3 channels of input for a kernel that takes 2: give them the same number"))
        self.assertIn("mend the shape of one, or say in dimension_numbers=", general_of(
            (7, 8, 8, 1), (3, 3, 2, 4),
            dimension_numbers=("NHWC", "HWIO", "NHWC")))

    def test_a_layer_that_was_made_for_another_width(self):
        layer = _given.Call("Conv", at_of, {"inputs": X})
        text = ('ScopeParamShapeError: For parameter "kernel" in "/", the given initializer is '
                "expected to generate shape (3, 4, 2), but the existing parameter it received has "
                "shape (3, 1, 2).")
        self.assertEqual(_flax.in_one_line(text, layer), "the kernel of Conv is (3, 1, 2), made "
                         "for inputs [..., 1]; it is given float32[7,4]: give what init had, such "
                         "as x[..., None]")
        self.assertIn("has the shape (3, 1, 2), but its input", _flax.in_one_line(text))
        self.assertIn("the kernel of Dense_1 is", _flax.in_one_line(text.replace(
            '"/"', '"/Dense_1"').replace("(3, 1, 2)", "(3, 6, 2)"), layer))


class RefusedTest(unittest.TestCase):
    def test_an_argument_that_it_does_not_take(self):
        self.assertEqual(refused(lambda: lib.mean(X, dim=1)), "lib.mean takes no argument 'dim'; "
                         "it takes (a, axis=None): did you mean axis=?")

        class Net:
            def __call__(self, x):
                return x

        net = Net()
        self.assertRegex(refused(lambda: net(X, train=True)), "net takes no argument 'train'"
                         r"; it takes \(x\): leave train= out, or add it to the module's __call__")

    def test_too_few_and_too_many(self):
        self.assertEqual(refused(lambda: lib.softmax_cross_entropy(X)), "lib.softmax_cross_entropy "
                         "is not given 'labels'; it takes (logits, labels, axis=-1): give it")
        self.assertIn("lib.mean takes (a, axis=None), but is given 3 arguments by their places",
                      refused(lambda: lib.mean(X, 0, 1)))
        self.assertIn("is given 'a' twice", refused(lambda: lib.mean(X, a=X)))
        self.assertEqual(refused(lambda: lib.scan(lambda c: c, 0)), "lib.scan calls the function "
                         "that it is given as f(carry, x), but the lambda takes (c): give it the "
                         "same parameters")

    def test_a_method_has_the_name_that_is_typed(self):
        class Array:
            def sum(self, *args, **kwargs):
                def _sum(axis=None):
                    return axis

                return _sum(*args, **kwargs)

        Array.sum.__code__ = Array.sum.__code__.replace(co_filename="/x/site-packages/lib.py")
        array = Array()
        self.assertIn("did you mean axis=?", refused(lambda: array.sum(axes=1)))

    def test_other_failures_are_no_refusals(self):
        self.assertEqual(refused(lambda: lib.concatenate(X, Y)), "")
        self.assertEqual(refused(lambda: lib.mean(X)), "")


class TypedTest(unittest.TestCase):
    @staticmethod
    def said(function, *arguments):
        error = failure(lambda: function(*arguments))
        asked = _asking.Asked("it", function, ("params", "batch"), arguments)
        return _typed.text(error, at_of(error), asked)

    def test_keys_and_attributes(self):
        params = {"net": {"kernel": X}, "w": Y}
        self.assertEqual(self.said(lambda p, b: p["net"]["kernal"], params, X), "it fails: "
                         "KeyError: 'kernal': params['net'] has 'kernel': did you mean 'kernel'?")
        self.assertIn("params has 'net', 'w': did you mean 'w'?",
                      self.said(lambda p, b: p["W"], params, X))
        self.assertIn("KeyError: 'zzz': params has 'net', 'w'; params['net'] has 'kernel': take "
                      "one of these", self.said(lambda p, b: p["zzz"], params, X))
        # Nobody knows which of the two was asked.
        self.assertIn("KeyError: 'image': params has 'net', 'w'; batch has 'x', 'y'; "
                      "params['net'] has 'kernel': take one of these",
                      self.said(lambda p, b: b["image"], params, {"x": X, "y": Y}))
        self.assertIn('leave ["params"] out', self.said(lambda p, b: p["params"], params, X))
        self.assertEqual(self.said(lambda p, b: p.w, params, X),
                         "a dict has no w; it has the keys 'net', 'w': write ['w']")
        self.assertEqual(self.said(lambda p, b: b.mean(), params, (X, {})),
                         "a tuple (float32[7,4], a dict) has no mean: apply with mutable= returns "
                         "(output, new_state): write y, new = m.apply(...)")

    def test_operators(self):
        self.assertIn("None + a number is not possible: params['b'] is None",
                      self.said(lambda p, b: p["b"] + 1, {"b": None}, X))
        self.assertIn("a number + a text is not possible: a dict that is looped over gives its "
                      "keys", self.said(lambda p, b: sum(p), {"b": 1}, X))
        self.assertIn("for name, value in x.items()", self.said(
            lambda p, b: [v for k, v in p], {"b": 1}, X))
        self.assertIn("a dict is called", self.said(lambda p, b: p(), {"b": 1}, X))

    def test_places_in_the_batch(self):
        said = ("b, the batch, is a tuple (float32[7,4], int32[7]), and b[{}] is not in it: write "
                "b[0] to b[1]")
        self.assertIn(said.format(2), self.said(lambda p, b: b[2], {}, (X, Y)))
        self.assertIn(said.format("'x'") + ", or give the data set as a dict that has 'x'",
                      self.said(lambda p, b: b["x"], {}, (X, Y)))
        self.assertIn("x.shape[i] asks for", self.said(lambda p, b: b[1].shape[1], {}, (X, Y)))

    def test_names(self):
        self.assertIn("did you mean ", self.said(lambda p, b: failur(b), {}, X))  # noqa: F821
        self.assertIn("write import jax.numpy as jnp before",
                      self.said(lambda p, b: jnp.mean(b), {}, X))  # noqa: F821


class NearTest(unittest.TestCase):
    def test_names_of_other_modules(self):
        nn = library("jax.nn", "def softmax(x): pass")
        numpy = library("jax.numpy", "def fmax(x): pass\ndef max(x): pass\ndef sqrt(x): pass")
        with mock.patch.dict(sys.modules, {"jax.nn": nn, "jax.numpy": numpy}):
            for name in ("softmax", "sofmax"):
                said = _near_names.of_module(name, numpy)
                self.assertEqual(said, ": did you mean jax.nn.softmax?")
            self.assertIn("flax.linen.Dense", _near_names.of_module("Linear", numpy))
            self.assertEqual(_near_names.of_array("sqrt", np.ndarray), ": write jnp.sqrt(x)")
        self.assertIn("podsim places arrays", _near_names.of_array("cuda", np.ndarray))
        self.assertIn("mean", _near_names.of_array("men", np.ndarray))


class DecompositionsTest(unittest.TestCase):
    def test_the_function_is_named_and_what_to_do(self):
        text = ("cannot import f: training: a.py:3: lu (custom-call): podsim cannot call "
                "'lapack'; compute it before, as an array of the data set")
        key = "a.py:3: " + _words.operation("lu")
        note = _decompositions.Note("jnp.linalg.slogdet", True, "lu")
        self.assertEqual(_importing.in_python(text, notes={key: note}),
                         "a.py:3: jnp.linalg.slogdet here takes an LU decomposition (lu), which "
                         "podsim has not: it follows from params: leave the term out, or write it "
                         "with products of matrices")
        note = _decompositions.Note("jnp.linalg.inv", False, "lu")
        self.assertEqual(_importing.in_python(text, notes={key: note}),
                         "a.py:3: jnp.linalg.inv here takes an LU decomposition (lu), which "
                         "podsim has not: compute it before, as an array of the data set")
        self.assertIn("a decomposition (jnp.linalg.inv, det, solve): podsim",
                      _importing.in_python(text))

    def test_a_function_that_has_one_for_some_arguments_is_told_the_others(self):
        text = ("cannot import f: training: a.py:3: svd (custom-call): podsim cannot call "
                "'lapack'; compute it before, as an array of the data set")
        key = "a.py:3: " + _words.operation("svd")
        for follows, way in (
                (True, "it follows from params: use the Frobenius norm, jnp.linalg.norm(w), leave "
                       "the term out, or write it with products of matrices"),
                (False, "use the Frobenius norm, jnp.linalg.norm(w), or compute it before, as an "
                        "array of the data set")):
            note = _decompositions.Note("jnp.linalg.norm", follows, "svd")
            self.assertEqual(_importing.in_python(text, notes={key: note}),
                             "a.py:3: jnp.linalg.norm here takes a singular value decomposition "
                             f"(svd), which podsim has not: {way}")
        note = _decompositions.Note("jnp.linalg.svd", False, "svd")
        self.assertIn("a.py:3: jnp.linalg.svd is a singular value decomposition, which podsim "
                      "has not: compute it before", _importing.in_python(text, notes={key: note}))

    def test_a_loop_that_the_caller_did_not_write_is_that_of_what_he_called(self):
        text = ("cannot import f: training: a.py:3: while: how often the loop runs depends on "
                "data")
        note = _decompositions.Note("jax.scipy.special.gammainc", True, "igamma")
        said = _importing.in_python(text, notes={"a.py:3: " + _words.operation("while"): note})
        self.assertTrue(said.startswith("a.py:3: jax.scipy.special.gammainc here takes a loop ("),
                        said)
        self.assertIn("how often the loop runs", said)

    def test_functions_are_named_by_their_modules(self):
        for file, module in (("/a/jax/_src/numpy/linalg.py", "jnp.linalg"),
                             ("C:\\jax\\_src\\scipy\\linalg.py", "jax.scipy.linalg"),
                             ("/a/jax/_src/scipy/stats/multivariate_normal.py",
                              "jax.scipy.stats.multivariate_normal"),
                             ("/a/jax/_src/api.py", "")):
            self.assertEqual(_decompositions._module(file), module)


class TracebacksTest(unittest.TestCase):
    def test_jax_leaves_its_frames_within_the_context_alone(self):
        class Config:
            jax_traceback_filtering = "auto"

            def update(self, name, value):
                setattr(self, name, value)

        jax = types.SimpleNamespace(config=Config())
        with mock.patch.dict(sys.modules, {"jax": jax}):
            with _tracebacks.whole():
                self.assertEqual(jax.config.jax_traceback_filtering, "off")
            self.assertEqual(jax.config.jax_traceback_filtering, "auto")

    def test_the_callers_frames_are_kept(self):
        error = failure(lambda: lib.mean(X))
        before = len(_tracebacks.entries(error))
        self.assertEqual(len(_tracebacks.inside(error)), 1)
        _tracebacks.shorten(error)
        self.assertEqual(len(_tracebacks.entries(error)), before - 1)
        self.assertEqual(_frames.target(at_of(error)), ("lib.mean", lib.mean))


if __name__ == "__main__":
    unittest.main()
