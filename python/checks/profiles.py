"""Profiles of real runs (--profile_dir), converted by PyPI's xprof as TensorBoard's profile
page does it: trace_viewer has every event, overview_page and input_pipeline_analyzer have the
step times, and three tools the time of every op. Lists which of xprof's tools are empty.

    python python/checks/profiles.py

Exit code 1 where a time or count differs, or another tool is empty than docs/trace.md says."""

from __future__ import annotations

import collections
import contextlib
import importlib.metadata
import json
import os
import pathlib
import re
import sys
import tempfile
from collections.abc import Iterator

import jax
import traces
from xprof.convert import raw_to_tool_data

# docs/trace.md has the reasons.
STEP_TOOLS = ("overview_page", "input_pipeline_analyzer")
OP_TOOLS = ("framework_op_stats", "hlo_stats", "op_profile")
SHOWN = (*STEP_TOOLS, *OP_TOOLS, "roofline_model")
EMPTY = ("memory_profile", "memory_viewer", "graph_viewer", "pod_viewer", "kernel_stats",
         "megascale_stats", "perf_counters", "utilization_viewer", "kernel_utilization",
         "inference_profile", "smart_suggestion")
ONE_HOST = ("memory_profile", "kernel_utilization")
# Rows that are there without any op.
ALWAYS = ("IDLE", "Program", "ALL", "Average")


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """xprof's C++ writes a page of log for each tool to descriptor 2."""
    kept = os.dup(2)
    with open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def converted(files: list[pathlib.Path], tool: str) -> object:
    """What the page of a tool is sent; None: an error."""
    parameters = {"use_saved_result": False, "trace_viewer_options": {}}
    with quiet(), contextlib.suppress(ValueError):
        data, _ = raw_to_tool_data.xspace_to_tool_data([str(file) for file in files], tool,
                                                       parameters)
        return json.loads(data) if data else None
    return None


def lines_of(file: pathlib.Path) -> dict[tuple[str, str], list[tuple[str, float]]]:
    """Name and milliseconds of each event, by plane and line; lines of one name are one."""
    lines = collections.defaultdict(list)
    for plane in jax.profiler.ProfileData.from_file(str(file)).planes:
        for line in plane.lines:
            lines[plane.name, line.name] += [(event.name, event.duration_ns / 1e6)
                                             for event in line.events]
    return {name: events for name, events in lines.items() if events}


def viewed(trace: dict) -> collections.Counter:
    """Events of trace_viewer, by process and thread."""
    processes, threads = {}, {}
    for event in trace["traceEvents"]:
        if event.get("name") == "process_name":
            processes[event["pid"]] = event["args"]["name"].split()[-1]
        elif event.get("name") == "thread_name":
            threads[event["pid"], event["tid"]] = event["args"]["name"]
    return collections.Counter(
        (processes[event["pid"]], threads[event["pid"], event["tid"]], event["name"])
        for event in trace["traceEvents"] if event.get("ph") == "X")


def cells(table: dict) -> list[list]:
    return [[cell["v"] for cell in row["c"]] for row in table["rows"]]


def amount(tool: str, data: object) -> int:
    """How many ops, steps, counters or others a tool has to show."""
    if data is None:
        return 0
    if tool in STEP_TOOLS:
        return len(data[1]["rows"])
    if tool == "op_profile":
        return sum(len(category["children"]) for program in data["byProgramExcludeIdle"]["children"]
                   for category in program["children"])
    if tool == "memory_profile":
        return len(data["memoryProfilePerAllocator"])
    if tool == "pod_viewer":
        return sum(len(step["podStatsPerCore"]) for step in data["podStatsSequence"]["podStatsMap"])
    if tool == "smart_suggestion":
        return len(data["suggestions"])
    tables = data if isinstance(data, list) else [data]
    return sum(not any(cell in ALWAYS for cell in row) for table in tables if "rows" in table
               for row in cells(table))


def op_milliseconds(tool: str, data: object) -> float:
    """Of all ops on all cores."""
    if tool == "op_profile":
        return data["byProgramExcludeIdle"]["metrics"]["rawTime"] / 1e9
    table = data if tool == "hlo_stats" else data[0]
    at = [column["id"] for column in table["cols"]].index("total_self_time")
    return sum(row[at] for row in cells(table) if not any(cell in ALWAYS for cell in row)) / 1e3


class Steps:
    """As a tool shows them; all in milliseconds."""

    def __init__(self, data: list) -> None:
        table = data[1]
        columns = [column["id"] for column in table["cols"]]
        rows = [dict(zip(columns, row)) for row in cells(table)]
        self.times = [float(re.search(r"Step time = ([0-9.]+) ms", row["tooltip"])[1])
                      for row in rows]
        self.computing = [row["tcComputeTimeMs"] for row in rows]
        self.input = [row["tcInfeedTimeMs"] for row in rows]
        self.average = float(table["p"]["steptime_ms_average"])


class Report:
    """What differs, printed as it is found."""

    def __init__(self, slice_name: str, clock: str) -> None:
        self.run, self.clock, self.wrong = f"{slice_name} {clock}", clock, 0

    def expect(self, what: str, seen: object, planned: object, within: float = 0) -> None:
        if seen != planned and not (within and abs(seen - planned) <= within):
            print(f"{self.run}: {what}: {seen}, planned {planned}")
            self.wrong += 1


def check_trace_viewer(file: pathlib.Path, report: Report) -> int:
    """The page asks for trace_viewer@."""
    planned = collections.Counter((plane, line, name)
                                  for (plane, line), events in lines_of(file).items()
                                  for name, _ in events)
    for tool in ("trace_viewer", "trace_viewer@"):
        seen = viewed(converted([file], tool) or {"traceEvents": []})
        report.expect(f"{tool}: events of {file.name}", sum(seen.values()), sum(planned.values()))
        report.expect(f"{tool}: all by their line and name", seen == planned, True)
    return sum(planned.values())


def check_steps(file: pathlib.Path, report: Report) -> None:
    lines = lines_of(file)
    planned = [time for _, time in lines["/device:TPU:0", "Steps"]]
    waits = [time for name, time in lines["/host:CPU", "steps"] if name == "input"]
    report.expect(f"waits for input in {file.name}", len(waits),
                  len(traces.STEPS) if report.clock == "wall" else 0)
    for tool in STEP_TOOLS:
        steps = Steps(converted([file], tool))
        report.expect(f"{tool}: steps of {file.name}", len(steps.times), len(traces.STEPS))
        for seen, time, computing in zip(steps.times, planned, steps.computing):
            report.expect(f"{tool}: ms of a step", seen, round(time, 3), within=0.0015)
            report.expect(f"{tool}: {computing} ms of a step are computing",
                          0 < computing <= time, True)
        for seen, time in zip(steps.input, waits or [0] * len(planned)):
            report.expect(f"{tool}: ms of input", round(seen, 3), round(time, 3), within=0.0015)
        report.expect(f"{tool}: average ms", steps.average, round(sum(planned) / len(planned), 3),
                      within=0.0055)


def check_steps_together(files: list[pathlib.Path], report: Report) -> float:
    """XProf lays side by side the steps of several hosts that overlap most in time, whatever
    their numbers, and takes the longest; on a busy machine that may be one step fewer."""
    every = [time for file in files for _, time in lines_of(file)["/device:TPU:0", "Steps"]]
    for tool in STEP_TOOLS:
        steps = Steps(converted(files, tool))
        report.expect(f"{tool}: steps of all", 0 < len(steps.times) <= len(traces.STEPS), True)
        report.expect(f"{tool}: average ms is one of theirs",
                      min(every) - 0.0055 <= steps.average <= max(every) + 0.0055, True)
    return steps.average


def check_simulated_steps(files: list[pathlib.Path], told: list[float], report: Report) -> None:
    """`told`: milliseconds, by the run's metrics file."""
    for tool in STEP_TOOLS:
        report.expect(f"{tool}: average ms, by the run", Steps(converted(files, tool)).average,
                      round(sum(told) / len(told), 3), within=0.0055)


def check_ops(files: list[pathlib.Path], report: Report) -> None:
    planned = sum(time for file in files for (_, line), events in lines_of(file).items()
                  if line == "XLA Ops" for _, time in events)
    for tool in OP_TOOLS:
        seen = op_milliseconds(tool, converted(files, tool))
        report.expect(f"{tool}: ms of all ops", round(seen, 3), round(planned, 3), within=0.002)


def check_tools(files: list[pathlib.Path], report: Report) -> None:
    with quiet():
        offered = raw_to_tool_data.xspace_to_tool_names([str(file) for file in files])
    report.expect("tools of the page that are not known here",
                  sorted({*offered} - {*SHOWN, *EMPTY, "trace_viewer@"}), [])
    has = {tool: amount(tool, converted(files[:1] if tool in ONE_HOST else files, tool))
           for tool in (*SHOWN, *EMPTY)}
    for tool, rows in has.items():
        report.expect(f"{tool} has rows", rows > 0, tool in SHOWN)
    empty = [tool for tool, rows in has.items() if not rows]
    print("  rows:", ", ".join(f"{tool} {rows}" for tool, rows in has.items() if rows))
    print("  empty:", ", ".join(tool for tool in empty if tool in offered))
    print("  empty, not offered:", ", ".join(tool for tool in empty if tool not in offered))


def check(slice_name: str, folder: pathlib.Path) -> int:
    """How much is wrong with the profiles of a run."""
    metrics = folder / f"{slice_name}.jsonl"
    traces.run_traced(slice_name, folder / f"{slice_name}.pftrace", folder / slice_name,
                      folder / f"{slice_name}-model", f"--metrics_file={metrics}")
    simulated = [1e3 * line["simulated_seconds"]
                 for line in map(json.loads, metrics.read_text().splitlines())
                 if line["event"] == "step" and line["step"] in traces.STEPS]
    wrong = 0
    for clock in ("wall", "sim"):
        report = Report(slice_name, clock)
        files = sorted((folder / slice_name).glob(f"plugins/profile/*_{clock}/*.xplane.pb"))
        events = sum(check_trace_viewer(file, report) for file in files)
        for file in files:
            check_steps(file, report)
        average = check_steps_together(files, report)
        if clock == "sim":
            check_simulated_steps(files, simulated, report)
        print(f"{report.run}: files {len(files)}, events on trace_viewer {events}, "
              f"step on overview_page {average:.2f} ms")
        check_ops(files, report)
        check_tools(files, report)
        wrong += report.wrong
    return wrong


def main() -> int:
    print(f"xprof {importlib.metadata.version('xprof')}")
    with tempfile.TemporaryDirectory() as folder:
        wrong = sum(check(slice_name, pathlib.Path(folder)) for slice_name in traces.HOSTS)
    print(f"profiles: {f'{wrong} wrong' if wrong else 'as planned'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
