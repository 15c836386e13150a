"""python3 -m unittest bench/peers/auto_choice_test.py, from anywhere."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
sys.dont_write_bytecode = True
import auto_choice  # noqa: E402


def record(algorithm, us, wrong=0):
    return {"results": [{
        "size": 1024, "algorithm": algorithm,
        "in_place": {"time": us, "nwrong": wrong},
        "out_of_place": {"time": 2 * us, "nwrong": 0}}]}


def samples(of_auto, wrong=0):
    """Three rounds of auto, which took the ring, and of two algorithms."""
    return [sample for number, us in enumerate(of_auto)
            for sample in (
                auto_choice.samples(record("ring", us), number, "unix", "auto")
                + auto_choice.samples(record("ring", 50), number, "unix", "all")
                + auto_choice.samples(record("direct", 20, wrong), number,
                                      "unix", "all"))]


class AutoChoiceTest(unittest.TestCase):
    def test_the_best_is_found_by_medians(self):
        self.assertEqual(auto_choice.rows(samples([21, 22, 900])),
                         [("sockets", 1024, 22, 20, "direct")])

    def test_a_tenth_is_allowed(self):
        self.assertFalse(auto_choice.is_behind(samples([22, 22, 22])))
        self.assertTrue(auto_choice.is_behind(samples([23, 23, 23])))

    def test_wrong_elements_are_told(self):
        self.assertTrue(auto_choice.is_behind(samples([20], wrong=1)))
        self.assertIn("WRONG elements: 1",
                      auto_choice.verdict_lines(samples([20], wrong=1)))

    def test_media_stand_apart(self):
        through_memory = auto_choice.samples(record("ring", 5), 1, "shm", "all")
        self.assertEqual(through_memory[0]["contender"], "podsim/ring")
        self.assertEqual(auto_choice.rows(through_memory), [])


if __name__ == "__main__":
    unittest.main()
