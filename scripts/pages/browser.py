"""A headless Chromium, spoken to by the DevTools protocol over a pipe."""

import itertools
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

DEADLINE = 60  # seconds, of an answer and of a page
POLL = 0.1  # seconds
WORKERS = ("worker", "service_worker", "shared_worker", "iframe")


class Browser:
    """A Chromium with a profile of its own, and its messages, each ended by a zero byte. Names of
    other machines are not resolved."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory()
        (ours_in, self.write_to), (self.read_from, ours_out) = os.pipe(), os.pipe()

        def place():
            # Chromium reads from 3 and writes to 4; not through a number that is one of these.
            high_in, high_out = (os.dup(fd) for fd in (ours_in, ours_out))
            os.dup2(high_in, 3)
            os.dup2(high_out, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}",
             "--no-first-run", "--disable-background-networking", "--disable-component-update",
             "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
             "about:blank"],
            preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(ours_in)
        os.close(ours_out)
        self.numbers, self.buffer, self.events = itertools.count(1), b"", []

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.write_to)
        os.close(self.read_from)
        shutil.rmtree(self.profile.name, ignore_errors=True)
        self.profile.cleanup()

    def message(self, until):
        """The next one, or None at `until`."""
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read_from], [], [], max(0, until - time.monotonic()))
            if not ready:
                return None
            piece = os.read(self.read_from, 1 << 20)
            if not piece:
                sys.exit("look: Chromium ended")
            self.buffer += piece
        text, _, self.buffer = self.buffer.partition(b"\0")
        message = json.loads(text)
        if message.get("method") == "Target.attachedToTarget":
            self.follow(message["params"])
        return message

    def follow(self, attached):
        """A page's worker waits until its console and its requests are heard too."""
        if attached["targetInfo"]["type"] in WORKERS:
            session = attached["sessionId"]
            for domain in ("Network", "Runtime", "Log"):
                self.send(f"{domain}.enable", session)
            self.send("Target.setAutoAttach", session, autoAttach=True,
                      waitForDebuggerOnStart=True, flatten=True)
            self.send("Runtime.runIfWaitingForDebugger", session)

    def send(self, method, session=None, **params):
        """The number of its answer."""
        number = next(self.numbers)
        asked = {"id": number, "method": method, "params": params}
        if session:
            asked["sessionId"] = session
        data = json.dumps(asked).encode() + b"\0"
        while data:
            data = data[os.write(self.write_to, data):]
        return number

    def ask(self, method, session=None, **params):
        number, until = self.send(method, session, **params), time.monotonic() + DEADLINE
        while (answer := self.message(until)) is not None:
            if answer.get("id") == number:
                if "error" in answer:
                    sys.exit(f"look: {method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)
        sys.exit(f"look: Chromium did not answer {method} in {DEADLINE} s")

    def value_of(self, session, expression):
        """Of JavaScript; a promise's is awaited."""
        result = self.ask("Runtime.evaluate", session, expression=expression, returnByValue=True,
                          awaitPromise=True)
        return result["result"].get("value")

    def wait_for(self, session, condition, what):
        """Until this JavaScript is true."""
        until = time.monotonic() + DEADLINE
        while not self.value_of(session, condition):
            if time.monotonic() > until:
                sys.exit(f"look: {what} did not show all that it has in {DEADLINE} s")
            event = self.message(time.monotonic() + POLL)
            if event is not None:
                self.events.append(event)

    def settle(self, quiet):
        """Collects events until the page is loaded and nothing came for `quiet` seconds."""
        until = time.monotonic() + DEADLINE
        while time.monotonic() < until:
            event = self.message(time.monotonic() + quiet)
            if event is not None:
                self.events.append(event)
            elif any(each.get("method") == "Page.loadEventFired" for each in self.events):
                return
        sys.exit(f"look: a page was not loaded in {DEADLINE} s")
