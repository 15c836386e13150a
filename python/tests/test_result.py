"""What a run says of itself."""

import importlib.util
import pathlib
import sys
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import podsim  # noqa: E402
from podsim import _not_called, _result, _tables, _units  # noqa: E402

SUMMARY = {"steps": 100_000, "examples": 25_600_000, "loss": 0.25, "weights_hash": "ab12",
           "examples_per_second": 23456.7, "eval_loss": 0.5, "eval_accuracy": 0.875,
           "eval_metrics": {"margin": 1.5, "a": 1, "b": 2, "c": 3},
           "simulated_step_seconds": 43e-6, "simulated_step_seconds_low": 30e-6,
           "simulated_step_seconds_high": 60e-6, "simulated_how": "ring, bound by compute"}
PLAN = {"model": "loss_fn", "dataset": "arrays", "slice": "v3-32", "hbm_bytes_per_core": 3 << 30,
        "hbm_bytes_available": 16 << 30,
        "settings": {"topology": "v3-32", "epochs": "1.5", "batch_per_core": "8",
                     "hidden": "64,32", "lr_decay_at": "0.5", "twist": "true",
                     "shuffle": "false", "bucket_bytes": "1048576",
                     "weight_decay_exclude": "bias,norm", "threads": "auto"}}


def run_of(count, model_dir=None, **summary):
    metrics = [{"step": i + 1, "loss": 2 / (i + 1), "examples_per_second": 1000.0 + i % 7}
               for i in range(count)]
    summary = SUMMARY | summary
    return podsim.Run(params={"w": np.zeros(100_000)}, state=None, metrics=metrics,
                      evaluations=[{"step": count // 2 or 1, "loss": 0.5}],
                      plan=_result.plan_of(PLAN, summary), summary=summary,
                      model_dir=model_dir)


class TablesTest(unittest.TestCase):
    def test_records_are_columns_of_one_length(self):
        self.assertEqual(_tables.columns([]), {})
        self.assertEqual(
            _tables.columns([{"step": 1, "metrics": {"accuracy": 0.5, "own": {"a": 1}}},
                             {"step": 2, "metrics": {"accuracy": 0.75}, "late": [1, 2]}]),
            {"step": [1, 2], "metrics.accuracy": [0.5, 0.75], "metrics.own.a": [1, None],
             "late": [None, [1, 2]]})

    def test_a_frame_is_by_step(self):
        run = run_of(5)
        run.metrics[1]["metrics"] = {"accuracy": 0.5}
        frame = run.to_pandas()
        self.assertIsInstance(frame, importlib.import_module("pandas").DataFrame)
        self.assertEqual((frame.index.name, list(frame.index)), ("step", [1, 2, 3, 4, 5]))
        self.assertEqual(list(frame.columns), ["loss", "examples_per_second", "metrics.accuracy"])
        self.assertEqual(list(frame["loss"]), list(run.losses))
        self.assertEqual((frame["loss"].dtype, frame["metrics.accuracy"].dtype), (float, float))
        self.assertEqual(list(frame["metrics.accuracy"].dropna().items()), [(2, 0.5)])
        self.assertAlmostEqual(frame["loss"].loc[3:].mean(), np.mean(run.losses[2:]))
        evaluated = run.to_pandas("evaluations")
        self.assertEqual((list(evaluated.index), list(evaluated["loss"])), ([2], [0.5]))
        self.assertEqual(len(run_of(0).to_pandas()), 0)
        with self.assertRaisesRegex(ValueError, r"""to_pandas\('steps'\): say "metrics", a row"""):
            run.to_pandas("steps")

    def test_where_pandas_is_not_installed_the_error_says_so(self):
        kept = {name: module for name, module in sys.modules.items()
                if name.partition(".")[0] == "pandas"}
        self.addCleanup(sys.modules.update, kept)
        self.addCleanup(sys.modules.pop, "pandas", None)
        sys.modules["pandas"] = None
        with self.assertRaisesRegex(ImportError, "run.to_pandas.* pip install pandas; run.met"):
            run_of(5).to_pandas()


class NotCalledTest(unittest.TestCase):
    def test_a_part_that_is_called_says_what_it_is(self):
        run = run_of(3)
        for part, said in ((run, "a podsim.Run is no function: give the weights, run.params"),
                           (run.summary, r"run.summary is a dict, .* as in run.summary\['loss'\]"),
                           (run.plan.settings, r'run.plan\["settings"\] is a dict, not a function'),
                           (run.metrics, r"run.metrics is a list, .*run.metrics\[-1\] for the last "
                            "step"), (run.losses, "run.losses is an array, not a function")):
            with self.assertRaisesRegex(TypeError, said):
                part()
            self.assertFalse(_not_called.is_function(part))
        self.assertTrue(_not_called.is_function(run_of))

    def test_a_run_for_a_dict_says_which_of_it_is_one(self):
        with self.assertRaisesRegex(TypeError, r"a podsim.Run is no dict: .* \*\*run.params"):
            dict(**run_of(3))

    def test_python_guesses_no_name_of_its_own(self):
        run = run_of(3)
        for asked in (lambda: run.sumary, lambda: run.summary.accuracy, lambda: run.metrics.loss,
                      lambda: podsim.adamw(0.1).init, lambda: podsim.AdamW):
            with self.assertRaises(AttributeError) as caught:
                asked()
            self.assertEqual((caught.exception.name, caught.exception.obj), (None, None))


class RunTest(unittest.TestCase):
    def test_it_is_said_in_six_lines(self):
        text = repr(run_of(50_000, pathlib.Path("runs/a")))
        self.assertEqual(text.splitlines(), [
            "podsim.Run: loss_fn on arrays, v3-32: step 100,000, 25,600,000 examples",
            "  last step    loss 0.2500, eval loss 0.5000, eval accuracy 87.50%, eval margin 1.5, "
            "eval a 1, eval b 2, ...",
            "  step time    43 us sim: ring, bound by compute; 23,457 examples/s "
            "wall",
            "  HBM          3.00 GiB of 16.00 GiB per core",
            "  checkpoints  runs/a",
            "  weights hash ab12"])
        self.assertEqual(str(run_of(3)), repr(run_of(3)))

    def test_memory_is_that_of_a_core_or_of_a_chip(self):
        for name in ("core", "chip"):
            self.assertIn(f"3.00 GiB of 16.00 GiB per {name}",
                          _result._hbm_row(PLAN | {"replica_name": name}))

    def test_a_notebook_stores_little_of_any_number_of_steps(self):
        for steps in (2, 50_000):
            page = run_of(steps)._repr_html_()
            self.assertLess(len(page), 20_000)
            self.assertEqual(page.count("<svg"), 1)
            self.assertNotIn("<script", page)
            for said in ("43 us sim: ", ">loss<", ">eval loss: 0.5<", ">examples/s wall: "):
                self.assertIn(said, page)

    def test_it_is_drawn_by_the_report(self):
        run = run_of(20)
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder, "run.svg")
            drawn = run.plot(place)
            self.assertEqual(place.read_text(), drawn)
            with self.assertRaisesRegex(ValueError, "'run.png'; what is drawn is SVG"):
                run.plot("run.png")
        self.assertEqual(drawn._repr_svg_(), str(drawn))
        self.assertIn(drawn, run._repr_html_())
        root = xml.etree.ElementTree.fromstring(drawn)
        said = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
        for text in ("loss", "loss: 0.1", "eval loss: 0.5", "throughput (examples/s)", "step"):
            self.assertIn(text, said)
        with self.assertRaisesRegex(podsim.PodsimError, "two steps at least, and this call made 1"):
            run_of(1).plot()

    def test_where_no_program_is_the_words_are_left(self):
        with unittest.mock.patch.object(_result._programs, "run",
                                        side_effect=podsim.PodsimError("pod_report <none>")):
            page = run_of(3)._repr_html_()
        self.assertIn("43 us sim: ", page)
        self.assertIn("not drawn: pod_report &lt;none&gt;", page)

    def test_a_run_with_nothing_left_says_so(self):
        run = run_of(0, examples_per_second=0.0, steps=110, examples=28_160)
        plan = {"total_examples": 10_240, "train_steps": 160, "global_batch": 64}
        self.assertIn("at step 110 was trained on 28,160 examples, the job has 10,240 (160 steps "
                      "of 64)", _result.nothing_left(plan, run.summary))
        self.assertNotIn("wall", repr(run))
        self.assertEqual(run.losses.shape, (0,))
        self.assertIn("no step was left", repr(run))
        self.assertNotIn("<svg", run._repr_html_())

    def test_a_loss_that_is_none_is_nan(self):
        run = run_of(3)
        run.metrics[1]["loss"] = None
        np.testing.assert_array_equal(np.isnan(run.losses), [False, True, False])
        self.assertIn("<svg", run._repr_html_())

    def test_the_summary_is_the_event(self):
        self.assertEqual(_result.summary_of(SUMMARY), SUMMARY)
        self.assertEqual(_result.summary_of({"loss": 1.0}), {"loss": 1.0})

    def test_the_plan_has_times_and_typed_settings(self):
        plan = run_of(1).plan
        self.assertEqual((plan["step_seconds_low"], plan["step_seconds"],
                          plan["step_seconds_high"]), (30e-6, 43e-6, 60e-6))
        self.assertEqual(plan["settings"], {
            "topology": "v3-32", "epochs": 1.5, "batch_per_core": 8, "hidden": [64, 32],
            "lr_decay_at": [0.5], "twist": True, "shuffle": False, "bucket_bytes": 1 << 20,
            "weight_decay_exclude": ["bias", "norm"], "threads": "auto"})
        self.assertEqual(_result.typed("from_a_later_version", "1"), "1")


class UnitsTest(unittest.TestCase):
    def test_units(self):
        self.assertEqual([_units.span(seconds) for seconds in (4.72e-5, 0.5, 3, 600, 9000)],
                         ["47.2 us", "500 ms", "3 s", "10 min", "2.5 h"])
        self.assertEqual([_units.gib(count) for count in (9, 2048, 3 << 20, 5 << 29)],
                         ["9 B", "2.00 KiB", "3.00 MiB", "2.50 GiB"])


if __name__ == "__main__":
    unittest.main()
