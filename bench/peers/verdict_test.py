"""python3 -m unittest bench/peers/verdict_test.py, from anywhere."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
sys.dont_write_bytecode = True
import verdict  # noqa: E402
from contenders import KIB, MIB  # noqa: E402


def sample(contender, size, us):
    return {"contender": contender, "size": size, "us": us}


def row(samples, against, sizes):
    for goal, _, worst, words in verdict.verdicts(samples):
        if goal.against == against and goal.sizes == sizes:
            return worst, words
    raise AssertionError("no such row")


class VerdictTest(unittest.TestCase):
    def test_nothing_measured(self):
        self.assertEqual(row([], "Gloo best", verdict.BIG),
                         (None, "not measured"))

    def test_medians_and_the_best_of_gloo(self):
        samples = [sample("podsim/auto", size, us)
                   for size in verdict.BIG for us in (90, 100, 900)]
        samples += [sample(name, size, us) for size in verdict.BIG
                    for name, us in (("gloo/ring", 400),
                                     ("gloo/ring_chunked", 150))]
        self.assertEqual(row(samples, "Gloo best", verdict.BIG), (1.5, "met"))

    def test_the_worst_size_counts(self):
        samples = [sample("podsim/auto", size, 100) for size in verdict.BIG]
        samples += [sample("openmpi/tcp", 16 * MIB, 200),
                    sample("openmpi/tcp", 64 * MIB, 99)]
        self.assertEqual(row(samples, "OpenMPI TCP", verdict.BIG),
                         (0.99, verdict.FLOOR_MISSED))

    def test_between_floor_and_goal(self):
        samples = [sample("podsim/auto", 64 * MIB, 100),
                   sample("openmpi/shm", 64 * MIB, 100)]
        self.assertEqual(row(samples, "OpenMPI shared memory", verdict.TOP),
                         (1.0, "goal missed"))

    def test_without_a_floor_nothing_fails(self):
        samples = [sample("podsim/auto", 1 * KIB, 100),
                   sample("openmpi/tcp", 1 * KIB, 1)]
        self.assertEqual(row(samples, "OpenMPI TCP", verdict.TINY),
                         (0.01, "goal missed, in part"))

    def test_without_a_goal_it_is_only_told(self):
        samples = [sample("podsim/auto", size, 100) for size in verdict.TINY]
        samples += [sample("openmpi/shm", size, 1) for size in verdict.TINY]
        self.assertEqual(row(samples, "OpenMPI shared memory", verdict.TINY),
                         (0.01, "reported"))

    def test_auto_beside_the_best_of_its_algorithms(self):
        samples = [sample("podsim/auto", size, 100) for size in verdict.ALL]
        samples += [sample(name, size, us) for size in verdict.ALL
                    for name, us in (("podsim/ring", 300),
                                     ("podsim/direct", 89))]
        self.assertEqual(row(samples, "podsim's best algorithm", verdict.ALL),
                         (0.89, "goal missed"))

    def test_same_algorithm_is_podsims_fastest(self):
        samples = [sample("podsim/ring", 1 * MIB, 300),
                   sample("podsim/direct", 1 * MIB, 200),
                   sample("limit/ring", 1 * MIB, 10),
                   sample("limit/direct_two_phase", 1 * MIB, 160)]
        self.assertEqual(
            row(samples, "limit, same algorithm", verdict.MIDDLE),
            (0.8, "met, in part"))


if __name__ == "__main__":
    unittest.main()
