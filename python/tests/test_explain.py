"""plan.explain(), of what the programs say and of what is kept for it."""

import copy
import json
import pathlib
import pickle
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import podsim  # noqa: E402
from podsim import _explain, _kept, _npy, _plan, _programs, _safetensors, _units  # noqa: E402

GOLDEN = ROOT / "tests" / "golden" / "imports"
JOB = {"model": "mlp", "hidden": [64], "batch_per_core": 8, "train_steps": 100,
       "learning_rate": 0.1, "optimizer": "sgd"}


def plan_of(topology, **more):
    with tempfile.TemporaryDirectory() as folder:
        return _plan.of_job({**JOB, "topology": topology, **more}, pathlib.Path(folder))


def imported_plan():
    """Of a function that JAX lowered; its folder is gone."""
    golden = _safetensors.read(GOLDEN / "mlp.safetensors")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        _programs.run("pod_program", ["import", GOLDEN / "mlp.import",
                                      f"--output={folder / 'model'}"])
        for field in ("0", "1"):
            with _npy.Writer(folder / "train" / f"{field}.npy") as file:
                file.append(golden[f"input/{field}"])
        return _plan.of_job({
            "model_file": folder / "model", "dataset": "arrays", "data_dir": folder,
            "topology": "v3-8", "batch_per_core": 1, "train_steps": 30,
            **podsim.adamw(1e-2).settings}, folder)


class ExplainTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plan = plan_of("v3-8..v3-32")
        cls.explained = cls.plan.explain("v3-8")

    def test_it_prints_what_pod_plan_does(self):
        text = str(self.explained)
        self.assertIn("mlp on digits, v3-8: what a core runs in one training step of 8", text)
        self.assertIn("\n# HBM at its fullest, ", text)
        self.assertEqual(repr(self.explained), text)
        self.assertFalse(text.endswith("\n"))

    def test_its_parts_are_plain(self):
        kernels, totals, hbm = (self.explained.kernels, self.explained.totals,
                                self.explained.hbm)
        self.assertEqual(len(kernels), totals["kernels"])
        self.assertAlmostEqual(sum(kernel["seconds"] for kernel in kernels), totals["seconds"])
        self.assertAlmostEqual(sum(line["share"] for line in self.explained.lines), 1)
        self.assertEqual(sorted(place for line in self.explained.lines
                                for place in line["kernels"]), list(range(len(kernels))))
        self.assertLess(hbm["bytes"], hbm["bytes_available"])
        self.assertEqual(kernels[0].seconds, kernels[0]["seconds"])
        for part in (kernels, totals, hbm):
            self.assertEqual(json.loads(json.dumps(part)), part)

    def test_a_notebook_shows_a_table(self):
        page = self.explained._repr_html_()
        self.assertEqual(page.count("<tr>"), 1 + min(20, len(self.explained.lines)))
        self.assertIn("<div>mlp on digits, v3-8: kernels of one training step", page)
        self.assertIn("HBM at its fullest, ", page)

    def test_a_slice_is_chosen(self):
        plan = self.plan
        for which in ("v3-32", plan["v3-32"], -1):
            self.assertEqual(plan.explain(which).slice, "v3-32")
        self.assertEqual(plan_of("v3-8").explain().slice, "v3-8")
        self.assertEqual(plan.price(2).explain("v3-32").slice, "v3-32")
        for which, kind, said in (
                (None, TypeError, "plan.explain tells of one slice, and this plan has 2, v3-8, "
                 "v3-32: say which, as in plan.explain('v3-8')"),
                (slice(0, 2), TypeError, "plan.explain tells of one slice: name it, as in "
                 "plan.explain('v3-8')"),
                ("v4-8", KeyError, "the plan has no row of v4-8; it has v3-8, v3-32: podsim.plan"),
                (9, IndexError, "the plan has no row 9")):
            with self.assertRaises(kind) as caught:
                plan.explain(which)
            self.assertIn(said, caught.exception.args[0])
        with self.assertRaisesRegex(TypeError, "plan.explain has no argument 'topology'"):
            plan.explain(topology="v3-8")

    def test_what_it_has_not_is_told(self):
        explained = self.explained
        for ask, said in (
                (lambda: explained.memory, "an Explanation has no 'memory': say explanation.hbm"),
                (lambda: explained.kernel, "an Explanation has no 'kernel'; did you mean kernels?"),
                (lambda: explained.totals.second, "did you mean seconds?"),
                (lambda: explained.kernels.seconds, "explanation.kernels is a list with a record "
                 "for each kernel: say [m['seconds'] for m in explanation.kernels]"),
                (lambda: self.plan.kernels, "a Plan has no 'kernels': plan.explain() says what")):
            with self.assertRaises(AttributeError) as caught:
                ask()
            self.assertIn(said, str(caught.exception))
        with self.assertRaisesRegex(TypeError, "a podsim.Explanation is no function"):
            explained()
        with self.assertRaisesRegex(ValueError, "not made by podsim.plan"):
            _plan.Plan(rows=self.plan.rows, refused={}, job="").explain("v3-8")
        with self.assertRaisesRegex(TypeError, r"'profile': say podsim.plan\(...\).explain\(\)"):
            podsim.plan(None, None, None, profile=True)

    def test_an_imported_model_is_kept_with_its_plan(self):
        plan = imported_plan()
        for each in (plan, pickle.loads(pickle.dumps(plan)), copy.copy(plan)):
            explained = each.explain()
            sources = {kernel["source"] for kernel in explained.kernels
                       if kernel["kind"] == "product"}
            self.assertRegex(sources.pop(), r"^\w+\.py:\d+$")
            self.assertIn(".py:", str(explained))
        self.assertEqual(pickle.loads(pickle.dumps(explained)).totals, explained.totals)

    def test_words_are_pythons(self):
        for said in ("fixed cost; --verbose lists all", "fixed cost; --verbose\n#   lists all",
                     "op; --verbose or --json\n#   has all\n"):
            self.assertRegex(_explain._in_python(said), r"^\w[\w ]*; \.kernels has all$")


class KeptTest(unittest.TestCase):
    def test_files_come_back_where_the_settings_say(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "train").mkdir()
            (folder / "train" / "0.npy").write_bytes(b"x")
            (folder / "model").write_bytes(b"m")
            kept = _kept.Kept({"model_file": folder / "model", "data_dir": folder, "seed": 3,
                               "hardware": pathlib.Path("mine.txt"), "topology": "v3-8..v3-32"},
                              folder)
        with pickle.loads(pickle.dumps(kept)).settings("v3-8") as settings:
            self.assertEqual(settings["model_file"].read_bytes(), b"m")
            self.assertEqual((settings["data_dir"] / "train" / "0.npy").read_bytes(), b"x")
            self.assertEqual((settings["topology"], settings["seed"], settings["hardware"]),
                             ("v3-8", 3, pathlib.Path("mine.txt")))
            place = settings["data_dir"]
        self.assertFalse(place.exists())


class ThousandsTest(unittest.TestCase):
    def test_three_digits(self):
        for count, unit, text in ((0, "", "0"), (512, "FLOP", "512 FLOP"), (999.7, "", "1 K"),
                                  (1.2345e12, "FLOP", "1.23 TFLOP"), (5e20, "", "500 E")):
            self.assertEqual(_units.thousands(count, unit), text)


if __name__ == "__main__":
    unittest.main()
