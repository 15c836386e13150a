"""Optimizers and schedules as optax makes them, as settings."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(pathlib.Path(__file__).parent)]

import optax_like as optax  # noqa: E402
from podsim import _chains, _job, _masks, _schedules  # noqa: E402

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
                ((optax.clip(1.0), rate), "no clip there; .*clip_by_global_norm"),
                ((rate, optax.clip_by_global_norm(1.0)), "put it first"),
                ((optax.scale_by_adam(nesterov=True), rate), "nadam"),
                ((optax.scale_by_adam(eps_root=1e-3), rate), "eps_root=0.001"),
                ((optax.scale_by_adam(mu_dtype="bfloat16"), rate), "mu_dtype=bfloat16"),
                ((optax.inject_hyperparams(),), "no inject_hyperparams"),
                ((optax.scale_by_adam(),), "no chain of scale_by_adam"),
                ((optax.add_decayed_weights(lambda count: 1), rate), "not one number"),
                ((optax.scale(0.1),), "learning rate is -0.1")):
            with self.assertRaisesRegex(TypeError, message):
                settings_of(*steps)


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
                (cosine, "train_steps=N", {"topology": "v3-8", "epochs": 3}),
                (cosine, "reference_topology", JOB | {"reference_topology": "v3-32"})):
            with self.assertRaisesRegex(TypeError, message):
                _schedules.settings_of(schedule, job)
        same = JOB | {"reference_topology": "v3-8"}
        self.assertEqual(_schedules.settings_of(cosine, same)["lr_schedule"], "cosine")


class UnknownTest(unittest.TestCase):
    def test_what_was_typed_is_named_beside_what_optax_calls_it(self):
        for name, said in (("scale_by_rms", r"no scale_by_rms \(rmsprop\) there; podsim has sgd"),
                           ("partition", r"no partition \(multi_transform\) there; podsim has one "
                            "update rule for all variables"),
                           ("centralize", "no centralize there; podsim has sgd")):
            self.assertRegex(str(_chains.unknown(name)), f"^optax: podsim has {said}")


class MaskTest(unittest.TestCase):
    def test_names_become_their_shortest_ends(self):
        names = ["a/bias", "a/kernel", "b/bias", "b/kernel", "bias_of_c"]
        self.assertEqual(_masks.ends({"a/kernel", "b/kernel"}, names), ["kernel"])
        self.assertEqual(_masks.ends({"a/kernel"}, names), ["a/kernel"])
        self.assertEqual(_masks.ends({"a/bias", "b/bias"}, names), ["a/bias", "b/bias"])
        with self.assertRaisesRegex(TypeError, "'w' alone"):
            _masks.ends({"w"}, ["w", "w2"])


if __name__ == "__main__":
    unittest.main()
