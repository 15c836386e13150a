"""python -m podsim: the programs by name."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PACKAGE = pathlib.Path(__file__).resolve().parents[1]


def run(*arguments):
    done = subprocess.run([sys.executable, "-m", "podsim", *arguments], cwd=PACKAGE,
                          capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


class MainTest(unittest.TestCase):

    def test_a_program_is_run_with_its_arguments_and_exit_code(self):
        code, out, err = run("pod_launch", "--version")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("podsim", out)
        code, out, err = run("pod_plan", "--no_such_flag=1")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("no_such_flag", err)

    def test_a_program_is_run_without_standard_output(self):
        code = ("import sys; sys.stdout = None; from podsim import __main__; "
                "__main__.main(['pod_launch', '--version'])")
        done = subprocess.run([sys.executable, "-c", code], cwd=PACKAGE, capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_help_and_mistakes_name_the_programs(self):
        code, out, err = run("--help")
        self.assertEqual((code, err), (0, ""))
        for program in ("pod_launch", "pod_plan", "pod_data", "pod_bench", "pod_ckpt",
                        "pod_ladder", "pod_report", "pod_top"):
            self.assertIn(program, out)
        for arguments, said in (([], "no program was named"),
                                (["pod-top"], "'pod-top' is no program of podsim; did you mean "
                                 "pod_top"),
                                (["train"], "podsim.train is a function of Python"),
                                (["pod_lunch"], "'pod_lunch' is no program of podsim")):
            code, out, err = run(*arguments)
            self.assertEqual((code, out), (2, ""))
            self.assertIn(said, err)
            self.assertIn("pod_launch", err)
            self.assertEqual(len(err.splitlines()), 1)


    def test_a_folder_without_programs_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder, "python")
            shutil.copytree(PACKAGE / "podsim", package / "podsim",
                            ignore=shutil.ignore_patterns("bin", "__pycache__"))
            for given, said in (("/none", "podsim: PODSIM_BIN is '/none', which is no folder"),
                                (folder, "podsim: pod_launch is not there (looked in ")):
                done = subprocess.run([sys.executable, "-m", "podsim", "pod_plan"], cwd=package,
                                      capture_output=True, text=True, timeout=60, check=False,
                                      env={"PATH": folder, "PODSIM_BIN": given})
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertTrue(done.stderr.startswith(said), done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
