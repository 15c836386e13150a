"""python3 -m unittest bench/peers/auto_choice_test.py, from anywhere."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
sys.dont_write_bytecode = True
import auto_choice  # noqa: E402


def record(**us):
    """A run at 1 KiB: {algorithm: time in place}."""
    return {"results": [{
        "size": 1024, "algorithm": algorithm,
        "in_place": {"time": time, "nwrong": 0},
        "out_of_place": {"time": 2 * time, "nwrong": 0}}
        for algorithm, time in us.items()]}


def samples(of_auto):
    """Rounds over sockets, in which auto takes the ring."""
    return [sample for number, us in enumerate(of_auto)
            for sample in auto_choice.samples(record(ring=us, direct=20),
                                              number, "unix", {1024: "ring"})]


class AutoChoiceTest(unittest.TestCase):
    def test_the_best_is_found_by_medians(self):
        self.assertEqual(auto_choice.rows(samples([21, 22, 900])),
                         [("sockets", 1024, 22, 20, "direct")])

    def test_a_tenth_is_allowed(self):
        self.assertFalse(auto_choice.is_behind(samples([22, 22, 22])))
        self.assertTrue(auto_choice.is_behind(samples([23, 23, 23])))

    def test_wrong_elements_are_told(self):
        told = samples([20])
        told[0]["wrong"] = 1
        self.assertTrue(auto_choice.is_behind(told))
        self.assertIn("WRONG elements: 1", auto_choice.verdict_lines(told))

    def test_what_auto_takes_is_read_from_its_run(self):
        self.assertEqual(auto_choice.chosen(record(ring=5)), {1024: "ring"})

    def test_media_stand_apart(self):
        through_memory = auto_choice.samples(record(ring=5, direct=4), 1, "shm",
                                             {1024: "ring"})
        self.assertEqual([sample["contender"] for sample in through_memory],
                         ["podsim/ring", "podsim/direct", "podsim/auto"])
        self.assertEqual(auto_choice.rows(through_memory),
                         [("shared memory", 1024, 5, 4, "direct")])


if __name__ == "__main__":
    unittest.main()
