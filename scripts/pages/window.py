"""A page in a window of the browser: its picture, and what it does wrong."""

import base64
import json

from pages import problems

HEIGHT = 900
TALLEST = 12000  # pixels of a picture
MARGIN = 8  # around a part


def part_of(browser, session, selector):
    """Its rectangle: of the whole page without a selector."""
    what = f"document.querySelector({json.dumps(selector)})" if selector else (
        "document.documentElement")
    return browser.value_of(session, f"""(() => {{
        const part = {what};
        if (!part) return null;
        const r = part.getBoundingClientRect(), m = {MARGIN if selector else 0};
        return {{x: r.x + scrollX - m, y: r.y + scrollY - m, width: r.width + 2 * m,
                 height: Math.min(r.height, {TALLEST}) + 2 * m}}; }})()""")


def set_size(browser, session, width, height):
    browser.ask("Emulation.setDeviceMetricsOverride", session, width=width, height=height,
                deviceScaleFactor=1, mobile=False)


def opened(browser, page, width, settings):
    """The target and the session of a window with the page, which shows all that it has. A window
    of its own each time: nothing is cached."""
    target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
    session = browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    for domain in ("Page", "Network", "Runtime", "Log"):
        browser.ask(f"{domain}.enable", session)
    browser.ask("Target.setAutoAttach", session, autoAttach=True, waitForDebuggerOnStart=True,
                flatten=True)
    set_size(browser, session, width, HEIGHT)
    browser.ask("Emulation.setEmulatedMedia", session, features=[
        {"name": "prefers-color-scheme", "value": "dark" if settings.dark else "light"}])
    browser.events.clear()
    browser.ask("Page.navigate", session, url=page.address)
    browser.settle(settings.quiet)
    browser.wait_for(session, page.ready, page.name)
    browser.value_of(session, page.prepare)
    browser.settle(settings.quiet)
    fit(browser, session, page, width, settings)
    return target, session


def fit(browser, session, page, width, settings):
    """Makes the window as high as the page takes. What comes into view may take more."""
    height = HEIGHT
    while height < (needed := min(browser.value_of(session, page.height), TALLEST)):
        height = needed
        set_size(browser, session, width, height)
        browser.settle(settings.quiet)
        browser.wait_for(session, page.ready, page.name)


def look_at(browser, page, width, settings):
    """The picture, the problems, and those that are the viewer's own."""
    target, session = opened(browser, page, width, settings)
    clip = part_of(browser, session, settings.part)
    if clip is None:
        return None, [f"has no {settings.part}"], []
    needed = browser.value_of(session, "document.documentElement.scrollWidth")
    picture = browser.ask("Page.captureScreenshot", session, format="png",
                          captureBeyondViewport=True, clip={**clip, "scale": 1})
    ours, theirs = problems.sorted_out(problems.problems_of(page.address, browser.events),
                                       page.known)
    if needed > width:
        ours.append(f"is {needed} pixels wide")
    browser.ask("Target.closeTarget", targetId=target)
    return base64.b64decode(picture["data"]), ours, theirs
