"""pod_report's page, read by Python's own parser, and run.report."""

import html.parser
import json
import pathlib
import pickle
import re
import resource
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import podsim  # noqa: E402
from podsim import _programs, _result  # noqa: E402

VOID = {"meta", "br", "img", "hr", "input", "link"}
LOADS = re.compile(r"https?://|url\(|@import|\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon")


class Page(html.parser.HTMLParser):
    """The tags of a page, with what does not close, and what it would load."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.wrong, self.loads, self.scripts, self.text = [], [], [], [], []
        self.feed(text)
        self.close()
        self.wrong += self.open

    def handle_starttag(self, tag, attrs):
        self.loads += [(tag, name) for name, _ in attrs
                       if name in ("src", "href", "action", "data", "poster", "srcset")]
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append("/" + tag)

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        elif "style" not in self.open:
            self.text.append(data)


def plan(**more):
    return {"event": "plan", "wall_time": 1000.0, "settings": {"threads": "1"}, "slice": "v3-32",
            "hosts": 4, "cores": 32, "processes": 4, "model": "mlp", "dataset": "digits",
            "batch_per_core": 8, "global_batch": 256, "train_steps": 40, "learning_rate": 0.1,
            "optimizer": "sgd", "hbm_bytes_per_core": 1 << 20, "hbm_bytes_available": 1 << 30,
            **more}


def step(number, late=0.0):
    """100 ms of compute and 20 ms of all-reduce; host 2 takes so much longer."""
    took = [0.1, 0.1, 0.1 + late, 0.1]
    return {"event": "step", "wall_time": 1000.0 + number * (0.12 + late), "step": number,
            "examples": 256 * number, "loss": 2 / number, "learning_rate": 0.1,
            "examples_per_second": 256 / (0.12 + late), "seconds": 0.12 + late,
            "seconds_input": 0.0, "seconds_compute": 0.1 + late, "seconds_reduce": 0.02,
            "seconds_update": 0.0, "seconds_other": 0.0, "simulated_seconds": 0.005,
            "last_process": 2, "input_us": [0] * 4,
            "compute_us": [round(1e6 * each) for each in took],
            "waited_us": [round(1e6 * (max(took) - each)) for each in took]}


class ReportTest(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)

    def write(self, name, events):
        file = self.folder / name
        file.write_text("".join(json.dumps(each) + "\n" for each in events))
        return file

    def page(self, *files):
        page = self.folder / "page.html"
        said = _programs.run("pod_report", [*files, f"--output={page}"])
        return said, page.read_text()

    def check_page(self, text):
        page = Page(text)
        self.assertEqual(page.wrong, [])
        self.assertEqual(page.loads, [])
        self.assertIsNone(LOADS.search(text))
        return page

    def test_the_page_is_whole_and_loads_nothing(self):
        said, text = self.page(self.write("a.jsonl", [plan(), *map(step, range(1, 41))]))
        self.assertIn("nothing stands out", said)
        page = self.check_page(text)
        self.assertLess(len(text), 300_000)
        charts = [json.loads(each) for each in page.scripts if each.startswith("{")]
        self.assertEqual([each["title"] for each in charts][0], "loss")
        steps, losses = charts[0]["data"]
        self.assertEqual(steps, list(range(1, 41)))
        self.assertAlmostEqual(losses[2], 0.666667)

    def test_what_a_file_says_is_text(self):
        evil = "</script><script>alert(1)</script><!--"
        _, text = self.page(self.write("a.jsonl", [
            plan(model=evil, command=evil),
            *({**step(i), "metrics": {evil: 1.0}} for i in range(1, 4))]))
        page = self.check_page(text)
        self.assertFalse(any("alert(1)" in each and not each.startswith("{")
                             for each in page.scripts))
        self.assertIn(evil, page.text)

    def test_a_slow_host_is_named_first(self):
        said, text = self.page(self.write(
            "a.jsonl", [plan(), *(step(i, late=0.1) for i in range(1, 41))]))
        self.assertIn("host 2 is slow: it comes last in 100% of the steps, 100.0 ms behind the "
                      "median, most of it compute", said)
        page = self.check_page(text)
        words = [each for each in page.text if each.strip()]
        self.assertTrue(any("host 2 is slow" in each for each in words[:6]), words[:6])

    def test_a_hundred_thousand_steps_stay_small_and_take_5_seconds(self):
        """Of a CPU, of which a busy machine may give less: 0.8 s are usual."""
        file = self.write("a.jsonl", [plan(), *map(step, range(1, 100_001))])
        page = self.folder / "page.html"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([_programs.find("pod_report"), file, f"--output={page}"], check=True,
                       capture_output=True, env=_programs.environment(), timeout=120)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertLess(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 5)
        text = page.read_text()
        self.assertLess(len(text), 5_000_000)
        self.check_page(text)

    def test_the_file_of_a_run_that_goes_on(self):
        events = [plan(), *map(step, range(1, 11))]
        file = self.write("a.jsonl", events)
        with file.open("a") as end:
            end.write(json.dumps(step(11))[:100])
        said, text = self.page(file)
        self.assertIn("nothing stands out", said)
        self.assertIn("the last line of the file is half written", text)
        self.check_page(text)

    def test_what_is_wrong_as_json(self):
        file = self.write("a.jsonl", [plan(), *(step(i, late=0.1) for i in range(1, 41))])
        found = json.loads(_programs.run("pod_report", [file, "--json"]))
        self.assertEqual([each["kind"] for each in found["runs"][0]["findings"]], ["slow_host"])

    def test_a_run_writes_its_own(self):
        steps = [{name: value for name, value in step(i, late=0.1).items() if name != "event"}
                 for i in range(1, 41)]
        made = {name: value for name, value in plan().items() if name != "event"}
        run = _result.with_others(
            podsim.Run(params=None, state=None, metrics=steps, evaluations=[], plan=made,
                       summary={"steps": 40, "loss": 0.05}, model_dir=None),
            {"forecast": [{"simulated_step_seconds": 0.005, "wall_time": 1000.0}], "step": steps})
        page = run.report(self.folder / "own.html")
        self.assertEqual(page, self.folder / "own.html")
        text = page.read_text()
        self.check_page(text)
        self.assertIn("host 2 is slow", text)
        self.assertIn("step time (sim)", text)
        for place, error, said in (
                (self.folder / "none" / "own.html", ValueError, "^path is .*there is no folder"),
                (self.folder, ValueError, "^path is .*a page of HTML: give a name that ends in .html"),
                ("run.png", ValueError, "^path is 'run.png'; what is written is a page of HTML"),
                ("gs://b/run.html", ValueError, "the file is written on this machine"),
                ("/proc/run.html", podsim.PodsimError, "^path: cannot write /proc/run.html: ")):
            with self.assertRaisesRegex(error, said):
                run.report(place)

    def test_a_run_that_was_restarted_has_the_page_of_its_file(self):
        """Also with settings as the file has them."""
        file, faults = self.folder / "run.jsonl", self.folder / "faults"
        faults.write_text('faults { kind: KILL host: 2 step: 12 }')
        _programs.run("pod_launch", [
            "--topology=v3-32", "--processes=4", "--reference_topology=v3-32", "--train_steps=20",
            "--hidden=16,16", "--max_restarts=1", "--checkpoint_every=5", f"--faults={faults}",
            f"--model_dir={self.folder / 'm'}", f"--metrics_file={file}", "--quiet"])
        events = _result.read_metrics(file)
        self.assertIn("restart", events.order)
        summary = events["summary"][-1]
        run = _result.with_others(podsim.Run(
            params=None, state=None, metrics=events["step"], evaluations=events.get("eval", []),
            plan=_result.plan_of(events["plan"][-1], summary), summary=summary, model_dir=None),
            events)
        for one in (run, pickle.loads(pickle.dumps(run))):
            # Both are called run.jsonl.
            self.assertEqual(one.report(self.folder / "own.html").read_text(), self.page(file)[1])
        said, text = self.page(file)
        self.assertIn("1 restart, ", said)
        self.assertRegex(text, r"restart[^<]* after step 1[01]")


if __name__ == "__main__":
    unittest.main()
