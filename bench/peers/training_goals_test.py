"""python3 -m unittest bench/peers/training_goals_test.py, from anywhere."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
sys.dont_write_bytecode = True
import training_goals  # noqa: E402
from training_goals import FLOOR_MISSED, Cpu  # noqa: E402

AVX2 = Cpu(amx=False, above_v3=False)
AMX = Cpu(amx=True, above_v3=True)


def sample(contender, speed, **fields):
    return {"contender": contender, "examples_per_second": speed, "wrong": 0,
            **fields}


def row(samples, what, cpu=AVX2, absent=None):
    for goal, value, words in training_goals.verdicts(samples, absent or {},
                                                      cpu):
        if goal.what == what:
            return value, words
    raise AssertionError("no such row")


class TrainingGoalsTest(unittest.TestCase):
    def test_nothing_measured_says_what_is_missing(self):
        self.assertEqual(
            row([], "bfloat16 without AMX / our float32 at the same ISA"),
            (None, "not measured: no sample of podsim/bfloat16; "
                   "no sample of podsim/float32"))

    def test_the_reason_is_given_once(self):
        absent = dict.fromkeys(training_goals.TORCH_1, "not installed")
        self.assertEqual(
            row([sample("podsim/float32", 1)],
                "float32 at v3 / PyTorch 1.13 of Debian, AVX2", absent=absent),
            (None, "not measured: not installed"))

    def test_rows_of_amx_are_not_measured_without_it(self):
        samples = [sample("podsim/float32", 1), sample("podsim/bfloat16", 9)]
        what = "bfloat16 on AMX / our float32"
        self.assertEqual(row(samples, what),
                         (None, "not measured: this CPU has no AMX"))
        self.assertEqual(row(samples, what, AMX), (9, "met"))

    def test_medians_over_rounds(self):
        samples = [sample("podsim/float32", speed) for speed in (90, 100, 900)]
        samples += [sample("torch/4x1024-float32", 50)]
        self.assertEqual(row(samples, "float32 / PyTorch 2.x DDP, 4 processes"),
                         (2.0, "met"))

    def test_the_fastest_of_both_counts(self):
        samples = [sample("podsim/float32", 60),
                   sample("torch/4x1024-float32", 50),
                   sample("torch/2x2048-float32", 100)]
        for split in training_goals.SPLITS["float32"]:
            samples.append(sample(split, 120))
        self.assertEqual(
            row(samples, "float32 / PyTorch 2.x DDP, best splits of both"),
            (1.2, "goal missed"))

    def test_a_part_of_theirs(self):
        samples = [sample("podsim/float32", 100), sample("jax/4-processes", 99)]
        value, words = row(samples, "float32 / JAX, best splits of both")
        self.assertAlmostEqual(value, 100 / 99)
        self.assertEqual(words,
                         FLOOR_MISSED + ", in part: without "
                         + ", ".join(training_goals.SPLITS["float32"])
                         + ", jax/32-devices")

    def test_levels_are_pinned_only_below_the_best(self):
        what = "bfloat16 without AMX / our float32 at the same ISA"
        pinned = [sample("podsim/float32-v4", 100),
                  sample("podsim/bfloat16-v4", 95)]
        self.assertEqual(row(pinned, what, AMX), (0.95, "goal missed"))
        self.assertIsNone(row(pinned, what)[0])

    def test_time_and_memory_are_better_when_smaller(self):
        what = "start to first finished step, v3-32"
        for seconds, words in ((.5, "met"), (1.5, "goal missed"),
                               (1.6, FLOOR_MISSED)):
            with self.subTest(seconds):
                self.assertEqual(
                    row([sample("podsim/float32", 1,
                                seconds_to_first_step=seconds)], what),
                    (seconds, words))

    def test_a_sample_without_the_field(self):
        self.assertEqual(
            row([sample("podsim/float32", 1)],
                "start to first finished step, v3-32"),
            (None, "not measured: no seconds_to_first_step in samples of "
                   "podsim/float32"))

    def test_wrong_results_and_other_weights(self):
        samples = [sample("podsim/float32", 1, weights_hash="a"),
                   sample("podsim/bfloat16", 1, weights_hash="b"),
                   sample("podsim/float32", 1, weights_hash="c"),
                   {**sample("jax/4-processes", 1), "wrong": 1},
                   sample("jax/4-processes", 1)]
        self.assertEqual([(found["contender"], why) for found, why
                          in training_goals.wrong_samples(samples)],
                         [("podsim/float32",
                           "other weights than in the first round"),
                          ("jax/4-processes",
                           "its check of the result failed")])

    def test_cpu_flags(self):
        v4 = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
        self.assertEqual(Cpu.of({"avx2"}), AVX2)
        self.assertEqual(Cpu.of(v4), Cpu(amx=False, above_v3=True))
        self.assertEqual(Cpu.of(v4 | {"amx_tile", "amx_bf16"}), AMX)


if __name__ == "__main__":
    unittest.main()
