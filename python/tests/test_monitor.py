"""What others read of a job while it runs: Prometheus its page, programs pod_top's JSON."""

import http.client
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

LONGEST = 120  # seconds, on a machine that is busy with other things
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
        self.addCleanup(self.end)
        for _ in range(5):
            self.start()
            if self.has_page():
                return
        self.fail("no pod_launch has served its page")

    def start(self):
        self.port = free_port()
        self.pod = subprocess.Popen(
            [os.fspath(_programs.find("pod_launch")), *JOB, "--quiet",
             f"--model_dir={self.model_dir}", f"--metrics_port={self.port}"],
            stdout=subprocess.DEVNULL, preexec_fn=heed_signals, env=_programs.environment())

    def has_page(self):
        """Whether there is one; False once the pod has ended: the port was taken meanwhile."""
        end = time.monotonic() + LONGEST
        while time.monotonic() < end and self.pod.poll() is None:
            if self.samples():
                return True
        self.end()
        return False

    def end(self):
        self.pod.send_signal(signal.SIGINT)
        try:
            self.pod.wait(LONGEST)
        except subprocess.TimeoutExpired:
            self.pod.kill()
            self.pod.wait()
            raise

    def samples(self):
        """Those of the page, by name and labels; empty while there is none."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics",
                                        timeout=10) as page:
                text = page.read().decode()
        except (urllib.error.URLError, http.client.HTTPException, OSError):
            time.sleep(0.01)  # nobody is there yet: the pod needs the CPU more
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

    def test_a_name_of_another_reads_nothing(self):
        page = urllib.request.Request(f"http://127.0.0.1:{self.port}/metrics",
                                      headers={"Host": "rebound.example"})
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(page, timeout=LONGEST)
        with refused.exception as answer:
            self.assertEqual(answer.code, 403)
            self.assertNotIn(b"podsim_", answer.read())

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
