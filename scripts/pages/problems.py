"""What a page does wrong, by Chromium's events."""

import urllib.parse


def is_own(page, asked):
    """Whether a page may ask for this address."""
    page, asked = urllib.parse.urlsplit(page), urllib.parse.urlsplit(asked)
    if asked.scheme in ("data", "blob", "about"):
        return True
    return asked[:2] == page[:2] and (page.scheme != "file" or asked.path == page.path)


def problems_of(page, events):
    """A line each: requests that are not the page's own, errors, what the console has of them."""
    for event in events:
        params = event.get("params", {})
        match event.get("method"):
            case "Network.requestWillBeSent" | "Network.webSocketCreated":
                asked = params.get("url") or params["request"]["url"]
                if not is_own(page, asked):
                    yield f"asks for {asked[:200]}"
            case "Runtime.exceptionThrown":
                details = params["exceptionDetails"]
                yield f"error: {details.get('exception', {}).get('description', details['text'])}"
            case "Runtime.consoleAPICalled" if params["type"] in ("error", "assert"):
                yield "console: " + " ".join(
                    str(each.get("value", each.get("description", ""))) for each in params["args"])
            case "Log.entryAdded" if params["entry"]["level"] == "error":
                yield f"console: {params['entry']['text']} {params['entry'].get('url', '')}"


def sorted_out(problems, known):
    """Those of podsim's making, and those of `known`, which are of the viewer's own: of each the
    text that it has. No line twice."""
    ours, theirs = [], []
    for problem in problems:
        told = next((text for text in known if text in problem), None)
        into, line = (theirs, told) if told else (ours, problem.strip())
        if line not in into:
            into.append(line)
    return ours, theirs
