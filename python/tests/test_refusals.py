"""What a call refuses before it begins, and what one that failed says."""

import contextlib
import datetime
import inspect
import os
import pathlib
import re
import sys
import tempfile
import types
import unittest
import warnings
from unittest import mock

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import podsim  # noqa: E402
from podsim import (_api, _batches, _checks, _data, _errors, _functions, _importing,  # noqa: E402
                    _inputs, _jaxprs, _job, _kinds, _ladder, _names, _npy, _objects, _process, _programs, _result, _safetensors,
                    _state, _sums, _tracing, _trees, _values)

GOLDEN = ROOT / "tests" / "golden" / "imports"

class NamesTest(unittest.TestCase):
    def test_names_that_are_no_files_are_refused(self):
        _checks.check_file_names(["0", "a/b c", "é", "x" * 251])
        for name in ("/images", "a/../b", "..", "", "a//b", "a/", "a\0b", "a\nb", ".h",
                     "x" * 252, "\ud800"):
            with self.assertRaisesRegex(podsim.PodsimError, "give it another key"):
                _checks.check_file_names(["0", name])

    def test_nothing_is_written_outside_of_the_folder(self):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place, "data")
            outside = str(pathlib.Path(place, "mine"))
            named = [outside], [np.zeros((2, 3))], None
            with mock.patch.object(_trees, "named_leaves", return_value=named):
                for source in (_batches.Arrays({}), _batches.Batches([{}], None)):
                    with self.assertRaisesRegex(podsim.PodsimError, "mine"):
                        source.example()
                    with self.assertRaisesRegex(podsim.PodsimError, "mine"):
                        source.write(folder)
            self.assertEqual(list(pathlib.Path(place).iterdir()), [])

    def test_arrays_are_named_that_are_not_of_numbers(self):
        _objects.check_arrays("abc", [np.zeros(1, bool), np.zeros(1, np.uint8), [1.0]])
        for array in (np.array(["x"]), np.array([None]), np.zeros(1, "M8[s]"), np.ones(1, "c8")):
            with self.assertRaisesRegex(TypeError, "the array 'b' of the data set is"):
                _objects.check_arrays(["a", "b"], [np.zeros(1), array])

    def test_parameters_are_named_that_are_not_float32(self):
        _checks.check_params(["a", "b"], [np.zeros(1, np.float32), 1.0])
        with self.assertRaisesRegex(TypeError, "params has no array"):
            _checks.check_params([], [])
        with self.assertRaisesRegex(TypeError, r"'b' of .* float16; .* say .astype"):
            _objects.check_arrays("b", [np.zeros(1, np.float16)])
        for leaf in (3, np.zeros(2, np.int32), np.zeros(2, np.float16), "x"):
            with self.assertRaisesRegex(TypeError, "the parameter 'n/k' is"):
                _checks.check_params(["a", "n/k"], [np.zeros(1), leaf])

    def test_metrics_have_names(self):
        with self.assertRaisesRegex(TypeError, "the key 1 is no str"):
            _functions.checked_metrics({1: 0.0}, "metrics", 19)
        with self.assertRaisesRegex(TypeError, r"not \[1\]"):
            _functions.checked_metrics([1], "metrics", 19)
        with self.assertRaisesRegex(TypeError, r"not an array of the shape \(2,\)"):
            _functions.checked_metrics(np.zeros(2), "metrics", 19)

    def test_a_metric_is_one_number_or_one_for_each_example(self):
        with mock.patch.dict(sys.modules, {"jax": types.SimpleNamespace(numpy=np),
                                           "jax.numpy": np}):
            for value, shape in ((np.zeros(10), r"\(10,\)"), ([0.5], r"\(1,\)"),
                                 (np.zeros(23), r"\(23,\)"), (np.zeros((19, 10)), r"\(19, 10\)")):
                with self.assertRaisesRegex(TypeError, "^metrics must be a dict of names and "
                                            "numbers, one or one for each example; 'a' has the "
                                            "shape "
                                            f"{shape}: take jnp.mean of it, or leave it out$"):
                    _functions.checked_metrics({"a": value}, "metrics", 19)
            made = _functions.checked_metrics({"a": 0.5, "b": np.zeros(19)}, "metrics", 19)
        self.assertEqual([made["a"].shape, made["b"].shape], [(), (19,)])


class MeantTest(unittest.TestCase):
    """What somebody meant is named."""

    def test_names_of_other_libraries_are_known(self):
        for name, said in (("lr", "learning_rate="), ("batch_size", "train_batch_size="),
                           ("bs", "batch_per_core="), ("num_epochs", "epochs="),
                           ("n_epochs", "epochs="), ("devices", "topology="),
                           ("optimiser", "optimizer="), ("steps", "train_steps="),
                           ("wd", "weight_decay="), ("LR", "learning_rate="),
                           ("warmup_epochs", "warmup_steps="), ("val_data", "eval_dataset=")):
            with self.assertRaisesRegex(TypeError, f"no setting '{name}': say .*{said}"):
                podsim.train(None, None, None, **{name: 1})
            with self.assertRaisesRegex(TypeError, f"no setting '{name}': say .*{said}"):
                podsim.plan(None, None, None, **{name: 1})

    def test_what_was_given_is_said_with_the_name(self):
        for name, value, said in (
                ("batch_size", 32, "train_batch_size=32, of the whole pod, or batch_per_core=32"),
                ("num_epochs", 3, "epochs=3"), ("lr", 0.1, r"podsim.adamw\(1e-3\), or "
                                                "learning_rate=0.1"),
                ("output_dir", "runs", "model_dir='runs'"), ("resume", True, "model_dir= .the same"),
                ("warmup_ratio", 0.1, "warmup_steps=N, a number"),
                ("schedule", "linear", 'lr_schedule="cosine", or a')):
            with self.assertRaisesRegex(TypeError, f"no setting '{name}': say .*{said}"):
                podsim.train(None, None, None, **{name: value})

    def test_what_podsim_has_not_is_said(self):
        for name, said in (("mesh", "data-parallel"), ("num_partitions", "data-parallel"),
                           ("callbacks", "run.metrics"),
                           ("grad_accum", "train_batch_size="), ("num_workers", "leave it out")):
            with self.assertRaisesRegex(TypeError, f"no setting '{name}': .*{said}"):
                podsim.train(None, None, None, **{name: 1})

    def test_names_of_the_package_that_were_meant(self):
        for name, said in (("load", "run.params"), ("cosine_decay_schedule", "lr_schedule="),
                           ("adamww", "did you mean adamw"), ("save", r"model_dir=DIR\) keeps"),
                           ("RMSprop", r"it has sgd, .*: say podsim.adamw\(1e-3\); of optax the"),
                           ("fit", r"podsim.train\(loss_fn, params, dataset")):
            with self.assertRaisesRegex(AttributeError, f"podsim has no '{name}'.*{said}"):
                getattr(podsim, name)
        with self.assertRaisesRegex(TypeError, 'say features="features=.*labels=label:int64", which '
                                    "names the columns of a CSV file$"):
            podsim.train(len, {}, (), label_column="species")
        with self.assertRaisesRegex(TypeError, r"no setting 'labels': say .*\(x, y\)"):
            podsim.train(None, None, None, labels=1)
        with self.assertRaisesRegex(TypeError, r"podsim.plan\(..., price_per_chip_hour=7.5\)$"):
            podsim.plan(None, None, None, price=7.5)
        with self.assertRaisesRegex(TypeError, "no setting 'num_hosts': the topology says"):
            podsim.train(None, None, None, num_hosts=4)

    def test_what_is_named_instead_is_there(self):
        parameters = inspect.signature(podsim.train).parameters
        self.assertFalse(set(_names._MEANT) & set(_names._NOT_HERE))
        for said in {*_names._MEANT.values(), *_names._NOT_HERE.values()}:
            for name in re.findall(r"(?<![\w(])(?<!, )(\w+)=", said):
                self.assertTrue(name in parameters or name in _job.SETTINGS, name)
        self.assertFalse({*_names._MEANT, *_names._NOT_HERE} & {*parameters, *_job.SETTINGS})

    def test_names_that_are_near_are_offered(self):
        for name, said in (("batch_per_cor", "did you mean batch_per_core"),
                           ("eval_fnn", "did you mean eval_fn"),
                           ("qq", "leave it out; `pod_launch --help=all`")):
            with self.assertRaisesRegex(TypeError, f"no setting '{name}'.*{said}"):
                podsim.train(None, None, None, **{name: 1})

    def test_data_sets_that_the_programs_know(self):
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder, "model")
            _programs.run("pod_program", ["import", GOLDEN / "mlp.import", f"--output={model}"])
            with self.assertRaises(podsim.PodsimError) as caught:
                _programs.run("pod_launch", [
                    "--dry_run", f"--model_file={model}", "--dataset=nothing",
                    "--batch_per_core=1", "--train_steps=1", "--learning_rate=1"])
        self.assertIn(", ".join(_inputs.DATASETS), str(caught.exception))
        for name, said in (("mnistt", "'mnistt'; did you mean mnist"), ("q", "'q'; known")):
            with self.assertRaisesRegex(TypeError, f"no data set is called {said}"):
                podsim.plan(None, None, name)

    def test_arguments_of_optimizers_are_named(self):
        for call, name, said in (
                (podsim.adam, "beta1", "say b1"), (podsim.adam, "qq", "it has learning_rate, b1"),
                (podsim.sgd, "weight_decay", "say weight_decay= beside optimizer="),
                (podsim.adam, "weight_decay", r"write podsim.adamw\(0.1, weight_decay=1\)$"),
                (podsim.adam, "momentum", r"write podsim.sgd\(0.1, momentum=1\)$"),
                (podsim.adamw, "trust_coefficient",
                 r"write podsim.lars\(0.1, trust_coefficient=1\)$"),
                (podsim.sgd, "lr_schedule", "say lr_schedule= beside optimizer="),
                (podsim.adamw, "lr", "say learning_rate; it has"),
                (podsim.adamw, "mask", "say weight_decay_exclude")):
            with self.assertRaisesRegex(TypeError, f"^podsim.{call.__name__} has no argument "
                                        f"'{name}'.*{said}"):
                call(0.1, **{name: 1})
        with self.assertRaisesRegex(TypeError, "podsim.adamw has no argument 'lr'; say learning"):
            podsim.adamw(lr=1e-3)

    def test_a_rate_is_a_number(self):
        for rate, said in ((None, "podsim.sgd has no learning_rate: give it first"),
                           ("1e-3", "learning_rate is '1e-3', a str; give a number"),
                           ([0.1], "a list; give a number"),
                           (lambda step: 0.1, r"is a lambda, and .*optax.sgd\(schedule")):
            with self.assertRaisesRegex(TypeError, said):
                podsim.sgd(rate)
        for rate in (1, np.float32(0.1), np.array(0.1)):
            self.assertEqual(podsim.sgd(rate).settings["learning_rate"], rate)

    def test_a_schedule_is_no_optimizer(self):
        with self.assertRaisesRegex(TypeError, "optimizer is a lambda; give what"):
            podsim.train(None, None, None, optimizer=lambda step: 0.1)

    def test_what_is_no_optimizer_is_told_what_is_one(self):
        adam = type("ScaleByAdamState", (tuple,), {"__module__": "optax._src.transform"})()
        for value, said in (("SGD", r"'SGD'; .*podsim.sgd\(1e-3\)"), (0.1, r"0.1; .*adamw\(0.1\)"),
                            ({}, r"a dict; it must be one of podsim \(adamw, adam, lamb, lars, sgd\) or "
                             r"the same of optax: say optimizer=podsim.adamw\(1e-3\)"),
                            ("adma", r"say optimizer=podsim.adam\(1e-3\)"),
                            ("sdg", r"say optimizer=podsim.sgd\(1e-3\)"),
                            ("nesterov", r"say optimizer=podsim.sgd\(1e-3\)"),
                            (types.SimpleNamespace(tx=1), "give the optimizer in it: state.tx"),
                            (((), (adam,)), "an optimizer's state, which podsim makes itself; give "
                             r"the optimizer, without .init\(params\), such as "
                             r"optimizer=optax.adam\(1e-3\)$"),
                            ([podsim.lamb(1e-3)], "give one optimizer, without brackets"),
                            (podsim.lamb, r"function lamb itself: call it, as in lamb\(1e-3\)")):
            with self.assertRaisesRegex(TypeError, f"^optimizer is (the )?.*{said}"):
                podsim.train(None, None, None, optimizer=value)

    def test_a_setting_says_what_it_takes(self):
        for name, value, said in (
                ("train_steps", 1e3, "1000.0, a float; it takes a whole number: say train_steps=1000"),
                ("train_steps", 4.5, "4.5, a float; it takes a whole number, such as train_steps=1000"),
                ("batch_per_core", True, "True; it takes a whole number, such as batch_per_core=8"),
                ("epochs", {}, "a dict; it takes a number, such as epochs=3"),
                ("keep", np.zeros((2, 3)), "an array of the shape (2, 3); it takes a whole number, "
                 "such as keep=10"),
                ("bucket_bytes", b"1M", "b'1M', a bytes; it takes a number of bytes, such as "
                 "bucket_bytes=\"1M\""),
                ("quiet", "yes", "'yes'; it takes True or False"),
                ("twist", 1, "1, an int; it takes True or False"),
                ("log_dir", 5, "5, an int; it takes the path of a folder, such as log_dir=\"logs\""),
                ("lr_schedule", print, "the function print; it takes a text, such as "
                 "lr_schedule=\"cosine\"; a schedule of optax belongs into the optimizer: "
                 "optimizer=optax.sgd(schedule)"),
                ("lr_decay_at", np.array([0.5]), "an array of the shape (1,); it takes a list of "
                 "numbers, such as lr_decay_at=[0.3, 0.6, 0.9]; of an array say .tolist()"),
                ("restore", {}, "a dict; it takes the path of a folder, such as restore=\"run/120\"; "
                 "weights that training begins with are params, the second argument")):
            for function in (podsim.train, podsim.plan):
                with self.assertRaises(TypeError) as caught:
                    function(None, None, None, **{name: value})
                self.assertEqual(str(caught.exception), f"{name} is {said}")

    def test_values_that_a_setting_takes(self):
        for name, value in (("train_steps", np.int64(4)), ("train_steps", "4"), ("epochs", 2),
                            ("epochs", np.float32(0.5)), ("shuffle", False), ("quiet", np.True_),
                            ("lr_decay_at", (0.5, 0.7)), ("lr_decay_at", 0.5), ("keep", None),
                            ("weight_decay_exclude", "bias,norm"), ("bucket_bytes", "1M"),
                            ("log_dir", pathlib.Path("logs")), ("train_steps", np.array(3)),
                            ("tensorboard_dir", ""), ("tensorboard_dir", pathlib.Path("tb")),
                            ("metrics_file", "")):
            _values.check_values({name: value})

    def test_each_setting_has_an_example_that_it_takes(self):
        for name, setting in _job.SETTINGS.items():
            example = _kinds._example(name)
            if setting.type and example:
                _values.check_values({name: eval(example)})

    def test_places_and_names_are_checked(self):
        for place in ("", 7):
            with self.assertRaisesRegex(TypeError, f"model_dir is {place!r}; it must be a path"):
                podsim.train(None, None, None, model_dir=place)
        for place in (5, None, ""):
            with self.assertRaisesRegex(TypeError, f"path is {place!r}; it must be a path"):
                podsim.export(print, None, None, place)
        with self.assertRaisesRegex(TypeError, "name is 5; it must be a str"):
            podsim.export(print, None, None, "m", name=5)

    def test_a_folder_is_no_file(self):
        with self.assertRaisesRegex(ValueError, "^model_dir is .*test_refusals.py', but that is a "
                                    "file: name a folder, which is made if need be$"):
            podsim.train(len, None, None, model_dir=__file__)

    def test_only_a_shell_knows_variables(self):
        with mock.patch.dict(os.environ, {"RUNS": "/tmp"}):
            for place in ("$RUNS/a", "${RUNS}/a"):
                for name in ("model_dir", "log_dir"):
                    with self.assertRaisesRegex(TypeError, re.escape(
                            f"{name} is '{place}'; only a shell knows what {place[:-2]} is: say "
                            f"os.path.expandvars('{place}')")):
                        podsim.train(None, None, None, **{name: place})
            self.assertEqual(_job.path_of("model_dir", "$OTHER/a"), "$OTHER/a")

    def test_files_are_written_or_refused_in_a_line(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "a.json")
            self.assertEqual(_job.write_file(file, ".json", "it is JSON", "{}"), file)
            self.assertEqual(file.read_text(), "{}")
            file.unlink()
            file.mkdir()
            with self.assertRaisesRegex(ValueError, "a.json', but that is a folder; name a file"):
                _job.write_file(file, ".json", "it is JSON", "{}")
        with self.assertRaisesRegex(podsim.PodsimError, "^path is '/proc/a.json', which cannot be "
                                    r"written \(.*\): name a file elsewhere$"):
            _job.write_file("/proc/a.json", ".json", "it is JSON", "{}")

    def test_a_slice_among_words_is_named_alone(self):
        for topology in ("TPU v3-8", "v3-8 slice", "a V3-8"):
            with self.assertRaisesRegex(TypeError, "(?i)it must be the name of a slice alone, "
                                        '"v3-8"$'):
                podsim.train(None, None, None, topology=topology)

    def test_a_switch_in_quotes_is_said(self):
        for value, said in (("False", "'False'; .*: without the quotes, shuffle=False$"),
                            (1000, "1000; it must be True or False$"), (0, "0; it must be True")):
            with self.assertRaisesRegex(TypeError, f"shuffle is {said}"):
                podsim.train(None, None, None, shuffle=value)
        _values.check_values({"shuffle": "false"})
        _values.check_values({"shuffle": np.bool_(True)})

    def test_times_and_steps_have_examples(self):
        for name, value, said in (
                ("checkpoint_every_seconds", datetime.timedelta(minutes=2),
                 "say checkpoint_every_seconds=120, .total_seconds"),
                ("trace_steps", (1, 2), 'it takes a text, such as trace_steps="20:25"'),
                ("faults", {"KILL": 1}, 'the path of a file, such as faults="faults.textproto"')):
            with self.assertRaisesRegex(TypeError, said):
                podsim.train(None, None, None, **{name: value})

    def test_nesterov_needs_a_momentum(self):
        for momentum in (None, 0, 0.0):
            with self.assertRaisesRegex(TypeError, "nesterov is True, but there is no momentum"):
                podsim.sgd(0.1, momentum, nesterov=True)
        self.assertEqual(podsim.sgd(0.1, 0.9, True).settings["optimizer"], "nesterov")

    def test_arrays_of_a_batch_have_one_length(self):
        names = ["0", "1"]
        _data.check_alike_long(names, [np.zeros((8, 2)), np.zeros(8)])
        with self.assertRaisesRegex(ValueError, "the arrays of batch .*; here 8 in '0', 4 in '1'"):
            _data.check_alike_long(names, [np.zeros((8, 2)), np.zeros(4)])

    def test_a_counter_of_a_state_stays_one(self):
        state = _state.State.__new__(_state.State)
        state._every, state._leaves = ["n"], [np.int32(0)]
        state._check_shapes([np.int32(1)])
        with self.assertRaisesRegex(TypeError, "'n' of the state as float32, but is given it as "
                                    "int32, .* begin with a float32, or return .astype"):
            state._check_shapes([np.float32(0.5)])

    def test_the_count_beside_a_key_is_that_of_nnx(self):
        for name, key, is_beside in (("d/rngs/count/value", "d/rngs/key/value", True),
                                     ("count", "key", True), ("steps", "key", False),
                                     ("a/count", "b/key", False), ("count", "a/key", False)):
            self.assertEqual(_state._beside(name, key), is_beside, name)

    def test_a_ladder_speaks_of_its_arguments(self):
        said = _ladder.in_words_of_call(podsim.PodsimError(
            "d/results.jsonl has an earlier ladder: add --resume to go on, or give another "
            "--ladder_dir; leave --resume out"))
        self.assertEqual(str(said), "d/results.jsonl has an earlier ladder: add resume=True to go "
                         "on, or give another ladder_dir; leave resume out")
        typed = _errors.of_program("pod_ladder", "pod_ladder: --steps is -20; allowed: 1 to 9", 2)
        self.assertEqual(str(_ladder.in_words_of_call(typed)),
                         "train_steps is -20; allowed: 1 to 9")

    def test_what_a_plan_warns_of_is_a_warning(self):
        said = "the warm-up is longer than the run: give --warmup_steps below 2"
        with self.assertWarnsRegex(UserWarning, "longer than the run: give warmup_steps below 2$"):
            _api._warn_of({"warnings": [said]})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            _api._warn_of({})

    def test_a_warning_that_is_an_error_carries_the_run(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaisesRegex(UserWarning, "^short$") as caught:
                with _checks.result_kept("run"):
                    _checks.warn("short")
        self.assertEqual(caught.exception.result, "run")
        self.assertIn("is not lost", caught.exception.__notes__[0])

    def test_what_jax_calls_has_aux_is_no_setting(self):
        with self.assertRaisesRegex(TypeError, r"'has_aux': a loss function that returns \(loss"):
            podsim.train(None, None, None, has_aux=True)
        with self.assertRaisesRegex(TypeError, "'on_step': nothing of yours runs"):
            podsim.train(None, None, None, on_step=print)

    def test_train_takes_one_slice(self):
        for name in ("v3-8..v3-32", "v3-8,v3-32"):
            with self.assertRaisesRegex(TypeError, f"topology is '{name}', several slices; "
                                        "train runs one of them, such as 'v3-8'; podsim.plan"):
                podsim.train(None, None, None, topology=name)
        for function in (podsim.train, podsim.plan):
            with self.assertRaisesRegex(TypeError, "topology is 8; it must be"):
                function(None, None, None, topology=8)
        names = ("v3-8", "v3-32")
        with self.assertRaisesRegex(TypeError, r"topology is \('v3-8', 'v3-32'\); train runs one "
                                    'slice, such as "v3-8"; podsim.plan .* "v3-8,v3-32"'):
            podsim.train(None, None, None, topology=names)
        with self.assertRaisesRegex(TypeError, 'name the slices in one text, "v3-8,v3-32"'):
            podsim.plan(None, None, None, topology=names)

    def test_several_slices_are_named_with_commas_or_dots(self):
        for topology in ("v3-8 v3-32", "v3-8-v3-32", "v3-8:v3-32"):
            with self.assertRaisesRegex(TypeError, f"topology is '{topology}'; slices are named "
                                        'with commas, "v3-8,v3-32", or from one to another, "v3-8..'):
                podsim.plan(None, None, None, topology=topology)
        for topology, said in ((" v3-8", "v3-8"), ("v3-8 .. v3-32", "v3-8..v3-32"),
                               ("v3-8, v3-32", "v3-8,v3-32")):
            with self.assertRaisesRegex(TypeError, f'write it without blanks, "{said}"'):
                podsim.plan(None, None, None, topology=topology)
        for topology, such in (("", "v3-32"), ("v3-8,", "v3-8")):
            with self.assertRaisesRegex(TypeError, f"topology is '{topology}', in which a name is "
                                        f'empty; it must be the name of a slice, such as "{such}"'):
                podsim.plan(None, None, None, topology=topology)

    def test_a_price_is_looked_at_first(self):
        with self.assertRaisesRegex(ValueError, "^price_per_chip_hour is '2'; it must be"):
            podsim.plan(None, None, None, price_per_chip_hour="2")

    def test_export_takes_arrays(self):
        for batch in ("mnist", None, len):
            with self.assertRaisesRegex(TypeError, "batch is .*; export takes a tree of arrays"):
                podsim.export(print, None, batch, "m")
        for batch, said in ((8, "8"), (np.float32(0.5), "0.5"), (np.array(3), "")):
            with self.assertRaisesRegex(TypeError, f"^batch is .*{said}.*; export wants a batch of "
                                        r"examples, .*: give batch=\(x\[:8\], y\[:8\]\)$"):
                podsim.export(print, None, batch, "m")

    def test_export_writes_no_file_that_is_not_read(self):
        header = (ROOT / "models" / "graph" / "serialize_model.h").read_text()
        number, power = re.search(r"kMostModelBytes = std::int64_t\{(\d+)\} << (\d+);", header).groups()
        self.assertEqual(_inputs.MOST_FILE_BYTES, int(number) << int(power))
        most = types.SimpleNamespace(size=_inputs.MOST_FILE_BYTES // 4)
        one = types.SimpleNamespace(size=1)
        for params, state, says in (([most], [], ""), ([most, one], [], "params take 256.00 MiB"),
                                    ([most], [one], r"and state take .* \(67,108,865 float32")):
            with mock.patch.object(_trees, "named_leaves",
                                   lambda tree, _: ([], tree if tree else [], None)):
                if not says:
                    _inputs.check_fits(params, None)
                    continue
                with self.assertRaisesRegex(ValueError, f"{says}.*podsim.train hands weights"):
                    _inputs.check_fits(params, state or None)

    def test_a_metric_is_not_called_loss(self):
        with self.assertRaisesRegex(ValueError, "a metric is called 'loss', .* another name"):
            _functions._without_loss({"loss": 1.0})
        self.assertEqual(_functions._without_loss({"norm": 1.0}), {"norm": 1.0})


class TracingTest(unittest.TestCase):
    def test_what_jax_refuses_is_told_with_a_way_round(self):
        for text, said in (
                ("Found an unbound axis name: batch. To fix", "the axis 'batch', .* averages"),
                ("grad requires real-valued outputs (a), but got int32. For", "loss is int32"),
                ("Pure callbacks do not support JVP. Please", "calls back into Python"),
                ("Attempted boolean conversion of traced array with", "use jnp.where"),
                ("Abstract\nThe problem arose with the `float` function. If", r"float\(\) of")):
            self.assertRegex(_tracing.in_one_line(ValueError(text)), said)
        self.assertEqual(_tracing.in_one_line(ValueError("too many values")), "")


class ImportingTest(unittest.TestCase):
    def test_a_place_that_cannot_be_written_is_the_argument(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(
                podsim.PodsimError, f'^path is "{folder}", but that is a folder'):
            message = mock.Mock(write=lambda file: file.write(
                (GOLDEN / "mlp.import").read_bytes()))
            _inputs.export(message, folder, len, None)

    def test_warnings_of_an_import_have_their_line(self):
        said = ("warning: train.py:8: divide (divide): the loss couples the examples\n"
                "something else\nwarning: sqrt: the loss couples\n"
                "warning: evaluation: it has no loss: why\n"
                "warning: evaluation: it has no margin: that is why it has no other\n")
        coupled = ["train.py:8: the loss couples the examples", "the loss couples"]
        self.assertEqual(_importing.warnings(said, False), coupled)
        self.assertEqual(_importing.warnings(said, True),
                         [*coupled, "an evaluation has no loss: why",
                          "an evaluation has no margin: that is why it has no other"])
        self.assertEqual(_importing.warnings("", True), [])


class CountTest(unittest.TestCase):
    def refused(self, *leaves):
        names = [str(i) for i in range(len(leaves))]
        with self.assertRaises(ValueError) as caught:
            _checks.count_of(names, leaves, "the data set")
        return str(caught.exception)

    def test_examples_are_counted(self):
        self.assertEqual(_checks.count_of(["x", "y"], [np.zeros((3, 2)), [1, 2, 3]], "it"), 3)

    def test_no_examples_are_told_with_their_shape(self):
        self.assertEqual(self.refused(np.zeros((0, 4)), np.zeros(0)),
                         "the data set has no examples: '0' has the shape (0, 4): give one or more "
                         "along its first axis")
        self.assertEqual(self.refused(), "the data set has no array in it: give arrays with "
                         "examples along the first axis")
        self.assertIn("here 0 in array 0; 3 in array 1: give one or more in each",
                      self.refused(np.zeros(0), np.zeros(3)))

    def test_arrays_of_other_lengths_are_named(self):
        said = self.refused(np.zeros(1000), np.zeros((999, 2)), np.zeros(1000))
        self.assertIn("here 1,000 in '0', '2'; 999 in array 1: give as many of each, such as "
                      "x[:999], or let the loss function hold", said)
        self.assertIn("here 16 in array 0; 1,000 in array 1: array 0 has 1,000 along axis 1: if "
                      "these are its examples, give np.moveaxis(x, 1, 0)",
                      self.refused(np.zeros((16, 1000)), np.zeros(1000)))
        for counts in ((9, 9, 3, 3), (9, 3, 9, 3)):
            self.assertIn("podsim.train(loss_fn, params, (x, y), eval_dataset=(x_test, y_test))",
                          self.refused(*map(np.zeros, counts)))
        self.assertIn("; ...", self.refused(*(np.zeros(i) for i in range(9))))

    def test_labels_in_a_list_are_told_what_to_do(self):
        said = self.refused(np.zeros((1000, 2)), *range(1000))
        self.assertIn("'1', '2', '3' and 997 more", said)
        self.assertIn("np.asarray", said)
        self.assertLess(len(said), 300)


class SumsTest(unittest.TestCase):
    @staticmethod
    def jaxpr(*numbers, **params):
        """One equation of literals and a variable."""
        literals = [types.SimpleNamespace(val=number) for number in numbers]
        equation = types.SimpleNamespace(invars=[*literals, object()], params=params)
        return types.SimpleNamespace(eqns=[equation])

    def test_the_real_numbers_of_a_jaxpr_are_found_at_any_depth(self):
        inner = types.SimpleNamespace(jaxpr=self.jaxpr(19.0), consts=[np.float32(0.5)])
        outer = self.jaxpr(2.0, 7, np.int32(8), branches=(inner, inner), axis=(1, 2))
        self.assertEqual(_sums._floats(outer), {"19.0", "0.5", "2.0"})


class JaxprsTest(unittest.TestCase):
    @staticmethod
    def jaxpr(name, *lines, inside=()):
        """One equation of that primitive, where these files and lines called it."""
        frames = [types.SimpleNamespace(file_name=file, line_num=line) for file, line in lines]
        source = types.SimpleNamespace(traceback=types.SimpleNamespace(frames=frames))
        equation = types.SimpleNamespace(
            primitive=types.SimpleNamespace(name=name), params={"jaxpr": inside},
            source_info=source)
        return types.SimpleNamespace(eqns=[equation])

    def test_dividing_the_work_is_refused_with_its_line(self):
        inner = self.jaxpr("shard_map", ("/x/site-packages/jax/a.py", 3), ("/me/train.py", 7),
                           ("/me/main.py", 9))
        with self.assertRaisesRegex(podsim.PodsimError,
                                    "^train.py:7: jax.shard_map .* podsim does that itself"):
            _jaxprs.check(self.jaxpr("jit", inside=inner))

    def test_what_shows_numbers_is_left_out_with_a_warning(self):
        with self.assertWarnsRegex(UserWarning, "^train.py:7: jax.debug.print .* left out"):
            _jaxprs.check(self.jaxpr("debug_print", ("/me/train.py", 7)))
        with self.assertWarnsRegex(UserWarning, "^train.py:9: with_sharding_constraint has no"):
            _jaxprs.check(self.jaxpr("sharding_constraint", ("/me/train.py", 9)))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for name in ("add", "checkpoint"):
                _jaxprs.check(self.jaxpr(name, ("/me/train.py", 7)))

    def test_jax_pmap_has_the_line_of_its_call(self):
        inner = self.jaxpr("shard_map", ("/x/site-packages/jax/a.py", 3))
        inner.eqns[0].params["mesh"] = types.SimpleNamespace(
            axis_names=("_internal_pmap_axis_name",))
        with self.assertRaisesRegex(podsim.PodsimError, "^train.py:7: jax.pmap divides the work"):
            _jaxprs.check(self.jaxpr("jit", ("/me/train.py", 7), inside=inner))

    def test_jax_pmap_is_named_and_not_what_jax_writes_behind_it(self):
        inner = self.jaxpr("shard_map", ("/me/train.py", 7))
        inner.eqns[0].params["mesh"] = types.SimpleNamespace(
            axis_names=("_internal_pmap_axis_name",))
        call, reshard = (self.jaxpr("jit", ("/me/train.py", 7), inside=inner),
                         self.jaxpr("reshard", ("/me/losses.py", 13)))
        for equations in (call.eqns + reshard.eqns, reshard.eqns + call.eqns):
            with self.assertRaisesRegex(podsim.PodsimError,
                                        "^train.py:7: jax.pmap divides the work"):
                _jaxprs.check(types.SimpleNamespace(eqns=equations))

    def test_explicit_sharding_is_refused_with_its_line(self):
        with self.assertRaisesRegex(podsim.PodsimError, "^train.py:7: jax.sharding.reshard divides"):
            _jaxprs.check(self.jaxpr("reshard", ("/me/train.py", 7)))
        for kind, is_refused in (("Explicit", True), ("Auto", False)):
            mesh = types.SimpleNamespace(axis_names=("data",), axis_types=(kind,))
            product = self.jaxpr("dot_general", ("/me/train.py", 8))
            product.eqns[0].params["out_sharding"] = types.SimpleNamespace(mesh=mesh)
            said = "^train.py:8: out_sharding= of dot_general divides the work"
            with (self.assertRaisesRegex(podsim.PodsimError, said) if is_refused
                  else contextlib.nullcontext()):
                _jaxprs.check(product)

    def test_places_and_donations_have_no_effect(self):
        unspecified = type("UnspecifiedValue", (), {})()
        for name, given, says in (
                ("device_put", {"devices": ("cpu",)}, "jax.device_put has no effect: each core"),
                ("jit", {"in_shardings": (unspecified, "all")}, "in_shardings or out_shardings of"),
                ("jit", {"out_shardings": ("all",)}, "in_shardings or out_shardings of jax.jit"),
                ("jit", {"donated_invars": (False, True)}, "donate_argnums or donate_argnames of")):
            jaxpr = self.jaxpr(name, ("/me/train.py", 7))
            jaxpr.eqns[0].params |= given
            with self.assertWarnsRegex(UserWarning, f"^train.py:7: {says}"):
                _jaxprs.check(jaxpr)
        for name, given in (("device_put", {"devices": (None,)}),
                            ("jit", {"in_shardings": (unspecified,), "donated_invars": (False,)})):
            jaxpr = self.jaxpr(name, ("/me/train.py", 7))
            jaxpr.eqns[0].params |= given
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                _jaxprs.check(jaxpr)

    def test_a_function_without_a_name_is_called_by_its_line(self):
        nameless = lambda: None  # noqa: E731
        self.assertRegex(_inputs._words_for(nameless, None),
                         r"^the lambda of test_refusals.py:\d+$")
        self.assertEqual(_inputs._words_for(nameless, "net"), "net")
        self.assertEqual(_inputs._words_for(_inputs.name_of, None), "name_of")


class SettingsTest(unittest.TestCase):
    def test_flags_that_train_nothing_are_refused(self):
        _job.check_trains({"dry_run": False, "describe": None, "seed": 1})
        for settings in ({"dry_run": True}, {"describe": "v3-8"}, {"write_model": "x"}):
            with self.assertRaisesRegex(TypeError, "trains nothing: leave it out"):
                _job.check_trains(settings)
            with self.assertRaisesRegex(TypeError, "trains nothing: leave it out"):
                podsim.train(None, None, None, **settings)

    def test_settings_that_the_loss_function_stands_for_are_refused(self):
        _job.check_trains({"model": None})
        for name in ("model", "model_file", "hidden"):
            with self.assertRaisesRegex(TypeError, f"{name} is 'mlp', but the model is the loss "
                                        "function: leave it out"):
                podsim.train(None, None, None, **{name: "mlp"})

    def test_what_is_read_afterwards_is_of_this_machine(self):
        self.assertEqual(_job.local("model_dir", "a/b"), pathlib.Path("a/b"))
        for name in ("model_dir", "metrics_file"):
            with self.assertRaisesRegex(TypeError, f"{name} is 'gs://a/b'"):
                podsim.train(None, None, None, **{name: "gs://a/b"})

    def test_what_is_said_twice_is_told_with_both_values(self):
        with self.assertRaisesRegex(TypeError, "learning_rate is 0.1 in the optimizer and 0.2 as "
                                    "a keyword: give it to the optimizer alone"):
            podsim.train(None, None, None, optimizer=podsim.sgd(0.1), learning_rate=0.2)

    def test_types_that_are_wrong_are_named(self):
        for arguments, said in (
                (({}, None), r"loss_fn is a dict; it must be a function, .*: def loss_fn\(params, "
                 r"batch\): x, y = batch; return jnp.mean"),
                (("mse", None), "loss_fn is 'mse'; it must be a function"),
                ((0.5, None), "loss_fn is 0.5; .* give the function itself, not what it returns"),
                ((len, []), "eval_fn is a list; it must be a function, .*: def eval_fn")):
            with self.assertRaisesRegex(TypeError, said):
                _checks.check_functions(*arguments)
        _checks.check_functions(len, None)
        with self.assertRaisesRegex(TypeError, "the function adamw itself: call it, as in adamw"):
            podsim.train(None, None, None, optimizer=podsim.adamw)

    def test_without_jax_it_is_said_how_to_get_it(self):
        with mock.patch.dict(sys.modules, {"jax": None}):
            with self.assertRaisesRegex(ImportError, r"functions of JAX, which cannot be imported "
                                        r"here \(.*\): pip install jax"):
                _checks.check_has_jax()

    def test_a_ladder_is_asked_what_pod_plan_knows(self):
        settings = {"topology": "v3-8..v3-32", "model": "mlp", "batch_per_core": 8, "seed": 1,
                    "shuffle": False, "steps_per_eval": 2, "optimizer": "adam", "beta1": 0.5,
                    "learning_rate": 0.1, "twist": False, "model_dir": "x", "links": "x"}
        self.assertEqual(_job.flags_of_plan(settings), [
            "--topology=v3-8..v3-32", "--model=mlp", "--batch_per_core=8",
            "--optimizer=adam", "--beta1=0.5", "--learning_rate=0.1", "--links=x"])
        del settings["links"]
        self.assertIn("v3-32 ", _programs.run("pod_plan", _job.flags_of_plan(settings)))
        with self.assertRaisesRegex(TypeError, "no setting 'sed'"):
            podsim.plan(None, None, None, topology="v3-8..v3-32", sed=1)

    def test_of_an_iterable_what_the_slices_that_plan_consume_is_read(self):
        settings = {"topology": "v3-8..v3-64", "train_batch_size": 40, "train_steps": 4,
                    "learning_rate": 0.1}
        self.assertEqual(_job.examples_of(settings), 160)
        with self.assertRaisesRegex(podsim.PodsimError, "^train_batch_size 20 does not divide"):
            _job.examples_of(settings | {"train_batch_size": 20})
        self.assertIsNone(_job.examples_of({"topology": "v3-8"}))

    def test_values_that_no_flag_can_say_are_named(self):
        for settings, said in (
                ({"seed": np.zeros(2, np.uint32)}, "seed is a random key of JAX; .*seed=0"),
                ({"seed": types.SimpleNamespace(dtype="key<fry>", shape=())}, "random key"),
                ({"learning_rate": lambda step: 0.1}, "is a lambda, and .*lr_schedule="),
                ({"precision": np.float16}, 'precision is the type float16; give "bfloat16" or '
                 '"float32"'),
                ({"wire_dtype": float}, "wire_dtype is the type float64; give .bfloat16. or "),
                ({"ici_dtype": 16}, "ici_dtype is 16; give .bfloat16. or .float32."),
                ({"seed": np.bool_(True)}, "seed is True, a numpy.bool.*; it takes a whole number"),
                ({"seed": np.float32(1.5)}, "seed is 1.5, a numpy.float32; it takes a whole"),
                ({"train_steps": np.timedelta64(3, "s")}, "train_steps is a numpy.timedelta64; it"),
                ({"seed": np.int32}, "seed is the class numpy.int32; it takes a whole number"),
                ({"precision": np.dtype("f4")}, 'precision="float32"'),
                ({"clip_norm": {"a": 1}}, "clip_norm is a dict; it takes a number, such as"),
                ({"betas": (0.9, 0.95)}, "beta1=0.9, beta2=0.95"),
                ({"batch_per_core": [4, 8]}, r"call it once for each of \[4, 8\]"),
                ({"log_dir": ""}, "log_dir is ''; it takes the path of a folder"),
                ({"threads": len}, "threads is the function len; it takes a whole")):
            with self.assertRaisesRegex(TypeError, said):
                podsim.train(None, None, None, **settings)
        for settings, said in (
                ({"train_steps": 10**20}, r"is 100000000000000000000, .* below 2\*\*63"),
                ({"seed": 2**64}, r"is 18446744073709551616, which is too large; .* below 2\*\*64"),
                ({"name": "a\nb"}, r"name is 'a\\nb'; it must be printable"),
                ({"run_name": "a\nb"}, r"run_name is 'a\\nb'; it must be printable, .* as 'a b'")):
            with self.assertRaisesRegex(ValueError, said):
                podsim.train(len, {}, np.zeros(2), **settings)
        self.assertIsNone(_kinds.check_kind("seed", 2**64 - 1))
        for parts in ([30, 60, 90], 2, [0.5, 1.0]):
            with self.assertRaisesRegex(ValueError, "it has parts of the run, more than 0 and less"):
                podsim.train(None, None, None, lr_decay_at=parts)
        _values.check_values({"lr_decay_at": [0.3, "0.6"], "seed": 1})
        _values.check_values({"seed": np.int64(3), "threads": [1], "model_dir": ROOT, "wrap": "a",
                              "twist": True, "learning_rate": np.float32(1), "epochs": None})

    def test_progress_is_a_switch(self):
        for function in (podsim.train, podsim.plan):
            with self.assertRaisesRegex(TypeError, "progress is 'yes'; it must be True or False"):
                function(None, None, None, progress="yes")

    def test_an_evaluation_needs_what_it_evaluates(self):
        def check(eval_fn=None, eval_dataset=None, dataset=(1,), batch=None, **settings):
            _inputs._check(_inputs.Call(None, None, dataset, eval_fn, eval_dataset, None, None,
                                        batch, None, None), settings)

        with self.assertWarnsRegex(UserWarning, "is evaluated: give eval_dataset=") as caught:
            check(eval_fn=len)
        self.assertEqual(caught.filename, __file__)
        with self.assertRaisesRegex(TypeError, "steps_per_eval is 2, but there is no eval_dataset .*: "
                                    r"give eval_dataset=\(x, y\), or leave steps_per_eval out"):
            check(steps_per_eval=2)
        with self.assertRaisesRegex(TypeError, "eval_batch_size is 8, but there is no eval_data"):
            check(eval_batch_size=8)
        with self.assertRaisesRegex(TypeError, 'mode="eval" evaluates eval_dataset, which is not'):
            check(mode="eval")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check(steps_per_eval=0)
            check(eval_dataset=(1,), steps_per_eval=2)
            check(eval_fn=len, dataset="digits", batch=(1,), steps_per_eval=2)


class JobTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        golden = _safetensors.read(GOLDEN / "mlp.safetensors")
        for name in ("0", "1"):
            with _npy.Writer(self.folder / "train" / f"{name}.npy") as file:
                file.append(golden[f"input/{name}"])
        model = self.folder / "model"
        _programs.run("pod_program", ["import", GOLDEN / "mlp.import", f"--output={model}"])
        self.job = {"model_file": model, "dataset": "arrays", "data_dir": self.folder,
                    "topology": "v3-8", "batch_per_core": 1, "train_steps": 3,
                    "model_dir": self.folder / "run", "metrics_file": self.folder / "metrics"}

    def launch(self, **settings):
        _process.launch(_job.flags(self.job | settings), progress=False)

    def test_a_loss_that_is_lost_says_its_step(self):
        with self.assertRaisesRegex(podsim.PodsimError,
                                    " at step [23].*learning_rate") as caught:
            self.launch(train_steps=9, **podsim.sgd(1e30).settings)
        self.assertEqual(caught.exception.host, "host0")
        self.assertIn(caught.exception.step, (2, 3))
        self.assertNotIn("--", caught.exception.reason)

    def test_of_a_metrics_file_the_lines_of_this_job_are_read(self):
        steps = []
        for count, place in ((2, "run"), (3, "run"), (2, "other")):
            metrics = _result.Metrics(self.folder / "metrics")
            self.launch(train_steps=count, model_dir=self.folder / place,
                        **podsim.sgd(1e-2).settings)
            steps.append([step["step"] for step in metrics.read()["step"]])
        self.assertEqual(steps, [[1, 2], [3], [1, 2]])

    def test_a_metrics_file_is_a_file(self):
        with self.assertRaisesRegex(TypeError, "which is no file"):
            _result.Metrics(self.folder)


if __name__ == "__main__":
    unittest.main()
