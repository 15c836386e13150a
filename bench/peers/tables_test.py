"""python3 -m unittest bench/peers/tables_test.py, from anywhere."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
sys.dont_write_bytecode = True
import tables  # noqa: E402
from contenders import ALGORITHMS, ALL, KIB, MIB  # noqa: E402

MACHINE = {"cpu": "a CPU", "cores": 2, "commit": "abc1234"}


def record(*times, rounds=1):
    """Of (contender, size, us of each round)."""
    return {"machine": MACHINE, "not_measured": {}, "samples": [
        {"round": number, "contender": name, "size": size, "us": us[number - 1]}
        for name, size, us in times for number in range(1, rounds + 1)]}


class TablesTest(unittest.TestCase):
    def test_says_machine_commit_and_rounds(self):
        lines = tables.all_reduce_times(
            record(("podsim/auto", KIB, (1, 2, 9)), rounds=3))
        self.assertEqual(lines[0],
                         "a CPU, 2 CPUs, podsim abc1234, 3 rounds, medians:")

    def test_times_are_medians_and_the_best_of_several(self):
        lines = tables.all_reduce_times(
            record(("podsim/auto", KIB, (1, 2000, 9000)),
                   ("gloo/ring", KIB, (7, 8, 9)),
                   ("gloo/new_ring", KIB, (4, 5, 6)), rounds=3))
        self.assertEqual(lines[2], "| us | 1 KiB | 4 KiB | 16 KiB | 64 KiB | "
                                   "256 KiB | 1 MiB | 4 MiB | 16 MiB | 64 MiB |")
        self.assertEqual(lines[4:], [
            "| podsim | 2,000 |" + "  |" * 8,
            "| Gloo, best of its rings | 5 |" + "  |" * 8])

    def test_a_ratio_that_misses_goal_or_floor_says_which(self):
        lines = tables.all_reduce_ratios(
            record(*(("podsim/auto", size, (100,)) for size in ALL),
                   *(("openmpi/shm", size, (us,)) for size, us in
                     zip(ALL, (1, 1, 1, 84, 99, 100, 110, 120, 90)))))
        self.assertEqual(lines[2:], [
            "| OpenMPI shared memory | 0.01 | 0.01 | 0.01 | **0.84**, floor "
            "0.85 | 0.99, goal 1 | 1.00, goal 1.1 | 1.10 | 1.20 | 0.90, goal "
            "1.15 |"], "nothing else was measured")

    def test_auto_stands_beside_the_best_algorithm(self):
        times = [("podsim/auto", size, (90,)) for size in ALL]
        times += [(f"podsim/{name}", size, (100 - 20 * (name == "direct"),))
                  for name in ALGORITHMS for size in ALL]
        lines = tables.auto(record(*times))
        self.assertEqual(lines[4:8], [
            "| shared memory | `auto`, us |" + " 90 |" * 9,
            "| shared memory | the best, us |" + " 80 |" * 9,
            "| shared memory | which is |" + " `direct` |" * 9,
            "| shared memory | `auto` / the best |" + " 1.12 |" * 9])
        self.assertIn("| sockets | `auto` / the best |" + "  |" * 9, lines)

    def test_bus_bandwidths_by_collective(self):
        def bench(bus_bw):
            return {"machine": {"cpu": "a CPU", "cpus": 2}, "build": "0.1 abc",
                    "results": [{"size": MIB, "in_place": {"bus_bw": bus_bw}}]}
        lines = tables.collectives({"all_reduce": bench(2.349),
                                    "broadcast": bench(1.0)})
        self.assertEqual(lines[0], "a CPU, 2 CPUs, podsim 0.1 abc:")
        self.assertEqual(lines[2:], ["| GB/s (busbw) | 1 MiB |", "|---|---|",
                                     "| `all_reduce` | 2.35 |",
                                     "| `broadcast` | 1.00 |"])

    def test_training_has_speeds_and_ratios(self):
        train = record() | {"kernels": {"amx": False, "above_v3": False}}
        train["samples"] = [
            {"round": 1, "contender": "podsim/float32", "wrong": 0,
             "examples_per_second": 2000, "step_median": .5},
            {"round": 1, "contender": "jax/32-devices", "wrong": 0,
             "examples_per_second": 1000, "step_median": 1}]
        self.assertEqual(tables.training_speeds(train)[4:], [
            "| **podsim, float32** | podsim/float32 | 2,000 | 2,000 to 2,000 "
            "| 500.0 |",
            "| JAX, float32 | jax/32-devices | 1,000 | 1,000 to 1,000 "
            "| 1000.0 |"])
        ratios = tables.training_ratios(train)
        self.assertEqual(len(ratios), 3)
        self.assertTrue(ratios[2].startswith(
            "| float32 / JAX, best splits of both | 2.00 | 2.2 | 1.5 "
            "| goal missed"), ratios[2])

    def test_a_table_replaces_what_is_between_its_marks(self):
        text = ("before\n<!-- table: auto -->\n\nold\n\n<!-- end -->\nafter\n"
                "<!-- table: other -->\n<!-- end -->\n")
        self.assertEqual(
            tables.filled(text, {"auto": ["new"]}),
            "before\n<!-- table: auto -->\n\nnew\n\n<!-- end -->\nafter\n"
            "<!-- table: other -->\n<!-- end -->\n")
        with self.assertRaises(KeyError):
            tables.filled(text, {"training": ["new"]})


if __name__ == "__main__":
    unittest.main()
