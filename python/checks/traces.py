"""Traces of real runs, read back by the protos of PyPI's perfetto and by jax.profiler:
every chunk, core and kernel is there as often as the plan says, every link has the planned
messages and bytes, every arrow has both its ends, and every host's write of a checkpoint is there
as often as the job's checkpoints say.

    python python/checks/traces.py

Exit code 1 where one is not."""

from __future__ import annotations

import collections
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import jax
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

ROOT = pathlib.Path(__file__).resolve().parents[2]
if "PODSIM_BIN" not in os.environ:
    sys.path.insert(0, str(ROOT / "python"))

from podsim import _programs  # noqa: E402

STEPS = (20, 21)
SAVED_EVERY = 7  # so that one of STEPS is saved, and steps before and behind them
CHUNK_BYTES = 4096
# mlp on digits: 64 x 256 + 256 + 256 x 10 + 10.
GRADIENTS = 19_210
HOSTS = {"v3-8": 1, "v3-32": 4}
CORES_PER_HOST = 8


def spans_of(trace: pb.Trace) -> list[dict]:
    """All slices: process, track, name, category, begin, end, step, and their flows."""
    tracks: dict[int, tuple[str, str]] = {}
    names, categories, arguments = {}, {}, {}
    open_slices = collections.defaultdict(list)
    spans = []
    for packet in trace.packet:
        interned = packet.interned_data
        names.update({each.iid: each.name for each in interned.event_names})
        categories.update({each.iid: each.name for each in interned.event_categories})
        arguments.update({each.iid: each.name for each in interned.debug_annotation_names})
        if packet.HasField("track_descriptor"):
            track = packet.track_descriptor
            # A track's parent is its process, whose parent is its clock.
            tracks[track.uuid] = (tracks.get(track.parent_uuid, ("", ""))[1], track.name)
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        stack = open_slices[event.track_uuid]
        if event.type == pb.TrackEvent.TYPE_SLICE_END:
            span = stack.pop()
            span["end"] = packet.timestamp
            # It lies in the one that it is nested in, which ends later.
            if stack:
                assert stack[-1]["begin"] <= span["begin"]
            continue
        process, track = tracks[event.track_uuid]
        span = {"process": process, "track": track, "name": names[event.name_iid],
                "category": categories[event.category_iids[0]], "begin": packet.timestamp,
                "flows_out": list(event.flow_ids), "flows_in": list(event.terminating_flow_ids)}
        span.update({arguments[each.name_iid]: each.int_value
                     for each in event.debug_annotations if each.HasField("int_value")})
        stack.append(span)
        spans.append(span)
    assert not any(open_slices.values()), "a begin without an end"
    return spans


def run_traced(slice_name: str, path: pathlib.Path, profiles: pathlib.Path,
               model_dir: pathlib.Path, *model: str) -> list[dict]:
    """The spans of a traced run of a model; those for XProf lie in `profiles`."""
    subprocess.run(
        [_programs.find("pod_launch"), f"--topology={slice_name}",
         f"--reference_topology={slice_name}", "--train_steps=24", "--algo=ring",
         f"--processes={HOSTS[slice_name]}", f"--chunk_bytes={CHUNK_BYTES}", "--quiet",
         f"--model_dir={model_dir}", f"--checkpoint_every={SAVED_EVERY}", "--tensorboard_dir=",
         f"--trace={path}", f"--profile_dir={profiles}", f"--trace_steps={STEPS[0]}:{STEPS[-1]}",
         *model],
        check=True, stdout=subprocess.DEVNULL)
    return spans_of(pb.Trace.FromString(path.read_bytes()))


def from_metrics(model_dir: pathlib.Path, path: pathlib.Path) -> list[dict]:
    """The spans of the same run, as its metrics file alone has them."""
    subprocess.run([_programs.find("pod_report"), f"{model_dir / 'metrics.jsonl'}",
                    f"--trace={path}"], check=True, stdout=subprocess.DEVNULL)
    return spans_of(pb.Trace.FromString(path.read_bytes()))


def explained(slice_name: str) -> dict:
    """A step, as pod_plan tells of it."""
    told = subprocess.run(
        [_programs.find("pod_plan"), f"--topology={slice_name}",
         f"--reference_topology={slice_name}", "--model=mlp", "--explain", "--json"],
        check=True, capture_output=True, text=True).stdout
    return json.loads(told)["explain"]


def unlike_plan(crossed: list[dict], links: list[dict]) -> list[str]:
    """Links whose messages or bytes in a step are not the planned ones."""
    seen = collections.defaultdict(lambda: [0, 0])
    for span in crossed:
        of_link = seen[span["step"], span["track"]]
        of_link[0] += 1
        of_link[1] += span["bytes"]
    planned = {(step, f"link {link['link']}"): [link["messages"], link["bytes"]]
               for step in STEPS for link in links}
    return [f"step {step}, {link}: messages and bytes {seen.get((step, link))}, planned "
            f"{planned.get((step, link))}"
            for step, link in sorted(planned.keys() | seen.keys())
            if seen.get((step, link)) != planned.get((step, link))]


def chunks_of(hosts: int) -> int:
    """That a step's ring sends: each host its share of every host's, to sum it and to hand
    it on."""
    if hosts == 1:
        return 0
    shares = [GRADIENTS // hosts + (share < GRADIENTS % hosts) for share in range(hosts)]
    return 2 * (hosts - 1) * sum(math.ceil(4 * share / CHUNK_BYTES) for share in shares)


def parts_of(model_dir: pathlib.Path) -> dict[int, list[int]]:
    """The bytes of the parts of each traced step's checkpoint: a host writes one at most."""
    parts = {}
    for step in STEPS:
        manifest = model_dir / str(step) / "manifest.json"
        if manifest.exists():
            parts[step] = sorted(part.stat().st_size
                                 for part in manifest.parent.glob("*.safetensors"))
    return parts


def planes_of(file: pathlib.Path) -> dict[str, dict[str, list[str]]]:
    """The names of events by plane and line; lines of one name are one."""
    planes: dict[str, dict[str, list[str]]] = {}
    for plane in jax.profiler.ProfileData.from_file(str(file)).planes:
        lines = planes.setdefault(plane.name, collections.defaultdict(list))
        for line in plane.lines:
            lines[line.name] += [event.name for event in line.events]
    return planes


def check(slice_name: str, folder: pathlib.Path) -> list[str]:
    """What is wrong with the trace of a run; empty: nothing."""
    profiles = folder / slice_name
    model_dir = folder / f"{slice_name}-model"
    spans = run_traced(slice_name, folder / f"{slice_name}.pftrace", profiles, model_dir,
                       "--model=mlp")
    plan = explained(slice_name)
    hosts = HOSTS[slice_name]
    wrong = []

    def expect(what: str, seen: object, planned: object) -> None:
        print(f"{slice_name:8} {what:34} {seen!s:>10}  planned {planned}")
        if seen != planned:
            wrong.append(f"{slice_name}: {what}: {seen}, planned {planned}")

    kept = from_metrics(model_dir, folder / f"{slice_name}-kept.pftrace")
    expect("spans in the metrics file alone", len(kept), len(spans))
    expect("of them unlike the trace's", len(set(map(repr, kept)) ^ set(map(repr, spans))), 0)
    wall = [span for span in spans if span["process"].startswith("wall: host ")]
    reports = [span for span in spans
               if span["process"] == "wall: coordinator" and span["track"] == "reports"]
    sim = [span for span in spans if span["category"] == "sim"]
    # Events of other steps, such as a checkpoint of an earlier one, may lie among these.
    expect("steps", sorted({span["step"] for span in spans if span["track"] != "events"}),
           list(STEPS))
    expect("reports of the coordinator", len(reports), len(STEPS))
    expect("hosts", len({span["process"] for span in wall}), hosts)
    expect("steps of hosts", sum(span["name"] == f"step {span['step']}" for span in wall),
           hosts * len(STEPS))
    cores = collections.Counter(span["track"] for span in wall
                                if span["track"].startswith("core "))
    expect("cores (wall)", len(cores), hosts * CORES_PER_HOST)
    expect("segments, the same on each core", len(set(cores.values())), 1)
    writes = collections.defaultdict(list)
    writers = set()
    for span in wall:
        if span["track"] == "checkpoint writes":
            writes[span["step"]].append(span["bytes"])
            writers.add((span["step"], span["process"]))
    saved = parts_of(model_dir)
    expect("checkpoints of these steps", sorted(saved),
           [step for step in STEPS if step % SAVED_EVERY == 0])
    expect("bytes of hosts' parts of them", {step: sorted(each) for step, each in writes.items()},
           saved)
    expect("hosts that write them", len(writers), sum(map(len, saved.values())))
    kernels = collections.Counter(span["track"] for span in sim
                                  if span["track"].startswith("core "))
    expect("cores (sim)", len(kernels), CORES_PER_HOST)
    expect("kernels of a core and step", sorted(set(kernels.values())),
           [len(plan["kernels"]) * len(STEPS)])
    sent = collections.Counter(flow for span in wall for flow in span["flows_out"])
    received = collections.Counter(flow for span in wall for flow in span["flows_in"])
    expect("chunks sent", len(sent), chunks_of(hosts) * len(STEPS))
    expect("chunks received of these", len(sent.keys() & received.keys()), len(sent))
    expect("chunks at more than two ends",
           sum(count > 1 for ends in (sent, received) for count in ends.values()), 0)
    expect("spans that end before they begin",
           sum(span["end"] < span["begin"] for span in spans), 0)
    crossed = [span for span in sim if span["track"].startswith("link ")]
    expect("spans of links in their steps", all(span["step"] in STEPS for span in crossed), True)
    expect("links with messages", len({span["track"] for span in crossed}), len(plan["links"]))
    expect("messages on all links", len(crossed),
           sum(link["messages"] for link in plan["links"]) * len(STEPS))
    wrong.extend(f"{slice_name}: {line}" for line in unlike_plan(crossed, plan["links"]))
    for clock, planned, files in (("wall", wall, hosts), ("sim", sim, 1)):
        found = sorted(profiles.glob(f"plugins/profile/*_{clock}/*.xplane.pb"))
        expect(f"profiles ({clock})", len(found), files)
        events = devices = 0
        for file in found:
            planes = planes_of(file)
            tpus = [plane for plane in planes if plane.startswith("/device:TPU:")]
            devices += len(tpus)
            expect(f"steps of {file.name} ({clock})",
                   sorted({tuple(planes[tpu]["Steps"]) for tpu in tpus}),
                   [tuple(map(str, STEPS))])
            events += sum(len(names) for plane in planes.values()
                          for line, names in plane.items() if line != "Steps")
        expect(f"devices ({clock})", devices, files * CORES_PER_HOST)
        expect(f"events ({clock})", events,
               sum(not span["track"].startswith("link ") for span in planned))
    return wrong


def check_file(folder: pathlib.Path) -> list[str]:
    """As check, of a model of a file: the metrics file has all of its trace, the model gone."""
    model, model_dir = folder / "net.model", folder / "file-model"
    subprocess.run([_programs.find("pod_launch"), "--model=mlp", f"--write_model={model}"],
                   check=True, stdout=subprocess.DEVNULL)
    spans = run_traced("v3-32", folder / "file.pftrace", folder / "file", model_dir,
                       f"--model_file={model}", "--dataset=digits", "--batch_per_core=8",
                       "--learning_rate=0.1")
    model.unlink()
    kept = from_metrics(model_dir, folder / "file-kept.pftrace")
    unlike = len(set(map(repr, kept)) ^ set(map(repr, spans)))
    sim = sum(span["category"] == "sim" for span in kept)
    print(f"{'file':8} {'spans in the metrics file alone':34} {len(kept):>10}  planned "
          f"{len(spans)}, {sim} of them simulated, {unlike} unlike")
    return [] if len(kept) == len(spans) and sim > 0 and unlike == 0 else [
        "file: the trace of the metrics file is not the run's own"]


def sim_steps_of(spans: list[dict]) -> set[tuple]:
    """Those of the chips, with their times from the first one's begin."""
    sim = [span for span in spans if span["category"] == "sim"]
    first = min(span["begin"] for span in sim)
    return {(span["process"], span["track"], span["name"], span["begin"] - first,
             span["end"] - first, span["step"], span.get("bytes")) for span in sim}


def check_untraced(folder: pathlib.Path) -> list[str]:
    """A run of a model of a file that was not traced, the model gone: its metrics file has the
    simulated steps that a traced run of the same job draws."""
    model = folder / "net.model"
    sim = {}
    for traced in (True, False):
        subprocess.run([_programs.find("pod_launch"), "--model=mlp", f"--write_model={model}"],
                       check=True, stdout=subprocess.DEVNULL)
        model_dir = folder / f"untraced-{traced}"
        path = folder / f"untraced-{traced}.pftrace"
        job = ["--topology=v3-32", "--reference_topology=v3-32", "--train_steps=24", "--quiet",
               "--processes=4", f"--model_dir={model_dir}", "--tensorboard_dir=",
               f"--model_file={model}", "--dataset=digits", "--batch_per_core=8",
               "--learning_rate=0.1"]
        asked = f"--trace_steps={STEPS[0]}:{STEPS[-1]}"
        own = [f"--trace={path}", asked] if traced else []
        subprocess.run([_programs.find("pod_launch"), *job, *own], check=True,
                       stdout=subprocess.DEVNULL)
        model.unlink()
        if not traced:
            subprocess.run([_programs.find("pod_report"), f"{model_dir / 'metrics.jsonl'}",
                            f"--trace={path}", asked], check=True, stdout=subprocess.DEVNULL)
        sim[traced] = sim_steps_of(spans_of(pb.Trace.FromString(path.read_bytes())))
    unlike = len(sim[True] ^ sim[False])
    print(f"{'untraced':8} {'simulated spans in the metrics file':34} {len(sim[False]):>10}  "
          f"planned {len(sim[True])}, {unlike} unlike")
    return [] if sim[True] and not unlike else [
        "untraced: the simulated steps are not those of a traced run"]


def main() -> int:
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for slice_name in HOSTS:
            wrong += check(slice_name, pathlib.Path(folder))
        wrong += check_file(pathlib.Path(folder))
        wrong += check_untraced(pathlib.Path(folder))
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
