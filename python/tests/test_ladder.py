"""podsim.ladder's object, of what pod_ladder says."""

import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import podsim  # noqa: E402
from podsim import _ladder, _programs  # noqa: E402
from podsim._settings import SETTINGS  # noqa: E402


def run_of(seed, eval_loss):
    return {"seed": seed, "plan_hash": "hash", "steps": 200, "examples": 12800,
            "train_loss": 0.1, "eval_loss": eval_loss, "eval_accuracy": 0.96,
            "simulated_step_seconds": 0.005, "wall_step_seconds": 0.001, "failure": None}


def rung(name, chips, verdict, runs, **more):
    return {"slice": name, "chips": chips, "batch_per_core": 8, "global_batch": 16 * chips,
            "train_steps": 800 // chips, "learning_rate": 0.025 * chips, "step_seconds": 0.005,
            "efficiency": 1.0, "verdict": verdict, "reason": None, "change": None,
            "runs": runs} | more


WHY = {"reason": "eval loss 0.5 is above 0.11", "change": "--steps: 200 on v3-8; try 400"}
WRITTEN = json.dumps({
    "job": "loss_fn on arrays", "scaling": "weak", "examples": 12800, "until_efficiency": None,
    "band": {"of": "eval_loss", "seeds": 3, "mean": 0.11, "standard_deviation": 0.01,
             "low": 0.08, "high": 0.14, "accuracy": 0.96},
    "passed": False, "stopped_at": "v3-32", **WHY,
    "rungs": [rung("v3-8", 4, "passed", [run_of(0, 0.10), run_of(1, 0.11), run_of(2, 0.12)]),
              rung("v3-32", 16, "loss", [run_of(0, 0.5)], **WHY),
              rung("v3-128", 64, "not run", [])]})


class LadderTest(unittest.TestCase):
    def setUp(self):
        self.ladder = _ladder.read(WRITTEN, "<svg></svg>", "<!DOCTYPE html>")

    def test_rows_are_typed(self):
        self.assertEqual([row.slice for row in self.ladder], ["v3-8", "v3-32", "v3-128"])
        first = self.ladder["v3-8"]
        self.assertIsInstance(first, podsim.LadderRow)
        self.assertTrue(first.passed)
        self.assertAlmostEqual(first.eval_loss, 0.11)
        self.assertEqual((first.global_batch, first.train_steps, len(first.runs)), (64, 200, 3))
        self.assertIs(self.ladder[1], self.ladder["v3-32"])
        self.assertIsNone(self.ladder["v3-128"].eval_loss)
        with self.assertRaisesRegex(KeyError, "no row of v3-64; it has v3-8, v3-32, v3-128"):
            self.ladder["v3-64"]

    def test_it_says_where_it_stopped(self):
        self.assertFalse(self.ladder.passed)
        self.assertEqual(self.ladder.stopped_at, "v3-32")
        self.assertEqual(self.ladder.change, "train_steps: 200 on v3-8; try 400")
        said = str(self.ladder)
        for part in ("trained on 12,800 examples", "FAILED: loss", "96.00%",
                     "eval loss must be 0.11, the mean of 3 seeds on v3-8, within 0.03",
                     "v3-32 failed: eval loss 0.5 is above 0.11",
                     "change train_steps: 200", "not run: v3-128"):
            self.assertIn(part, said)

    def test_it_is_drawn_and_written(self):
        page = self.ladder._repr_html_()
        self.assertIn("<th>eval loss</th>", page)
        self.assertIn("<svg></svg>", page)
        self.assertEqual(self.ladder.plot(), "<svg></svg>")
        self.assertEqual(json.loads(self.ladder.to_json()), json.loads(WRITTEN))
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder, "ladder.json")
            self.assertIsNone(self.ladder.to_json(place))
            self.assertEqual(json.loads(place.read_text()), json.loads(WRITTEN))
            place = pathlib.Path(folder, "ladder.html")
            self.assertEqual(self.ladder.report(place), place)
            self.assertEqual(place.read_text(), "<!DOCTYPE html>")
            with self.assertRaisesRegex(ValueError, "a name that ends in .html"):
                self.ladder.report(pathlib.Path(folder, "ladder.pdf"))

    def test_other_names_say_what_is_meant(self):
        for name, said in (("failed", "stopped_at"), ("losses", "eval_loss"), ("html", "ladder.report"),
                           ("eval_loss", r"\[row.eval_loss for row in ladder\]")):
            with self.assertRaisesRegex(AttributeError, said):
                getattr(self.ladder, name)
        with self.assertRaisesRegex(TypeError, "no function"):
            self.ladder()

    def test_arguments_become_flags(self):
        self.assertEqual(_ladder.check(None, None, False), [])
        self.assertEqual(_ladder.check(0.8, "runs/a", True),
                         ["--until=efficiency:0.8", "--ladder_dir=runs/a", "--resume"])
        for until in (0, 80, True, "0.8"):
            with self.assertRaisesRegex(ValueError, "such as until=0.8"):
                _ladder.check(until, None, False)
        with self.assertRaisesRegex(TypeError, "ladder_dir"):
            _ladder.check(None, None, True)
        with self.assertRaisesRegex(TypeError, "model_dir is 'runs/a', a setting of one run"):
            _ladder.check_settings({"model_dir": "runs/a"})

    def test_settings_of_one_run_are_those_that_the_program_has_not(self):
        known = json.loads(_programs.run("pod_ladder", ["--help=json"]))["settings"]
        names = {name for each in known for name in [each["flag"], *each.get("also", [])]}
        idle = {"dry_run", "print_job", "selftest", "describe", "print_hardware", "write_model",
                "print_compose"}
        self.assertEqual(set(SETTINGS) - names - idle, set(_ladder.ONE_RUN))

    def test_a_model_of_the_programs_climbs(self):
        with tempfile.TemporaryDirectory() as folder:
            own = podsim._inputs._guard.Guarded(pathlib.Path(folder, "own"))
            own.path.mkdir()
            try:
                ladder = _ladder.of_job(
                    {"model": "mlp", "train_steps": 400, "learning_rate": 0.05, "isa": "v3",
                     "topology": "v3-8"}, own.path, [], own.watching)
            finally:
                own.close()
        self.assertTrue(ladder.passed)
        self.assertEqual(len(ladder["v3-8"].runs), 3)
        self.assertIn("v3-8", ladder.drawing)
        for said in ("every slice passed", "Side by side", "<h2>v3-8, seed 2</h2>"):
            self.assertIn(said, ladder.written_page)


if __name__ == "__main__":
    unittest.main()
