"""What others read of a job while it runs: Prometheus its page, programs pod_top's JSON."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from prometheus_client.parser import text_string_to_metric_families

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from podsim import _programs  # noqa: E402

LONGEST = 60  # seconds
JOB = ("--topology=v3-8", "--model=mlp", "--hidden=8", "--train_steps=10000000",
       "--batch_per_core=1", "--optimizer=sgd", "--learning_rate=0.01")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def heed_signals():
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class MonitorTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.model_dir = str(pathlib.Path(folder.name) / "m")
        self.port = free_port()
        self.pod = subprocess.Popen(
            [os.fspath(_programs.find("pod_launch")), *JOB, "--quiet",
             f"--model_dir={self.model_dir}", f"--metrics_port={self.port}"],
            stdout=subprocess.DEVNULL, preexec_fn=heed_signals, env=_programs.environment())
        self.addCleanup(self.end)

    def end(self):
        self.pod.send_signal(signal.SIGINT)
        self.pod.wait(LONGEST)

    def samples(self):
        """Those of the page, by name and labels; empty while there is none."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics",
                                        timeout=10) as page:
                text = page.read().decode()
        except (urllib.error.URLError, OSError):
            return {}
        return {(sample.name, tuple(sorted(sample.labels.items()))): sample.value
                for family in text_string_to_metric_families(text)
                for sample in family.samples}

    def samples_after(self, step):
        end = time.monotonic() + LONGEST
        while time.monotonic() < end:
            found = self.samples()
            if found.get(("podsim_step", ()), 0) > step:
                return found
        self.fail(f"no step after {step} within {LONGEST} s")
        return {}

    def test_prometheus_reads_the_page(self):
        first = self.samples_after(0)
        self.assertEqual(first["podsim_phase", (("phase", "training"),)], 1)
        self.assertEqual(first["podsim_restarts_total", ()], 0)
        self.assertGreater(first["podsim_loss", ()], 0)
        self.assertGreater(first["podsim_step_seconds", (("clock", "wall"),)], 0)
        self.assertEqual(
            first["podsim_hbm_bytes", (("clock", "sim"), ("kind", "total"))], 16 << 30)
        step = first["podsim_step", ()]
        self.assertGreater(self.samples_after(step)["podsim_step", ()], step)

    def test_pod_top_tells_programs(self):
        self.samples_after(0)
        told = subprocess.run(
            [os.fspath(_programs.find("pod_top")), "--once", "--json",
             f"--model_dir={self.model_dir}"],
            capture_output=True, text=True, timeout=LONGEST, check=True,
            env=_programs.environment())
        job = json.loads(told.stdout)
        self.assertEqual((job["slice"], job["phase"]), ("v3-8", "training"))
        self.assertEqual(len(job["hosts"][0]["devices"]), 8)


if __name__ == "__main__":
    unittest.main()
