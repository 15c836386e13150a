"""Pages that are opened: a report's, or a viewer's with what a job wrote."""

import contextlib
import dataclasses
import pathlib
import sys
import urllib.parse

from pages import servers

LOCAL = ("127.0.0.1", "localhost", "::1")


@dataclasses.dataclass(frozen=True)
class Page:
    name: str  # as it was given
    stem: str  # of the pictures' names
    address: str
    # JavaScript: whether all is there that the page will show, what to do then, and the height
    # in pixels of the window that shows it, of a page that scrolls within itself.
    ready: str = "true"
    prepare: str = "null"
    height: str = "0"
    # Texts of what it asks for or writes to the console whatever it shows: not podsim's doing.
    known: tuple = ()


# All elements, also those of shadow trees, of which TensorBoard's page is made.
ALL = """const all = (root) => [...root.querySelectorAll('*')].flatMap(
    (each) => [each, ...(each.shadowRoot ? all(each.shadowRoot) : [])]);"""

# Of the window in which nothing scrolls.
HEIGHT = f"""(() => {{ {ALL}
    return innerHeight + Math.max(0, ...all(document).filter((each) => each.clientHeight > 200 &&
        ['auto', 'scroll'].includes(getComputedStyle(each).overflowY)
    ).map((each) => each.scrollHeight - each.clientHeight)); }})()"""

TENSORBOARD = {
    "ready": f"""(() => {{ {ALL}
        const named = (name) => all(document).filter((each) => each.localName === name);
        return named('tf-scalar-card').length > 0 &&
            named('paper-spinner-lite').every(
                (each) => each.getClientRects().length === 0); }})()""",
    # All groups of tags; two are open at first.
    "prepare": f"""(() => {{ {ALL}
        for (const each of all(document))
            if (each.localName === 'tf-category-paginated-view') each.opened = true; }})()""",
    "height": HEIGHT,
}

PERFETTO = {
    # Nothing is loaded or drawn any more.
    "ready": "self.app?.trace && waitForPerfettoIdle().then(() => true)",
    "prepare": "app.commands.runCommand('dev.perfetto.ExpandAllGroups')",
    "height": HEIGHT,
    "known": (
        # Asks whether the user is an employee of Google's; goes on without an answer.
        "https://storage.cloud.google.com/perfetto-ui-internal/is-internal-user/"
        "is_internal_user.js",
        # Looks for a trace processor of this machine's, faster than that in the page.
        "http://127.0.0.1:9001/status",
        "Unrecognized Content-Security-Policy directive 'navigate-to'.",
    ),
}


def page_of(number, page):
    """Of a file, or of an address of this machine."""
    parts = urllib.parse.urlsplit(page)
    if parts.scheme in ("http", "https"):
        if parts.hostname not in LOCAL:
            sys.exit(f"look: {page} is not on this machine; give a file or an address of "
                     f"{', '.join(LOCAL)}")
        return Page(page, f"page{number}", page)
    path = pathlib.Path(page)
    if not path.is_file():
        sys.exit(f"look: there is no file {page}; pod_report RUN -o {page} writes a report page")
    return Page(page, path.stem, path.resolve().as_uri())


@contextlib.contextmanager
def tensorboard(tools, folder):
    if not any(folder.rglob("events.out.tfevents.*")):
        sys.exit(f"look: there are no event files below {folder}; pod_launch --tensorboard_dir "
                 f"{folder} writes them")
    with servers.tensorboard(tools, folder) as address:
        yield Page(f"TensorBoard of {folder}", "tensorboard",
                   f"{address}#scalars&_smoothingWeight=0", **TENSORBOARD)


@contextlib.contextmanager
def perfetto(tools, trace):
    if not trace.is_file():
        sys.exit(f"look: there is no file {trace}; pod_launch --trace {trace} writes one")
    with servers.perfetto(tools, trace) as address:
        yield Page(f"Perfetto with {trace}", "perfetto", address, **PERFETTO)
