"""What a run's dicts and lists say of names that they have not."""

import copy
import dataclasses
import json
import pathlib
import pickle
import sys
import unittest

import numpy as np

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

    def test_what_was_not_evaluated_says_so(self):
        self.check(lambda: RUN.summary["eval_accuracy"], KeyError,
                   "run.summary has no 'eval_accuracy', as nothing was evaluated: give "
                   "eval_dataset= and eval_fn=")

    def test_names_that_are_not_there(self):
        for ask, kind in ((lambda: RUN.plan.train_step, AttributeError),
                          (lambda: RUN.plan["train_step"], KeyError)):
            self.check(ask, kind, "run.plan has no 'train_step'; did you mean train_steps?")
        self.check(lambda: RUN.summary["final_loss"], KeyError,
                   "run.summary has no 'final_loss': say run.summary.loss")
        self.check(lambda: RUN.summary.zz, AttributeError,
                   "run.summary has no 'zz'; it has loss, examples")
        self.assertIsNone(RUN.plan.get("train_step"))
        self.check(lambda: RUN.plan.topology, AttributeError,
                   "run.plan has no 'topology': say run.plan.slice")
        self.check(lambda: RUN.plan["batch_per_core"], KeyError, "run.plan has no "
                   "'batch_per_core': say run.plan.settings.batch_per_core")
        self.check(lambda: RUN.plan.settings.lr, AttributeError,
                   "run.plan[\"settings\"] has no 'lr'; it has batch_per_core")
        for which in (0, None, (1, 2)):
            self.check(lambda which=which: RUN.summary[which], KeyError, "run.summary is a dict, "
                       f"and {which!r} is none of its names; it has loss, examples")

    def test_places_that_are_none(self):
        for which in (1.0, None, (0, 1)):
            self.check(lambda which=which: RUN.metrics[which], TypeError, f"run.metrics[{which!r}]: "
                       "a record is taken by its place, a whole number, as in run.metrics[-1]")
        self.check(lambda: RUN.losses[0.5], IndexError, "run.losses[0.5]: a loss is taken by its "
                   "place, a whole number, as in run.losses[-1]")
        self.check(lambda: RUN.losses["acc"], IndexError, "run.losses is an array of one loss a "
                   "step; run.metrics has what a step has beside it: [m['acc'] for m in "
                   "run.metrics]")
        self.check(lambda: RUN.losses["loss"], IndexError, "run.losses is an array of one loss a "
                   "step; leave ['loss'] out")
        self.check(lambda: RUN.losses.plot, AttributeError, "run.losses is an array of NumPy, one "
                   "loss a step, and has no 'plot'; run.metrics has what a step has beside it, "
                   "run.evaluations and run.summary have the rest")
        self.assertEqual(RUN.metrics[np.int64(0)].loss, 2.0)

    def test_a_list_of_records_is_asked_for_one(self):
        for ask, kind in ((lambda: RUN.metrics["loss"], TypeError),
                          (lambda: RUN.metrics.loss, AttributeError)):
            self.check(ask, kind, "run.metrics is a list with a record for each step: say "
                       "run.losses, or [m['loss'] for m in run.metrics]")
        self.check(lambda: RUN.metrics["acc"], TypeError, "run.metrics has a record for each step: "
                   "say [m['metrics']['acc'] for m in run.metrics]")
        self.check(lambda: RUN.evaluations["zz"], TypeError, "run.evaluations has a record for each "
                   "evaluation, none with 'zz'; it has step, loss")

    def test_what_is_empty_says_why(self):
        none = dataclasses.replace(RUN, metrics=[], evaluations=[])
        self.check(lambda: none.evaluations[-1], IndexError, "run.evaluations is empty: this call "
                   "evaluated nothing; give eval_fn= and eval_dataset=")
        for called, ask in (("metrics", lambda: none.metrics[-1]),
                            ("losses", lambda: none.losses[-1])):
            self.check(ask, IndexError, f'run.{called} is empty: this call made no step: mode was '
                       '"eval", or its checkpoint had all of them; give more of train_steps= or '
                       'epochs= to train on')
        for called, ask in (("metrics", lambda: RUN.metrics[7]), ("losses", lambda: RUN.losses[7])):
            self.check(ask, IndexError, f"run.{called} has no 7: it has 1, from 0 to 0; "
                       f"run.{called}[-1] is the last")
        self.assertEqual((none.evaluations[:], list(none.losses)), ([], []))

    def test_losses_are_an_array(self):
        losses = RUN.losses
        self.assertEqual((losses[0], losses.min(), repr(losses)), (2.0, 2.0, "array([2.])"))
        for made in (losses[:], 2 * losses, losses + losses, np.exp(losses), losses[[0]]):
            self.assertIs(type(made), np.ndarray)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(losses)), losses)

    def test_names_of_metrics_are_told_with_their_place(self):
        self.check(lambda: RUN.metrics[0]["acc"], KeyError, "a record of run.metrics has no 'acc' "
                   "itself: say ['metrics']['acc']")
        self.check(lambda: RUN.evaluations[0].accuracy, AttributeError, "a record of "
                   "run.evaluations has no 'accuracy': give eval_dataset=, and an eval_fn= "
                   'that returns {"accuracy": ...}; it is then run.summary.eval_accuracy')
        evaluated = dataclasses.replace(RUN, evaluations=[{"loss": 1.0, "accuracy": 0.5}])
        self.check(lambda: evaluated.evaluations[0]["acc"], KeyError, "a record of "
                   "run.evaluations has no 'acc'; did you mean accuracy?")

    def test_they_are_dicts_and_lists(self):
        self.assertEqual(json.loads(json.dumps(RUN.plan)), RUN.plan)
        for other in (copy.deepcopy(RUN), pickle.loads(pickle.dumps(RUN))):
            self.assertEqual(other.metrics, RUN.metrics)
            self.assertEqual(other.plan.slice, "v3-8")
        self.assertEqual(RUN.metrics[:], [RUN.metrics[0]])
        self.assertEqual({**RUN.summary}, {"loss": 2.0, "examples": 32})

    def test_a_run_says_where_a_name_is(self):
        has = ("; it has params, state, metrics, evaluations, plan, summary, model_dir, losses, "
               "to_pandas, plot, report")
        for name, said in (("history", ": say run.losses, the loss of each step, or run.metrics, a "
                            "dict a step with all else"), ("weights", ": say run.params"),
                           ("train_steps", ": say run.plan.train_steps"),
                           ("examples", ": say run.summary.examples"),
                           ("step", ": say [m['step'] for m in run.metrics]"),
                           ("acc", ": say [m['metrics']['acc'] for m in run.metrics]"),
                           ("accuracy", ": give eval_dataset=, and an eval_fn= that returns "
                            '{"accuracy": ...}; it is then run.summary.eval_accuracy'),
                           ("val_loss", ": say run.summary.eval_loss, or [e['loss'] for e in "
                            "run.evaluations]"),
                           ("param", "; did you mean params?")):
            self.check(lambda: getattr(RUN, name), AttributeError, f"a Run has no '{name}'{said}{has}")

    def test_a_run_is_no_dict_and_no_tuple(self):
        with self.assertRaisesRegex(TypeError, "no dict and no tuple: run = .*, then run.summary;"):
            RUN["summary"]
        with self.assertRaisesRegex(TypeError, "no dict and no tuple: run = .*, then run.params;"):
            params, metrics = RUN


if __name__ == "__main__":
    unittest.main()
