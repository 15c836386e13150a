"""What a call refuses before it begins, and what one that failed says."""

import pathlib
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
from podsim import (_checks, _data, _functions, _inputs, _job, _npy, _process,  # noqa: E402
                    _programs, _result, _safetensors, _sums, _trees)

GOLDEN = ROOT / "tests" / "golden" / "imports"

# As pod_launch prints it (tests/runtime/report/failure_test.cc).
BLOCK = """\
step 3/9, loss: 0.1
----------------------------------------------------------------
FAILED: host0 (pid 9) exited with code 1
  doing        step 4, compute
  reason       host 0: loss became infinite at step 4; lower --learning_rate or lengthen \
--warmup_steps, perhaps from an earlier checkpoint (--restore=/dev/shm/podsim-x/run/STEP)
  time         2026-11-26 07:11:19.543
  last output of host0:
    | I 07:11:19.338 joined
    | E 07:11:19.493 process 0: host 0: loss
  work         nothing was saved yet, 3 steps are lost: --checkpoint_every=N saves sooner
  exit code    1
----------------------------------------------------------------
""".splitlines()


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
                for source in (_data._Arrays({}), _data._Batches([{}], None)):
                    with self.assertRaisesRegex(podsim.PodsimError, "mine"):
                        source.example()
                    with self.assertRaisesRegex(podsim.PodsimError, "mine"):
                        source.write(folder)
            self.assertEqual(list(pathlib.Path(place).iterdir()), [])

    def test_arrays_are_named_that_are_not_of_numbers(self):
        _checks.check_numbers("abc", [np.zeros(1, bool), np.zeros(1, np.uint8), [1.0]])
        for array in (np.array(["x"]), np.array([None]), np.zeros(1, "M8[s]"), np.ones(1, "c8")):
            with self.assertRaisesRegex(TypeError, "the array 'b' of the data set is"):
                _checks.check_numbers(["a", "b"], [np.zeros(1), array])

    def test_parameters_are_named_that_are_not_float32(self):
        _checks.check_params(["a", "b"], [np.zeros(1, np.float32), 1.0])
        with self.assertRaisesRegex(TypeError, "params has no array"):
            _checks.check_params([], [])
        for leaf in (3, np.zeros(2, np.int32), np.zeros(2, np.float16), "x"):
            with self.assertRaisesRegex(TypeError, "the parameter 'n/k' is"):
                _checks.check_params(["a", "n/k"], [np.zeros(1), leaf])

    def test_metrics_have_names(self):
        with self.assertRaisesRegex(TypeError, "the key 1 is no str"):
            _functions.checked_metrics({1: 0.0}, "metrics")
        with self.assertRaisesRegex(TypeError, "not a list"):
            _functions.checked_metrics([1], "metrics")


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


class SettingsTest(unittest.TestCase):
    def test_flags_that_train_nothing_are_refused(self):
        _job.check_trains({"dry_run": False, "describe": None, "seed": 1})
        for settings in ({"dry_run": True}, {"describe": "v3-8"}, {"write_model": "x"}):
            with self.assertRaisesRegex(TypeError, "trains nothing: leave it out"):
                _job.check_trains(settings)
            with self.assertRaisesRegex(TypeError, "trains nothing: leave it out"):
                podsim.train(None, None, None, **settings)

    def test_what_is_read_afterwards_is_of_this_machine(self):
        self.assertEqual(_job.local("model_dir", "a/b"), pathlib.Path("a/b"))
        for name in ("model_dir", "metrics_file"):
            with self.assertRaisesRegex(TypeError, f"{name} is 'gs://a/b'"):
                podsim.train(None, None, None, **{name: "gs://a/b"})

    def test_a_ladder_is_asked_what_pod_plan_knows(self):
        settings = {"topology": "v3-8..v3-32", "model": "mlp", "batch_per_core": 8, "seed": 1,
                    "shuffle": False, "steps_per_eval": 2, "optimizer": "adam", "beta1": 0.5,
                    "learning_rate": 0.1, "twist": False, "model_dir": "x", "links": "x"}
        self.assertEqual(_job.flags_of_plan(settings), [
            "--topology=v3-8..v3-32", "--model=mlp", "--batch_per_core=8",
            "--optimizer=adam", "--beta1=0.5", "--learning_rate=0.1", "--bucket_links=x"])
        del settings["links"]
        self.assertIn("v3-32 ", _programs.run("pod_plan", _job.flags_of_plan(settings)))
        with self.assertRaisesRegex(TypeError, "no setting 'sed'"):
            podsim.plan(None, None, None, topology="v3-8..v3-32", sed=1)

    def test_an_evaluation_needs_what_it_evaluates(self):
        def check(eval_fn=None, eval_dataset=None, dataset=(1,), batch=None, **settings):
            _inputs._check(_inputs.Call(None, None, dataset, eval_fn, eval_dataset, None, None,
                                        batch, None, None), settings)

        with self.assertWarnsRegex(UserWarning, "nothing is held out") as caught:
            check(eval_fn=len)
        self.assertEqual(caught.filename, __file__)
        with self.assertRaisesRegex(TypeError, "steps_per_eval is given, but no eval_dataset"):
            check(steps_per_eval=2)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check(steps_per_eval=0)
            check(eval_dataset=(1,), steps_per_eval=2)
            check(eval_fn=len, dataset="digits", batch=1, steps_per_eval=2)

    def test_numbers_of_16_bits_come_with_advice(self):
        self.assertIn("draw in float32", _inputs._advice("f: its type is U16; podsim has"))
        self.assertEqual(_inputs._advice("f: its type is U64; podsim has"), "")


class FailureTest(unittest.TestCase):
    def test_the_cause_is_said(self):
        self.assertEqual(
            _process.failure(BLOCK, keeps=False),
            "host0 (pid 9) exited with code 1 (step 4, compute)\n"
            "reason: host 0: loss became infinite at step 4; lower --learning_rate or "
            "lengthen --warmup_steps\n"
            "work: lost; model_dir=DIR keeps checkpoints")
        kept = _process.failure(BLOCK, keeps=True)
        self.assertIn("(--restore=/dev/shm/podsim-x/run/STEP)", kept)
        self.assertIn("work: nothing was saved yet", kept)

    def test_without_a_reason_the_last_output_is_said(self):
        lines = [line for line in BLOCK if "  reason" not in line]
        self.assertIn("I 07:11:19.338 joined\nE 07:11:19.493 process 0: host 0: loss\n",
                      _process.failure(lines, keeps=True))

    def test_errors_before_the_job_are_said(self):
        self.assertEqual(_process.failure(["note", "error: no"], keeps=True), "error: no")
        self.assertEqual(_process.failure([], keeps=True), "")


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
                                    "(?s)reason: .* at step [23] .*lower --learning_rate"):
            self.launch(train_steps=9, **podsim.sgd(1e30).settings)

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
