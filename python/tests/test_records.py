"""What a run's dicts and lists say of names that they have not."""

import copy
import json
import pathlib
import pickle
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import podsim  # noqa: E402

RUN = podsim.Run(params={}, state=None, metrics=[{"step": 1, "loss": 2.0, "metrics": {"acc": 0.5}}],
                 evaluations=[{"step": 1, "loss": 3.0}], model_dir=None,
                 plan={"train_steps": 4, "slice": "v3-8", "settings": {"batch_per_core": 8}},
                 summary={"loss": 2.0, "examples": 32})


class RecordsTest(unittest.TestCase):
    def check(self, ask, kind, said):
        with self.assertRaises(kind) as caught:
            ask()
        self.assertEqual(caught.exception.args[0], said)

    def test_names_are_attributes(self):
        self.assertEqual((RUN.plan.train_steps, RUN.plan["train_steps"], RUN.summary.loss), (4, 4, 2))
        self.assertEqual(RUN.plan.settings.batch_per_core, 8)
        self.assertEqual((RUN.metrics[0].loss, RUN.evaluations[-1].loss), (2.0, 3.0))

    def test_names_that_are_not_there(self):
        for ask, kind in ((lambda: RUN.plan.train_step, AttributeError),
                          (lambda: RUN.plan["train_step"], KeyError)):
            self.check(ask, kind, "run.plan has no 'train_step'; did you mean train_steps?")
        self.check(lambda: RUN.summary["final_loss"], KeyError,
                   "run.summary has no 'final_loss'; did you mean loss?")
        self.check(lambda: RUN.summary.zz, AttributeError,
                   "run.summary has no 'zz'; it has loss, examples")
        self.assertIsNone(RUN.plan.get("train_step"))

    def test_a_list_of_records_is_asked_for_one(self):
        for ask, kind in ((lambda: RUN.metrics["loss"], TypeError),
                          (lambda: RUN.metrics.loss, AttributeError)):
            self.check(ask, kind, "run.metrics is a list with a record for each step: say "
                       "run.losses, or [m['loss'] for m in run.metrics]")
        self.check(lambda: RUN.metrics["acc"], TypeError, "run.metrics has a record for each step: "
                   "say [m['metrics']['acc'] for m in run.metrics]")
        self.check(lambda: RUN.evaluations["zz"], TypeError, "run.evaluations has a record for each "
                   "evaluation, none with 'zz'; it has step, loss")

    def test_they_are_dicts_and_lists(self):
        self.assertEqual(json.loads(json.dumps(RUN.plan)), RUN.plan)
        for other in (copy.deepcopy(RUN), pickle.loads(pickle.dumps(RUN))):
            self.assertEqual(other.metrics, RUN.metrics)
            self.assertEqual(other.plan.slice, "v3-8")
        self.assertEqual(RUN.metrics[:], [RUN.metrics[0]])
        self.assertEqual({**RUN.summary}, {"loss": 2.0, "examples": 32})

    def test_a_run_says_where_a_name_is(self):
        has = "; it has params, state, metrics, evaluations, plan, summary, model_dir, losses"
        for name, said in (("history", ": say run.metrics"), ("weights", ": say run.params"),
                           ("train_steps", ": say run.plan.train_steps"),
                           ("examples", ": say run.summary.examples"),
                           ("step", ": say [m['step'] for m in run.metrics]"),
                           ("param", "; did you mean params?")):
            self.check(lambda: getattr(RUN, name), AttributeError, f"a Run has no '{name}'{said}{has}")

    def test_a_run_is_no_dict_and_no_tuple(self):
        with self.assertRaisesRegex(TypeError, "no dict and no tuple: run = .*, then run.summary;"):
            RUN["summary"]
        with self.assertRaisesRegex(TypeError, "no dict and no tuple: run = .*, then run.params;"):
            params, metrics = RUN


if __name__ == "__main__":
    unittest.main()
