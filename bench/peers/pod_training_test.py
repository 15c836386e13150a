"""python3 -m unittest bench/peers/pod_training_test.py, from anywhere."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
sys.dont_write_bytecode = True
import pod_training  # noqa: E402

# What the first step begins at, its end, and three timed ones of which the
# last is slow.
BEGIN = 100.0
ENDS = (101, 102, 103, 104, 105, 106, 107, 109)


def events(losses):
    steps = [{"event": "step", "wall_time": end, "loss": loss,
              "seconds": 1.0, "seconds_input": number, "accuracy": 0.5}
             for number, (end, loss) in enumerate(zip(ENDS, losses))]
    return [{"event": "plan", "global_batch": 4096, "isa": "v3"}, *steps,
            {"event": "summary", "weights_hash": "abc"}]


class PodTrainingTest(unittest.TestCase):
    def test_speed_is_rows_over_the_time_of_all_timed_steps(self):
        run = pod_training.summarize(events((8, 7, 6, 5, 4, 3, 2, 1)), BEGIN)
        self.assertEqual(run["steps"], 3)
        self.assertEqual(run["examples_per_second"], 3 * 4096 / 4)
        self.assertEqual((run["step_median"], run["step_min"],
                          run["step_max"]), (1, 1, 2))
        self.assertEqual(run["seconds_to_first_step"], 1)
        self.assertEqual(run["phases"], {"seconds": 1, "seconds_input": 6})
        self.assertEqual(run["weights_hash"], "abc")
        self.assertEqual(run["wrong"], 0)

    def test_a_loss_that_does_not_fall_or_is_not_finite_is_wrong(self):
        for losses in ((1, 1, 1, 1, 1, 1, 1, 1), (8, 7, 6, None, 4, 3, 2, 1),
                       (8, 7, 6, 5, 4, 3, float("nan"), 1)):
            with self.subTest(losses):
                run = pod_training.summarize(events(losses), BEGIN)
                self.assertEqual(run["wrong"], 1)

    def test_accounted_bytes(self):
        weights = 784 * 512 + 512 + 512 * 512 + 512 + 512 * 10 + 10
        self.assertEqual(pod_training.accounted_bytes(hosts=1, rows=0),
                         4 * 2 * weights)
        self.assertEqual(pod_training.accounted_bytes(hosts=3, rows=1024),
                         4 * (4 * weights + 1024 * (784 + 512 + 512 + 10)))


if __name__ == "__main__":
    unittest.main()
