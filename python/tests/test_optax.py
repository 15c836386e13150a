"""Optimizers and schedules as optax makes them, as settings."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(pathlib.Path(__file__).parent)]

import optax_like as optax  # noqa: E402
from podsim import _job, _masks, _schedules, _unknown  # noqa: E402

JOB = {"topology": "v3-8", "train_steps": 20}


def settings_of(*updates, **job):
    return _job.optimizer_of(optax.made(optax.chain(*updates)), None, JOB | job).settings


class ChainTest(unittest.TestCase):
    def test_a_chain_is_a_rule(self):
        rate = optax.scale(-0.1)
        adam, trust = optax.scale_by_adam(), optax.scale_by_trust_ratio()
        decay, trace = optax.add_decayed_weights(0.01), optax.trace(0.9)
        for steps, rule in (((rate,), "sgd"), ((trace, rate), "momentum"),
                            ((optax.trace(0.9, True), rate), "nesterov"),
                            ((decay, optax.chain(trace, rate)), "momentum"),
                            ((adam, rate), "adam"), ((adam, decay, rate), "adamw"),
                            ((adam, decay, trust, rate), "lamb"),
                            ((decay, trust, rate, trace), "lars")):
            settings = settings_of(optax.clip_by_global_norm(2.0), *steps)
            self.assertEqual((settings["optimizer"], settings["learning_rate"],
                              settings["clip_norm"]), (rule, 0.1, 2.0))
            self.assertEqual(settings.get("weight_decay", 0), 0.01 if decay in steps else 0)
            _job.check_names(settings)

    def test_what_podsim_has_not_is_refused_by_name(self):
        rate = optax.scale(-0.1)
        for steps, message in (
                ((optax.clip(1.0), rate), "no clip; .*clip_by_global_norm"),
                ((rate, optax.clip_by_global_norm(1.0)), "put it first"),
                ((optax.scale_by_adam(nesterov=True), rate), "nadam"),
                ((optax.scale_by_adam(eps_root=1e-3), rate), "eps_root=0.001"),
                ((optax.scale_by_adam(mu_dtype="bfloat16"), rate), "mu_dtype=bfloat16"),
                ((optax.inject_hyperparams(),), "no inject_hyperparams"),
                ((optax.scale_by_adam(),), "no learning rate behind scale_by_adam; end the chain"),
                ((optax.add_decayed_weights(lambda count: 1), rate), "not one number"),
                ((optax.scale(0.1),), r"scale\(0.1\) climbs the gradient, as a learning rate of -0.1 does: write "
                 r"optax.scale\(-0.1\), or optax.scale_by_learning_rate\(0.1\)$")):
            with self.assertRaisesRegex(TypeError, message):
                settings_of(*steps)


    def test_chains_that_lead_elsewhere_are_told_how(self):
        down, adam, decay = (optax.scale(-0.1), optax.scale_by_adam(),
                             optax.add_decayed_weights(0.01))
        trust, constant = optax.scale_by_trust_ratio(), optax.constant_schedule(0.1)
        for steps, said in (
                ((adam, optax.scale(1e-3)), "scale(0.001) behind scale_by_adam climbs the gradient, "
                 "as a learning rate of -0.001 does: write optax.scale(-0.001), or "
                 "optax.scale_by_learning_rate(0.001)"),
                ((adam, optax.scale_by_schedule(constant)), "scale_by_schedule behind "
                 "scale_by_adam climbs the gradient: write optax.scale_by_learning_rate(schedule), "
                 "which descends"),
                ((optax.scale_by_learning_rate(optax.constant_schedule(-0.1)),),
                 "the learning rate is -0.1; give one above 0, such as 1e-3"),
                ((optax.scale(0.0),), "the learning rate is 0; give one above 0, such as 1e-3"),
                ((adam, adam, down), "scale_by_adam is there twice; leave one out"),
                ((adam, down, down), "two learning rates are multiplied, scale(-0.1) and "
                 "scale(-0.1); two optimizers follow one another: give one"),
                ((optax.clip_by_global_norm(1.0),), "there is no learning rate; end the chain with "
                 "optax.scale_by_learning_rate(1e-3)"),
                ((adam, down, decay), "the chain is scale_by_adam, scale_by_learning_rate, "
                 "add_decayed_weights; podsim has these in another order: scale_by_adam, "
                 "add_decayed_weights, scale_by_learning_rate"),
                ((trust, adam, down), "podsim has no chain of scale_by_trust_ratio, scale_by_adam, "
                 f"scale_by_learning_rate; {_unknown.KNOWN}")):
            with self.assertRaises(TypeError) as caught:
                settings_of(*steps)
            self.assertEqual(str(caught.exception), f"optax: {said}")


class ScheduleTest(unittest.TestCase):
    def test_a_schedule_is_the_rates_settings(self):
        cosine = optax.cosine_decay_schedule(0.5, 20, 0.1)
        warm = optax.linear_schedule(0.1, 0.5, 4)
        for schedule, settings in (
                (cosine, {"lr_schedule": "cosine", "lr_end": 0.1, "warmup_steps": 0}),
                (optax.linear_schedule(0.5, 0.25, 20),
                 {"lr_schedule": "linear", "lr_end": 0.5, "warmup_steps": 0}),
                (optax.polynomial_schedule(0.5, 0, 2, 20),
                 {"lr_schedule": "polynomial", "lr_power": 2, "lr_end": 0,
                  "warmup_steps": 0}),
                (optax.piecewise_constant_schedule(0.5, {10: 0.1, 5: 0.1, 20: 0.7}),
                 {"lr_schedule": "step", "lr_decay_at": [0.25, 0.5],
                  "lr_decay_factor": 0.1, "warmup_steps": 0}),
                (warm, {"lr_schedule": "constant", "warmup_steps": 5}),
                (optax.join_schedules(
                    [warm, optax.piecewise_constant_schedule(0.5, {5: 0.1})], [5]),
                 {"lr_schedule": "step", "lr_decay_at": [0.5], "lr_decay_factor": 0.1,
                  "warmup_steps": 5}),
                (optax.join_schedules([warm, optax.cosine_decay_schedule(0.5, 15)], [5]),
                 {"lr_schedule": "cosine", "lr_end": 0, "warmup_steps": 5}),
                (optax.join_schedules([optax.linear_schedule(0.1, 0.5, 5),
                                       optax.cosine_decay_schedule(0.5, 15)], [5]),
                 {"lr_schedule": "cosine", "lr_end": 0, "warmup_steps": 5,
                  "warmup_init": 0.2}),
                (optax.linear_schedule(0.0, 0.5, 7),
                 {"lr_schedule": "constant", "warmup_steps": 7, "warmup_init": 0}),
                (optax.constant_schedule(0.5), {})):
            self.assertEqual(_schedules.settings_of(schedule, JOB),
                             {"learning_rate": 0.5, **settings})
        chosen = settings_of(optax.scale_by_adam(), optax.scale_by_learning_rate(cosine))
        self.assertEqual((chosen["optimizer"], chosen["learning_rate"],
                          chosen["lr_schedule"]), ("adam", 0.5, "cosine"))

    def test_a_schedule_with_other_rates_is_refused(self):
        cosine = optax.cosine_decay_schedule(0.5, 20)
        warm = optax.linear_schedule(0.0, 0.5, 3)
        for schedule, message, job in (
                (optax.cosine_decay_schedule(0.5, 30), "decay_steps=30 .* 20", JOB),
                (optax.cosine_decay_schedule(0.5, 20, 0, 2), "exponent=2", JOB),
                (optax.polynomial_schedule(0.5, 0, 2, 20, 3), "transition_begin=3", JOB),
                (optax.exponential_decay(0.5), "exponential_decay", JOB),
                (lambda count: 0.5, "unknown to podsim", JOB),
                (optax.piecewise_constant_schedule(0.5, {3: 0.1, 5: 0.2}),
                 "one factor", JOB),
                (optax.join_schedules([warm, optax.cosine_decay_schedule(0.5, 15)], [5]),
                 r"from 0 over 5 steps .*linear_schedule\(0.1, 0.5, 4\)", JOB),
                (optax.join_schedules([warm, optax.cosine_decay_schedule(0.4, 15)], [5]),
                 "ends at 0.5, what follows begins at 0.4; give both the same peak", JOB),
                (optax.join_schedules([optax.linear_schedule(0.6, 0.5, 5),
                                       optax.cosine_decay_schedule(0.5, 15)], [5]),
                 "begins at 0.6, its peak is 0.5; a warm-up rises", JOB),
                (optax.join_schedules([warm, optax.cosine_decay_schedule(0.5, 30)], [5]),
                 "30 steps behind a warm-up of 5, but the job has 15 there; .* give "
                 "train_steps=35, or decay_steps=15$", JOB),
                (optax.join_schedules([warm, optax.join_schedules([cosine, cosine], [2])], [5]),
                 "join_schedules stands in another one", JOB),
                (optax.piecewise_constant_schedule(0.5, {3: 2.0}), "factors between 0 and 1", JOB),
                (cosine, "train_steps=N", {"topology": "v3-8", "epochs": 3}),
                (cosine, "reference_topology", JOB | {"reference_topology": "v3-32"})):
            with self.assertRaisesRegex(TypeError, message):
                _schedules.settings_of(schedule, job)
        same = JOB | {"reference_topology": "v3-8"}
        self.assertEqual(_schedules.settings_of(cosine, same)["lr_schedule"], "cosine")


class UnknownTest(unittest.TestCase):
    def test_what_was_typed_is_named_beside_what_optax_calls_it(self):
        for name, said in (("scale_by_rms", r"no rmsprop \(scale_by_rms\); podsim has sgd"),
                           ("partition", r"no multi_transform \(partition\); podsim has one "
                            "update rule for all variables"),
                           ("scale_by_adamax", r"no adamax \(scale_by_adamax\); .*, such as "
                            r"optax.adamw\(1e-3\)$"),
                           ("freeze", "no freeze; podsim trains all of params"),
                           ("centralize", "no centralize; podsim has sgd")):
            self.assertRegex(str(_unknown.unknown(name)), f"^optax: podsim has {said}")
        for held, own, said in (({"transforms": {"muon": 1}}, False, "podsim has no muon; "),
                                ({}, True, "a lambda is an update rule of the caller's own; "),
                                ({}, False, "podsim has no <lambda>; ")):
            self.assertIn(said, str(_unknown.unknown_step("<lambda>", held, own)))


class MaskTest(unittest.TestCase):
    def test_names_become_their_shortest_ends(self):
        names = ["a/bias", "a/kernel", "b/bias", "b/kernel", "bias_of_c"]
        self.assertEqual(_masks.ends({"a/kernel", "b/kernel"}, names), ["kernel"])
        self.assertEqual(_masks.ends({"a/kernel"}, names), ["a/kernel"])
        self.assertEqual(_masks.ends({"a/bias", "b/bias"}, names), ["a/bias", "b/bias"])
        with self.assertRaisesRegex(TypeError, "'w' alone, .*, such as 'w2'; rename 'w'"):
            _masks.ends({"w"}, ["w", "w2"])


if __name__ == "__main__":
    unittest.main()
