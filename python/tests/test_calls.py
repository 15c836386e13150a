"""Calls that do not fit a signature, and objects in the place of params."""

import pathlib
import sys
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import podsim  # noqa: E402
from podsim import _params, _takes  # noqa: E402

TRAIN = 'podsim.train(loss_fn, params, dataset, topology="v3-8", ...)'
PARAMS = "params are the weights, a tree of arrays"
BATCH = "batch is a few examples, such as (x[:8], y[:8])"
DATASET = "dataset has the examples, such as (x, y)"


def of(module, name, **more):
    """An object of a class of another library."""
    return type(name, (), {"__module__": module, **more})()


def loss_fn(params, batch):
    return 0.0


class CallsTest(unittest.TestCase):
    def check(self, call, said):
        with self.assertRaises(TypeError) as caught:
            call()
        self.assertEqual(str(caught.exception), said)

    def test_arguments_that_need_their_names(self):
        self.check(lambda: podsim.train(len, {}, (), "v3-8"), "podsim.train takes loss_fn, params, "
                   f"dataset by position; the 4th argument, 'v3-8', needs its name; say "
                   f"topology='v3-8': {TRAIN}")
        self.check(lambda: podsim.train(len, {}, (), podsim.sgd(0.1)), "podsim.train takes "
                   "loss_fn, params, dataset by position; the 4th argument, a podsim.Optimizer, needs its "
                   f"name; it is optimizer=: {TRAIN}")
        self.check(lambda: podsim.train(len, {}, np.zeros(2), np.zeros(2)), "podsim.train takes "
                   "loss_fn, params, dataset by position; the 4th argument, an array of the shape "
                   "(2,), needs its name; arrays of one data set are given together, as (x, y): "
                   + TRAIN)
        for value, said in ((10, "10, needs its name; say what it is, epochs=10 or "
                             "batch_per_core=10"),
                            (1e-3, "0.001, needs its name; of a learning rate say "
                             "optimizer=podsim.adamw(0.001)"),
                            (loss_fn, "the function loss_fn, needs its name; it is eval_fn="),
                            (podsim.adam, "the function adam, needs its name; it is optimizer=, "
                             "called: optimizer=podsim.adam(1e-3)"),
                            ((3, 4), "(3, 4), needs its name; held-out examples are eval_dataset=")):
            self.check(lambda value=value: podsim.train(len, {}, (1, 2), value), "podsim.train "
                       "takes loss_fn, params, dataset by position; the 4th argument, "
                       f"{said}: {TRAIN}")

    def test_a_path_in_the_place_of_the_batch(self):
        self.check(lambda: podsim.export(len, {}, "net.model"), "podsim.export is called without "
                   "batch: 'net.model' stands in its place; it is podsim.export(loss_fn, params, "
                   "batch, 'net.model'); " + BATCH)
        self.check(lambda: podsim.export(len, "net.model"), "podsim.export is called without "
                   "params and batch: 'net.model' stands in the place of params; it is "
                   f"podsim.export(loss_fn, params, batch, 'net.model'); {PARAMS}; {BATCH}")
        self.check(lambda: podsim.export(len, "net.model", (1, 2)), "podsim.export is called "
                   "without params: 'net.model' stands in its place; it is podsim.export(loss_fn, "
                   f"params, batch, 'net.model'); {PARAMS}")

    def test_arguments_in_each_others_place(self):
        order = "podsim.export(loss_fn, params, batch, path)"
        for path, said in (("net.model", "'net.model'"), (pathlib.Path("a"), "'a', a path,")):
            self.check(lambda path=path: podsim.export(len, {"w": 1}, path, (1, 2)),
                       f"podsim.export: {said} stands in the place of batch, and a tuple stands in "
                       f"the place of path; the order is {order}")
        self.check(lambda: podsim.export("m", len, {"w": 1}, (1, 2)), "podsim.export: the function "
                   "len stands in the place of params, and 'm' stands in the place of loss_fn; the "
                   f"order is {order}")
        self.check(lambda: podsim.export(len, params="m", batch={"w": 1}, path=(1, 2)),
                   "podsim.export: 'm' stands in the place of params, and a tuple stands in the "
                   f"place of path; the order is {order}")
        self.check(lambda: podsim.train({"w": 1}, (1, 2), len), "podsim.train: the function len "
                   "stands in the place of dataset, and a dict stands in the place of loss_fn; the "
                   f"order is {TRAIN}")
        self.check(lambda: podsim.plan({"w": 1}, len, (1, 2)), "podsim.plan: the function len "
                   "stands in the place of params, and a dict stands in the place of loss_fn; the "
                   'order is podsim.plan(loss_fn, params, dataset, topology="v3-8..v3-128", ...)')
        self.check(lambda: podsim.train(len, max, {"w": 1}, (1, 2)), "podsim.train: the function "
                   "max stands in the place of params; eval_fn= needs its name; the order is "
                   + TRAIN)
        model = type("Net", (), {"__module__": "flax.linen.module", "init": len,
                                 "__call__": len})()
        for first, said in ((dict, "the class dict"), (model, "a flax.linen.Net")):
            self.check(lambda first=first: podsim.train(first, loss_fn, {"w": 1}, (1, 2)),
                       "podsim.train: the function loss_fn stands in the place of params, and "
                       f"{said} stands in the place of loss_fn; the order is {TRAIN}")
        self.check(lambda: podsim.train(len, podsim.sgd(0.1), {"w": 1}), "podsim.train: a "
                   "podsim.Optimizer stands in the place of params; an optimizer belongs into "
                   f"optimizer=; the order is {TRAIN}")
        self.check(lambda: podsim.export(len, {"w": 1}, podsim.sgd(0.1), "m"), "podsim.export: a "
                   "podsim.Optimizer stands in the place of batch; an optimizer belongs into "
                   f"optimizer= of podsim.train; the order is {order}")
        self.check(lambda: podsim.train({"w": 1}, (1, 2), topology="v3-8"), "podsim.train is "
                   "called without a loss function: the first argument is a dict; it is " + TRAIN)

    def test_arguments_that_are_not_there(self):
        self.check(lambda: podsim.train(), "podsim.train is called without loss_fn, params and "
                   f"dataset; it is {TRAIN}; {PARAMS}; {DATASET}")
        self.check(lambda: podsim.train(len, {}, data=()), "podsim.train is called without "
                   f"dataset; 'data' is not its name; it is {TRAIN}; {DATASET}")
        self.check(lambda: podsim.export(len, path="m"), "podsim.export is called without params "
                   f"and batch; it is podsim.export(loss_fn, params, batch, path); {PARAMS}; {BATCH}")
        self.check(lambda: podsim.export(len, {"w": 1}, (1, 2)), "podsim.export is called without "
                   "path; it is podsim.export(loss_fn, params, batch, path)")

    def test_arguments_that_are_there_twice_or_unknown(self):
        self.check(lambda: podsim.train(len, {}, (), dataset=[1]), "podsim.train: dataset is given "
                   "twice, by position (()) and by name ([1]); leave one out")
        self.check(lambda: podsim.export(len, {}, (), "m", nam="x"), "podsim.export has no argument "
                   "'nam'; did you mean name?; it has loss_fn, params, batch, path, eval_fn, state, "
                   "name")
        self.check(lambda: podsim.export(len, {}, (), "m", topology="v3-8"), "podsim.export has no "
                   "argument 'topology'; it has loss_fn, params, batch, path, eval_fn, state, name: "
                   "leave it out, podsim.train and podsim.plan take it")
        self.check(lambda: podsim.plan("resnet50"), "podsim.plan is called without a loss function: "
                   "the first argument is 'resnet50'; it is podsim.plan(loss_fn, params, dataset, "
                   'topology="v3-8..v3-128", ...)')

    def test_errors_of_the_function_itself_are_not_changed(self):
        with self.assertRaisesRegex(TypeError, "^progress is 'yes'; it must be True or False$"):
            podsim.train(len, {}, (), progress="yes")


class TakesTest(unittest.TestCase):
    def test_a_module_of_flax_is_no_loss(self):
        linen = type("Module", (), {"__module__": "flax.linen.module", "__call__": len})
        net = type("Net", (linen,), {"__module__": "__main__"})
        for what, made in (("the loss function", "jnp.mean((model.apply(params, batch[0]) - "
                            "batch[1]) ** 2)"),
                           ("eval_fn", '{"accuracy": model.apply(params, batch[0]).argmax(-1) == '
                            'batch[1]}')):
            for given, said in ((net(), "a Net, a module of flax"), (net, "the class Net")):
                with self.assertRaises(TypeError) as caught:
                    _takes.check(what, given, "")
                self.assertEqual(str(caught.exception), f"{what} is {said}: give a function of its "
                                 f"outputs, such as lambda params, batch: {made}; of the "
                                 '"params" alone that init gave, apply({"params": params}, ...)')


class ParamsTest(unittest.TestCase):
    def test_objects_that_hold_weights_say_where(self):
        linen = type("Module", (), {"__module__": "flax.linen.module"})
        dense = type("Dense", (linen,), {"__module__": "flax.linen.linear"})()
        for params, said in (
                (of("podsim", "Run"), "a podsim.Run; give its weights: run.params"),
                (dense, 'Dense, a flax module; give its variables: model.init(key, x) for a loss '
                 'with model.apply(params, x), model.init(key, x)["params"] for one with '
                 'model.apply({"params": params}, x)'),
                (type(dense), 'the class flax.linen.Dense; make a module of it, model = Dense(...), and give '
                 'its variables: model.init(key, x) for a loss with model.apply(params, x), '
                 'model.init(key, x)["params"] for one with model.apply({"params": params}, x)'),
                (of("flax.training.train_state", "TrainState", params=1, opt_state=1),
                 "a flax.TrainState; give its weights: state.params"),
                (podsim.sgd(0.1), "a podsim.Optimizer; an optimizer belongs into optimizer="),
                ("run/4", "'run/4'; give a tree of arrays; restore='run/4' begins with a "
                 "checkpoint's weights instead"),
                (pathlib.Path("run/4"), "'run/4', a path; give a tree of arrays; restore='run/4' "
                 "begins with a checkpoint's weights instead"),
                (dict, "the class dict; give a tree of arrays, such as a dict"),
                (iter([1]), "a list_iterator; give a tree of arrays: list(...) makes one of it"),
                (len, "the function len; the order is podsim.train(loss_fn, params, dataset)"),
                (None, "None; give the weights, a tree of float32 arrays such as model.init(key, "
                 "x)"),
                (({"w": 1}, (of("optax._src.base", "EmptyState"),)), "(a dict, (an "
                 "optax.EmptyState)); an optimizer's state, which podsim makes itself, stands there: "
                 "give the weights alone")):
            with self.assertRaises(TypeError) as caught:
                _params.check_is_tree(params, _params.order_of("train"))
            self.assertEqual(str(caught.exception), f"params is {said}")
        with self.assertRaisesRegex(TypeError, "^params is 'run/4'; give a tree of arrays$"):
            _params.check_is_tree("run/4", "podsim.export(loss_fn, params, batch, path)")
        for params in ({}, [], (), np.zeros(3), 0.5, of("flax.nnx.module", "Module")):
            _params.check_is_tree(params, _params.order_of("train"))

    def test_leaves_that_are_not_trained(self):
        for leaf, said in (
                ("x", "'x', a text; what is trained is float32: give an array of numbers, or "
                 "leave it out of params"),
                (np.array(["x"]), "an array of texts (<U1); what is trained is float32: give an "
                 "array of numbers, or leave it out of params"),
                (np.array([1.0], object), "an array of objects; what is trained is float32: say "
                 ".astype(np.float32)"),
                (of("scipy.sparse", "csr_matrix", shape=(2, 3)), "a scipy.sparse.csr_matrix; what "
                 "is trained is float32: give a dense array: x.toarray()"),
                (3, "3, an int; what is trained is float32: leave it out of params (the loss "
                 "function may hold it itself) if it is a count or a size, which is not trained; "
                 "write 3.0 if it is"),
                (np.zeros(3, np.int32), "int32; what is trained is float32: say "
                 ".astype(np.float32), or leave it out of params (the loss function may hold it "
                 "itself)"),
                (np.zeros(2, np.uint32), "a random key; what is trained is float32: leave it out "
                 "of params; podsim makes keys, take one as the loss function's last argument"),
                (np.zeros(2, "c8"), "complex64; what is trained is float32: give x.real and x.imag "
                 "as two arrays")):
            with self.assertRaises(TypeError) as caught:
                _params.check_leaf("w", leaf)
            self.assertEqual(str(caught.exception), f"the parameter 'w' is {said}")

    def test_params_that_are_one_leaf_are_told_what_to_give(self):
        weights = "give the weights, a tree of float32 arrays such as model.init(key, x)"
        for leaf, said in ((np.zeros(2, np.uint32), f"a random key; what is trained is float32: "
                            f"{weights}"), (3, "3, an int; what is trained is float32: write 3.0"),
                           (True, f"True; what is trained is float32: {weights}")):
            with self.assertRaises(TypeError) as caught:
                _params.check_leaf("params", leaf, whole=True)
            self.assertEqual(str(caught.exception), f"params is {said}")


if __name__ == "__main__":
    unittest.main()
