"""podsim.plan's object, of what the programs say."""

import copy
import dataclasses
import datetime
import json
import pathlib
import pickle
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import podsim  # noqa: E402
from podsim import _job, _plan, _programs, _which  # noqa: E402

JOB = {"model": "mlp", "hidden": [64], "batch_per_core": 8, "train_steps": 100,
       "learning_rate": 0.1, "optimizer": "sgd", "seed": 3}


def plan_of(topology, asked=_which.Question(), measured=None, **more):
    with tempfile.TemporaryDirectory() as folder:
        return _plan.of_job({**JOB, "topology": topology, **more}, pathlib.Path(folder), asked,
                            measured)


def run_on(slice_name, global_batch, job):
    """A run whose second and third steps took 250 ms."""
    model, dataset = job.split(" on ")
    steps = [{"step": i + 1, "loss": 1.0 / (i + 1), "seconds": seconds,
              "examples_per_second": global_batch / seconds}
             for i, seconds in enumerate((9.0, 0.25, 0.25))]
    return podsim.Run(params={}, state=None, metrics=steps, evaluations=[],
                      plan={"slice": slice_name, "global_batch": global_batch, "model": model,
                            "dataset": dataset, "settings": {}},
                      summary={"steps": 3}, model_dir=None)


class MeasuredTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bare = plan_of("v3-8..v3-32")

    def test_a_run_is_beside_its_row(self):
        plan = plan_of("v3-8..v3-32", measured=run_on("v3-8", 64, self.bare.job))
        measured = plan["v3-8"].measured
        self.assertEqual((measured.path, measured.steps), ("measured", 3))
        self.assertEqual((measured.step_seconds_wall, measured.examples_per_second_wall),
                         (0.25, 256))
        self.assertIsNone(measured.simulated_step_seconds)
        self.assertAlmostEqual(measured.loss, 1 / 3)
        self.assertIsNone(plan["v3-32"].measured)
        self.assertEqual(plan.measured_notes,
                         ("measured: it ended before its step was simulated",))
        self.assertIn("step (wall)", plan.table)
        self.assertIn("250 ms", plan.table)
        self.assertNotIn("step (wall)", self.bare.table)
        rows = json.loads(plan.to_json())["rows"]
        self.assertEqual(rows[0]["measured"]["step_seconds_wall"], 0.25)
        self.assertIsNone(rows[1]["measured"])

    def test_what_has_no_row_is_named(self):
        runs = [run_on("v3-32", 256, self.bare.job), run_on("v4-8", 64, self.bare.job)]
        plan = plan_of("v3-8..v3-32", measured=runs)
        self.assertEqual(plan["v3-32"].measured.path, "measured[0]")
        self.assertIn("measured[1] is not in the table: it ran on v4-8",
                      " ".join(plan.measured_notes))

    def test_what_is_no_run_is_refused(self):
        for measured, error, said in (
                (3, TypeError, "measured is 3; it must be what podsim.train returned, the path of a"),
                ([3], TypeError, r"measured\[0\] is 3; it must be what podsim.train returned, .*list"),
                ({"v3-8": 1}, TypeError, "measured is a dict; it must be what podsim.train"),
                ("a,b.jsonl", ValueError, "a comma is between files"),
                (__file__, podsim.PodsimError, "is no metrics file: line 1 is no record")):
            with self.subTest(said), self.assertRaisesRegex(error, said):
                plan_of("v3-8", measured=measured)


class PlanTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plan = plan_of("v3-8..v3-64", reference_topology="v3-8")

    def test_rows_are_typed(self):
        self.assertEqual([row.slice for row in self.plan], ["v3-8", "v3-32", "v3-64"])
        row = self.plan["v3-32"]
        self.assertIsInstance(row, podsim.PlanRow)
        self.assertEqual((row.batch_per_core, row.global_batch, row.train_steps, row.chips),
                         (8, 256, 25, 16))
        self.assertAlmostEqual(row.learning_rate, 0.4)
        self.assertLess(row.hbm_bytes, row.hbm_bytes_available)
        self.assertEqual(row.hbm_bytes_available, (16384 - 528) << 20)
        self.assertLess(row.step_seconds_low, row.step_seconds)
        self.assertLess(row.step_seconds, row.step_seconds_high)
        self.assertAlmostEqual(row.seconds, 25 * row.step_seconds)
        self.assertAlmostEqual(row.chip_hours, row.seconds * 16 / 3600)
        self.assertAlmostEqual(row.run_seconds,
                               row.seconds + row.start_up_seconds + row.evaluation_seconds)
        self.assertAlmostEqual(row.run_chip_hours, row.run_seconds * 16 / 3600)
        self.assertLess(row.run_seconds_low, row.run_seconds)
        self.assertLess(row.run_seconds, row.run_seconds_high)
        self.assertAlmostEqual(row.step_seconds_without_fixed_cost + row.fixed_seconds,
                               row.step_seconds)
        self.assertTrue(0 < row.mfu < 1)
        self.assertGreater(row.model_flops, 0)
        self.assertEqual((row.recomputed_flops, row.recomputed_share), (0, 0))
        self.assertIsNone(row.tokens_per_second)
        self.assertEqual(row.generation, "v3")
        self.assertEqual(row.bound_by, "the fixed cost")
        self.assertLess(row.efficiency, self.plan[0].efficiency)
        self.assertLessEqual(row.efficiency_low, row.efficiency)
        self.assertLessEqual(row.efficiency, row.efficiency_high)
        self.assertEqual((self.plan[0].efficiency_low, self.plan[0].efficiency_high), (1, 1))
        self.assertIsNone(row.sharded_update_saves)
        self.assertAlmostEqual(row.run_chip_hours_high, row.run_seconds_high * 16 / 3600)
        self.assertIs(self.plan[-1], self.plan["v3-64"])
        self.assertEqual(len(self.plan), 3)
        with self.assertRaisesRegex(KeyError, "no row of v4-8; it has v3-8, v3-32, v3-64"):
            _ = self.plan["v4-8"]

    def test_a_price_is_that_of_the_chip_hours(self):
        with self.assertRaises(AttributeError) as caught:
            min(self.plan, key=lambda row: row.cost)
        self.assertEqual(str(caught.exception), "a row has no cost without a price: "
                         "podsim.plan(..., price_per_chip_hour=2.2), or plan.price(2.2)")
        priced = self.plan.price(2.5)
        for row in priced:
            self.assertAlmostEqual(row.cost, 2.5 * row.run_chip_hours)
            self.assertAlmostEqual(row.cost_low, 2.5 * row.run_seconds_low * row.chips / 3600)
            self.assertGreater(row.cost_high, row.cost)
            self.assertIsInstance(row, podsim.PlanRow)
        self.assertAlmostEqual(priced.price(5)[0].cost, 2 * priced[0].cost)
        self.assertAlmostEqual(pickle.loads(pickle.dumps(priced))[0].cost, priced[0].cost)
        self.assertIn("cost", priced.table)
        self.assertIn("2.5 a chip-hour", priced.table)
        self.assertNotIn("a chip-hour", self.plan.table)
        for wrong in (0, -1, float("nan"), float("inf"), "$1", True):
            with self.assertRaisesRegex(ValueError, "must be a number above 0"):
                self.plan.price(wrong)

    def test_prices_are_by_generation_too(self):
        plan = plan_of("v3-8,v4-8")
        priced = plan.price({"v3": 2, "v4": 3})
        self.assertAlmostEqual(priced["v3-8"].cost, 2 * plan["v3-8"].run_chip_hours)
        self.assertAlmostEqual(priced["v4-8"].cost, 3 * plan["v4-8"].run_chip_hours)
        self.assertIn("v3 2, v4 3 a chip-hour", priced.table)
        self.assertEqual(json.loads(priced.to_json())["price_per_chip_hour"], {"v3": 2, "v4": 3})
        self.assertEqual(plan.price({"v3": 2, "v4": 3, "v5e": 1}).rows, priced.rows)

    def test_prices_that_are_of_no_generation_are_refused(self):
        plan = plan_of("v3-8,v4-8")
        for prices, kind, said in (
                ({"v3": 2}, ValueError, 'has no price of v4, which v4-8 is of: add "v4": price$'),
                ({"v3": -1}, ValueError, r"\['v3'\] is -1; it must be a number"),
                ({"v3-8": 2}, TypeError, "has a price of 'v3-8'; name a generation, such as"),
                ({}, TypeError, "is a dict; it must be a price for each generation"),
                ({"v3": 1, "v4": 1, "v33": 2}, ValueError, ": no generation is called 'v33'; did "
                 r"you mean v3\?; known: v2, v3, "),
                ({"v9": 2}, ValueError, ": no generation is called 'v9'; did you mean ")):
            with self.assertRaisesRegex(kind, f"^per_chip_hour ?{said}"):
                plan.price(prices)

    def test_a_generation_of_the_job_may_have_a_price(self):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder, "own.txt")
            place.write_text(_programs.run("pod_launch", ["--print_hardware=v3"]).replace(
                'name: "v3"', 'name: "own"', 1).replace('"v3-', '"own-'))
            plan = plan_of("v4-8", hardware=place)
            self.assertEqual(plan.price({"v4": 3, "own": 1})[0].cost, plan.price(3)[0].cost)
            asked = _which.Question(chip_prices={"v4": 3, "own": 1})
            self.assertEqual(plan_of("v4-8", asked, hardware=place)[0].cost,
                             plan.price(3)[0].cost)

    def test_a_deadline_and_a_budget_name_slices(self):
        slices = "v3-8..v3-64,v4-8"
        rows = plan_of(slices).price({"v3": 1, "v4": 3}).rows
        deadline = 1.001 * sorted(row.run_seconds for row in rows)[2]
        budget = 1.001 * sorted(row.cost for row in rows)[2]
        plan = plan_of(slices, asked=_which.Question(f"{deadline!r}s", budget,
                                                    {"v3": 1, "v4": 3}))
        fit = [row for row in rows if row.run_seconds <= deadline and row.cost <= budget]
        self.assertEqual((plan.which.deadline_seconds, plan.which.budget), (deadline, budget))
        if fit:
            cheapest = min(fit, key=lambda row: row.cost)
            self.assertEqual(plan.which.cheapest.slice, cheapest.slice)
            self.assertAlmostEqual(plan.which.cheapest.cost, cheapest.cost)
            self.assertEqual(plan.which.fastest.slice,
                             min(fit, key=lambda row: row.run_seconds).slice)
            self.assertTrue(0 < plan.which.cheapest.holds <= 1)
        self.assertEqual(plan.which.nearest is None, bool(fit))
        self.assertIn(str(plan.which), plan.table)
        self.assertEqual(json.loads(plan.to_json())["which"]["budget"], budget)
        self.assertEqual([row.cost for row in plan], [row.cost for row in rows])
        for row in plan:
            for marked, low, high, limit in (
                    (row.deadline, row.run_seconds_low, row.run_seconds_high, deadline),
                    (row.budget, row.cost_low, row.cost_high, budget)):
                self.assertEqual(marked, "meets" if high <= limit else
                                 "may miss" if low <= limit else "misses")
        self.assertRegex(plan.table.splitlines()[1], r"  cost  +run low  +run high  +cost low  +"
                         r"cost high  deadline  budget +bound by$")
        self.assertTrue({*plan.which.cheapest_ties, *plan.which.fastest_ties} <=
                        {row.slice for row in fit})
        self.assertIsNone(self.plan[0].deadline)
        self.assertNotIn("deadline", self.plan.table)

    def test_without_limits_which_is_false_and_says_why(self):
        for which in (self.plan.which, pickle.loads(pickle.dumps(self.plan)).which,
                      copy.deepcopy(self.plan.which)):
            self.assertFalse(which)
            self.assertEqual(which, _which.NoLimits())
            self.assertEqual(str(which), "this plan has no `which`: podsim.plan names slices only "
                             'with deadline= or budget=, such as deadline="4h"')
            with self.assertRaises(AttributeError) as caught:
                which.cheapest.slice
            self.assertEqual(str(caught.exception), f"{which}; without them take min(plan, "
                             "key=lambda row: row.cost)")
            with self.assertRaisesRegex(AttributeError, r"key=lambda row: row.run_seconds\)$"):
                which.fastest
        self.assertIsNone(json.loads(self.plan.to_json())["which"])

    def test_what_no_slice_keeps_names_the_nearest(self):
        plan = plan_of("v3-8..v3-32", asked=_which.Question(deadline="1ms"))
        self.assertIsNone(plan.which.cheapest)
        self.assertGreater(plan.which.nearest.of_limit, 1)
        self.assertIsNone(plan.which.nearest.cost)
        self.assertIn("no slice of these keeps 1 ms", str(plan.which))

    def test_what_moves_low_and_high_is_named(self):
        cheapest = plan_of("v3-8", asked=_which.Question(deadline="9d")).which.cheapest
        for names in (cheapest.low_moved_by, cheapest.high_moved_by):
            self.assertEqual(names[0], "start_seconds")
            self.assertLessEqual(len(names), 2)

    def test_prices_may_be_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder, "mine.txt")
            place.write_text('chip { generation: "v3" per_hour: 2 }')
            plan = plan_of("v3-8..v3-32", asked=_which.Question(chip_prices=place))
        for row in plan:
            self.assertAlmostEqual(row.cost, 2 * row.run_chip_hours)

    def test_questions_that_nobody_can_answer(self):
        for asked, kind, said in (
                ({"budget": 5}, TypeError, "budget needs the price of a chip for an hour"),
                ({"budget": 0, "price_per_chip_hour": 1}, ValueError, "budget is 0; it must be"),
                ({"deadline": -1}, ValueError, "deadline is -1; it must be a time above 0"),
                ({"deadline": True}, ValueError, "deadline is True; it must be a time above 0"),
                ({"deadline": 12}, TypeError, '^deadline is 12, a number without a unit: give '
                 '"12s" for seconds, "12h" for hours, or a datetime.timedelta$'),
                ({"deadline": 1.5}, TypeError, '"1.5s" for seconds, "1.5h" for hours'),
                ({"deadline": datetime.timedelta()}, ValueError, "it must be a time above 0"),
                ({"chip_prices": {}}, TypeError, "it must be a price for each generation"),
                ({"chip_prices": {3: 1}}, TypeError, "chip_prices has a price of 3; name"),
                ({"chip_prices": {"v3": 0}}, ValueError, r"chip_prices\['v3'\] is 0"),
                ({"chip_prices": {"v3": 1}, "price_per_chip_hour": 1}, TypeError,
                 "both say what a chip costs")):
            with self.assertRaisesRegex(kind, said):
                podsim.plan(None, None, None, **asked)
        for chip_prices, said in (
                ({"v4": 1}, 'chip_prices has no price of v3, which v3-8 is of: add "v3": price'),
                ({"v9": 1}, "chip_prices: 'v9' is no generation")):
            with self.assertRaises(podsim.PodsimError) as caught:
                plan_of("v3-8", asked=_which.Question(chip_prices=chip_prices))
            self.assertIn(said, str(caught.exception))
        with self.assertRaisesRegex(podsim.PodsimError, '^deadline is "4", a number without a '
                                    'unit: give 4s for seconds, 4h for hours$'):
            plan_of("v3-8", asked=_which.Question(deadline="4"))
        self.assertEqual(_which.Question(datetime.timedelta(minutes=90)).flags(pathlib.Path()),
                         ["--deadline=5400.0s"])

    def test_the_knee_is_the_largest_slice_that_is_efficient(self):
        efficient = [row for row in self.plan if row.efficiency >= 0.8]
        knee = max(efficient, key=lambda row: row.chips)
        self.assertEqual(dict(self.plan.knees), {"v3": knee.slice})
        self.assertIn(f"at least 80%: {knee.slice} (", self.plan.table)

    def test_the_knee_has_low_and_high(self):
        for knees, field in ((self.plan.knees_low, "efficiency_low"),
                             (self.plan.knees_high, "efficiency_high")):
            efficient = [row for row in self.plan if getattr(row, field) >= 0.8]
            self.assertEqual(dict(knees), {"v3": efficient[-1].slice})
        rows = [dataclasses.replace(row, efficiency=efficiency, efficiency_low=low,
                                    efficiency_high=high)
                for row, efficiency, low, high in zip(
                    self.plan, (1, 0.83, 0.76), (1, 0.78, 0.7), (1, 0.9, 0.81))]
        plan = dataclasses.replace(self.plan, rows=tuple(rows), knees={"v3": "v3-32"},
                                   knees_low={"v3": "v3-8"}, knees_high={"v3": "v3-64"})
        self.assertIn("at least 80%: v3-32 (83%, 78% to 90%; at low it is v3-8; at high it is "
                      "v3-64)", plan.table)
        self.assertRegex(plan.table, r" eff\. +eff\. low +eff\. high +recomputed ")

    def test_what_sharding_the_update_saves(self):
        plan = plan_of("v3-8..v3-32", sim_sharded_update=True, hidden=[2048, 2048])
        for row in plan:
            self.assertAlmostEqual(
                row.sharded_update_saves,
                1 - row.step_seconds / row.step_seconds_without_sharded_update)
            self.assertLessEqual(row.sharded_update_saves_low, row.sharded_update_saves)
            self.assertLessEqual(row.sharded_update_saves, row.sharded_update_saves_high)
        self.assertIn("\nwhat sharding the update saves of a step: v3-8 ", plan.table)

    def test_the_largest_batch_is_what_fits(self):
        plan = plan_of("v3-8,v4-8", batch_per_core="max")
        self.assertTrue(plan.largest_batch)
        self.assertEqual([row.batch_per_core % 8 for row in plan], [0, 0])
        self.assertGreater(plan["v4-8"].batch_per_core, plan["v3-8"].batch_per_core)
        self.assertIn("on every slice the largest batch per core or chip that fits", plan.table)
        alone = plan_of("v3-8", batch_per_core="max")
        self.assertEqual(alone[0].batch_per_core, plan["v3-8"].batch_per_core)

    def test_without_a_reference_each_row_is_as_given(self):
        plan = plan_of("v3-8..v3-32")
        self.assertEqual((self.plan.tuned_on, plan.tuned_on), ("v3-8", None))
        self.assertIn("; steps and learning rate as given\n", plan.table)
        self.assertEqual([(row.train_steps, row.learning_rate) for row in plan], [(100, 0.1)] * 2)

    def test_the_table_has_a_line_for_each_slice(self):
        heading, names, *lines = self.plan.table.splitlines()
        self.assertEqual(heading, "mlp on digits, the same batch per core on every slice; "
                         "steps and learning rate scaled from v3-8")
        self.assertEqual(str(self.plan), self.plan.table)
        self.assertIn("\ntimes are simulated, not measured", self.plan.table)
        self.assertRegex(self.plan.table, r"\nlinks of v3: \w")
        strong = plan_of("v3-8..v3-32", batch_per_core=None, train_batch_size=64)
        self.assertIn("the same global batch on every slice\n", strong.table)
        self.assertEqual([line.split()[0] for line in lines[:3]], ["v3-8", "v3-32", "v3-64"])
        self.assertEqual({line.index(row.bound_by) for line, row in zip(lines, self.plan)},
                         {names.index("bound by")})

    def test_batch_and_memory_are_those_of_what_trains(self):
        for slices, what in (("v3-8..v3-32", "core"), ("v4-8..v4-16", "chip"),
                             ("v3-8,v4-8", "core or chip")):
            plan = plan_of(slices)
            heading, names = plan.table.splitlines()[:2]
            self.assertIn(f"the same batch per {what} on every slice", heading)
            self.assertIn(f"batch/{what}  ", names)
            self.assertIn(f"HBM per {what}  ", names)
            self.assertIn(f"<th>HBM per {what}</th>", plan._repr_html_())
        self.assertEqual([row.replica_name for row in plan], ["core", "chip"])
        with mock.patch.object(_plan, "_terminal_width", return_value=100):
            self.assertIn(", HBM per core or chip, exposed, batch/core or chip", plan.table)

    def test_a_narrow_terminal_goes_without_some_columns(self):
        with mock.patch.object(_plan, "_terminal_width", return_value=100):
            lines = self.plan.table.splitlines()
        self.assertLessEqual(max(map(len, lines[:5])), 100)
        self.assertIn("step (sim)", lines[1])
        self.assertNotIn("learning rate", lines[1])
        self.assertIn("left out for want of width: learning rate, recomputed, all-reduce",
                      "\n".join(lines))

    def test_rows_that_train_on_different_examples_are_said(self):
        given = {"batch_per_core": None, "train_batch_size": 512, "reference_topology": "v3-32"}
        apart = plan_of("v3-32,v4-32", **given)
        examples = sorted(row.train_steps * row.global_batch for row in apart)
        self.assertIn(f"\n! the rows train on {examples[0]:,} to {examples[1]:,} examples "
                      "(train_steps * global_batch): ", apart.table)
        self.assertIn("reference_batch_size=N says one global_batch for all", apart.table)
        alike = plan_of("v3-32,v4-32", reference_batch_size=512, **given)
        self.assertNotIn("the rows train on", alike.table)
        self.assertEqual(_plan._examples_differ([]), [])

    def test_a_kind_of_warning_is_said_once(self):
        row = self.plan["v3-8"]
        rows = [dataclasses.replace(row, slice=name, warnings=(text,)) for name, text in (
            ("v3-8", "only 9 steps are left"), ("v3-32", "only 3 steps are left"),
            ("v3-64", "another"))]
        self.assertEqual(_plan._kinds_of_warnings(rows), [
            "! v3-8: only 9 steps are left (likewise v3-32)", "! v3-64: another"])

    def test_rows_of_two_programs_are_said(self):
        kernel = "attention is planned as a kernel of its own (Pallas, FlashAttention), ..."
        rows = [dataclasses.replace(self.plan["v3-8"], slice=name, warnings=texts)
                for name, texts in (("v4-8", ()), ("v5litepod-8", (kernel,)))]
        [said] = _plan._two_programs(rows)
        self.assertIn("plain on v4-8, a kernel of its own on v5litepod-8;", said)
        self.assertEqual(_plan._two_programs(rows[:1]) + _plan._two_programs(rows[1:]), [])

    def test_it_is_drawn_and_written(self):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder, "plan.svg")
            drawn = self.plan.plot(place)
            self.assertEqual(place.read_text(), drawn)
        self.assertEqual(drawn._repr_svg_(), str(self.plan.plot()))
        xml.etree.ElementTree.fromstring(drawn)
        page = self.plan._repr_html_()
        self.assertEqual(page.count("<tr>"), 4)
        self.assertIn("<svg", page)
        self.assertLess(len(page), 20_000)

    def test_json_has_the_rows(self):
        found = json.loads(self.plan.price(2).to_json())
        self.assertEqual(found["clock"], "sim")
        self.assertEqual(found["rows"][1]["slice"], "v3-32")
        self.assertEqual(found["rows"][1]["cost"], 2 * self.plan["v3-32"].run_chip_hours)

        self.assertIsNone(json.loads(self.plan.to_json())["rows"][1]["cost"])

    def test_json_is_written_to_a_path(self):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder, "plan.json")
            self.assertIsNone(self.plan.to_json(place))
            self.assertEqual(place.read_text(), self.plan.to_json() + "\n")
            with self.assertRaisesRegex(ValueError, "plan.txt'; what is written is JSON: give a "
                                        "name that ends in .json"):
                self.plan.to_json(pathlib.Path(folder, "plan.txt"))
        with self.assertRaisesRegex(ValueError, "no folder 'no/such'"):
            self.plan.to_json("no/such/plan.json")

    def test_a_row_is_no_dict_and_no_slice(self):
        row = self.plan[0]
        with self.assertRaisesRegex(TypeError, "no dict and no tuple: say row.chips; it has slice"):
            row["chips"]
        for topology, said in ((row, "a podsim.PlanRow; give its name: row.slice, 'v3-8'"),
                               (self.plan, "a podsim.Plan; give its name: .*plan.0..slice, 'v3-8'")):
            with self.assertRaisesRegex(TypeError, f"^topology is {said}"):
                _job.check_is_text(topology, several=False)

    def test_a_slice_that_there_is_not_is_offered_to_nobody(self):
        with self.assertRaises(KeyError) as caught:
            _ = self.plan["v3-16"]
        self.assertTrue(caught.exception.args[0].startswith(
            "the plan has no row of v3-16; it has v3-8, v3-32, v3-64; no slice is called 'v3-16'; "
            "nearest: v3-8, v3-32"), caught.exception.args[0])
        self.assertNotIn("makes one", caught.exception.args[0])
        # Without the program that knows nothing is said of it.
        with mock.patch.object(_programs, "run", side_effect=OSError), \
                self.assertRaises(KeyError) as caught:
            _ = self.plan["v5p-9999"]
        self.assertEqual(caught.exception.args[0],
                         "the plan has no row of v5p-9999; it has v3-8, v3-32, v3-64")

    def test_what_a_plan_has_not_is_told_where_it_is(self):
        plan = self.plan
        for ask, kind, said in (
                (lambda: plan.rows.efficiency, AttributeError, "plan.rows is a tuple of rows and "
                 "has no 'efficiency': say [row.efficiency for row in plan]"),
                (lambda: plan.rows.time, AttributeError, "plan.rows is a tuple of rows and has no "
                 "'time': say [row.run_seconds for row in plan]"),
                (lambda: plan[0].price, AttributeError, "a row has no cost without a price: "
                 "podsim.plan(..., price_per_chip_hour=2.2), or plan.price(2.2)"),
                (lambda: plan.price(2.2)[0].price, AttributeError, "a PlanRow has no 'price'; did "
                 "you mean cost?"),
                (lambda: plan.rows["v3-8"], TypeError, "plan.rows is a tuple; the plan itself has "
                 "the row of a slice: plan['v3-8']"),
                (lambda: plan[9], IndexError, "the plan has no row 9; it has 3, from 0 on: v3-8, "
                 "v3-32, v3-64"),
                (lambda: plan[1.0], TypeError, "a row of the plan is taken by its place, plan[0], or "
                 "by the name of its slice, not by 1.0; it has v3-8, v3-32, v3-64"),
                (lambda: plan.rows[9], IndexError, "plan.rows has no 9; it has 3, from 0 to 2; "
                 "plan.rows[-1] is the last"),
                (lambda: plan["v4-8"], KeyError, "the plan has no row of v4-8; it has v3-8, "
                 'v3-32, v3-64: podsim.plan(..., topology="v4-8") makes one'),
                (lambda: plan["hbm"], KeyError, "the plan has no row of hbm; it has v3-8, "
                 "v3-32, v3-64; its rows have: [row.hbm_bytes for row in plan]"),
                (lambda: plan.steps, AttributeError, "a Plan has no 'steps': its rows have: "
                 "[row.train_steps for row in plan]"),
                (lambda: plan(), TypeError, "a podsim.Plan is no function: leave () out; its rows "
                 "are plan[0] and so on"),
                (lambda: min(plan), TypeError, "rows of a plan have no order of their own: say by "
                 "what, as in min(plan, key=lambda row: row.run_seconds)"),
                (lambda: plan.cost, AttributeError, "a Plan has no 'cost': a row has no "
                 "cost without a price: podsim.plan(..., price_per_chip_hour=2.2), or "
                 "plan.price(2.2)"),
                (lambda: plan.price(2.2).cost, AttributeError, "a Plan has no 'cost': its rows "
                 "have: [row.cost for row in plan]"),
                (lambda: plan[0].step_time, AttributeError, "a PlanRow has no 'step_time'; did "
                 "you mean step_seconds?"),
                (lambda: plan.to_json(5), TypeError, 'path is 5; it must be a path, such as '
                 '"plan.json"'),
                (lambda: plan.slices, AttributeError, "a Plan has no 'slices': say [row.slice for "
                 "row in plan]"),
                (lambda: plan.tabel, AttributeError, "a Plan has no 'tabel'; did you mean table?"),
                (lambda: plan.params, AttributeError, "a Plan has no 'params': podsim.plan trains "
                 "nothing; podsim.train(...).params are the trained weights"),
                (lambda: plan.losses, AttributeError, "a Plan has no 'losses': podsim.plan trains "
                 "nothing; podsim.train(...).losses are those of its steps"),
                (lambda: plan.summary, AttributeError, "a Plan has no 'summary': podsim.plan "
                 "trains nothing; podsim.train(...).summary is what the run came to; print(plan) "
                 "shows the plan"),
                (lambda: plan[0].weights, AttributeError, "a PlanRow has no 'weights': podsim.plan "
                 "trains nothing; podsim.train(...).params are the trained weights"),
                (lambda: plan[0].chip, AttributeError, "a PlanRow has no 'chip'; did you mean "
                 "chips?"),
                (lambda: plan.price(1, 2), TypeError, "plan.price takes per_chip_hour by position; "
                 "the 2nd argument, 2, is one too many: leave it out")):
            with self.assertRaises(kind) as caught:
                ask()
            self.assertEqual(str(caught.exception), said)
        self.assertEqual([row.slice for row in plan[1:]], ["v3-32", "v3-64"])

    def test_slices_that_are_refused_are_named(self):
        plan = plan_of("v3-8..v3-32", zone="us-central1-a")
        self.assertEqual([row.slice for row in plan], ["v3-8"])
        self.assertIn("us-central1-a does not offer v3-32", plan.refused["v3-32"])
        self.assertIn("v3-32 has no plan: zone: us-central1-a", str(plan))
        with self.assertRaisesRegex(KeyError, "no row of v3-32: zone: us-central1-a"):
            _ = plan["v3-32"]

    def test_of_one_slice_all_is_said(self):
        plan = plan_of("v3-32")
        self.assertIn("v3-32: 4 hosts", str(plan))
        self.assertIn("plan hash", str(plan))
        self.assertEqual([row.slice for row in plan], ["v3-32"])
        self.assertRegex(str(plan.price(1)), r"\ncost +\S+ at 1 a chip-hour$")
        self.assertNotIn("<svg", plan._repr_html_())
        with self.assertRaisesRegex(podsim.PodsimError, "seed"):
            plan_of("v3-32", seed=-1)


if __name__ == "__main__":
    unittest.main()
