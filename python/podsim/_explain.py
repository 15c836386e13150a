"""What plan.explain() returns: what a core runs in a training step, all times simulated."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import html
import json
import re
from typing import Any, Sequence

from . import _errors, _job, _programs
from ._kept import Kept
from ._names import instead
from ._not_called import NotCalled
from ._records import Record, Records
from ._rows import PlanRow
from ._units import gib, span, thousands

_LINES = 20  # that a notebook shows
_COLUMNS = ("time (sim)", "share", "kernels", "FLOP", "HBM", "bound by", "kind", "op", "from")
_CLASSES = ("weights", "gradients", "optimizer_state", "activations", "inputs")

# What else such an object may be asked for, and what says it.
_MEANT = {
    **dict.fromkeys(("memory", "activations"), "say explanation.hbm"),
    **dict.fromkeys(("time", "seconds", "flops", "total"), "say explanation.totals.seconds, or "
                    ".flops and .hbm_bytes of the same"),
    **dict.fromkeys(("rows", "table", "ops", "layers"), "say explanation.lines, of kernels that "
                    "do the same, or explanation.kernels"),
    **dict.fromkeys(("to_json", "to_dict", "to_csv", "to_pandas"), "its parts are lists and "
                    "dicts: json.dumps(explanation.kernels)"),
}


class Part(Record):
    called = "a record of plan.explain()"


class Kernels(Records):
    called = "explanation.kernels"

    def _of(self) -> str:
        return "kernel"


class KernelLines(Records):
    called = "explanation.lines"

    def _of(self) -> str:
        return "line"


def _name(part: dict[str, Any]) -> str:
    return ", ".join(filter(None, [part["name"], part["source"]]))


@dataclasses.dataclass(frozen=True, repr=False)
class Explanation(NotCalled):
    """What a core (a chip, where that trains as one) runs in a training step. print shows the
    kernels that take most time, a notebook draws them; seconds are simulated (sim), FLOPs and
    bytes counts."""

    slice: str
    rows_per_pass: int
    """Examples of a core in one pass of the step."""
    microbatches: int
    """Passes of a step; the kernels are those of one of them and of the update."""
    kernels: Kernels
    """All, in the order in which they run: name, source ("train.py:41"; None: not known), op,
    kind ("product", "loop" or "alone"), seconds, share, bound_by ("compute", "vector", "HBM" or
    "fixed cost"), flops, product_flops, matrix_flops (padding in them), hbm_bytes."""
    lines: KernelLines
    """Kernels of one place that do the same, those that take most time first; kernels are their
    places in `kernels`."""
    totals: Part
    recomputed: Kernels
    """Products that run again because HBM is too small: name, flops, seconds of one more run,
    freed_bytes. Empty if all fits."""
    hbm: Part
    """While it is fullest: bytes of bytes_available, weights_bytes, gradients_bytes,
    optimizer_state_bytes, activations_bytes, inputs_bytes; kernel, the place of the one that
    finds it so; largest_activations."""
    job: str
    text: str

    def __getattr__(self, name: str) -> Any:
        """Of a name that it has not."""
        own = [field.name for field in dataclasses.fields(self)]
        meant = _MEANT.get(name, "")
        raise _errors.no_attribute(f"an Explanation has no {name!r}" + (
            f": {meant}" if meant else instead(name, own, most=len(own))))

    def _when_called(self) -> str:
        return ("a podsim.Explanation is no function: leave () out; its kernels are "
                "explanation.kernels")

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        def line(cells: Sequence[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>"
                                    for cell in cells) + "</tr>"

        notes = "".join(f"<div>{html.escape(note)}</div>" for note in self._notes())
        return (f"<div>{html.escape(self._heading())}</div><table>" + line(_COLUMNS, "th")
                + "".join(line(self._cells(each), "td") for each in self.lines[:_LINES])
                + f"</table>{notes}")

    def _cells(self, line: Part) -> list[str]:
        return [span(line["seconds"]), f"{100 * line['share']:.1f}%", str(len(line["kernels"])),
                thousands(line["flops"]), gib(line["hbm_bytes"]), line["bound_by"], line["kind"],
                line["op"], _name(line)]

    def _heading(self) -> str:
        passes = (f", one of {self.microbatches} passes, and the update"
                  if self.microbatches > 1 else "")
        return (f"{self.job}, {self.slice}: kernels of one training step of {self.rows_per_pass:,} "
                f"examples{passes}; times are simulated, not measured")

    def _notes(self) -> list[str]:
        totals, hbm = self.totals, self.hbm
        more = self.lines[_LINES:]
        classes = ", ".join(f"{each.replace('_', ' ')} {gib(hbm[f'{each}_bytes'])}"
                            for each in _CLASSES)
        left = (f"and {sum(len(each['kernels']) for each in more):,} more kernels, "
                f"{span(sum(each['seconds'] for each in more))} together")
        return [*[left] * bool(more),
                f"in all {span(totals['seconds'])}: {totals['kernels']:,} kernels, "
                f"{totals['products']:,} of them products; {thousands(totals['flops'], 'FLOP')}; "
                f"{gib(totals['hbm_bytes'])} moved over HBM",
                f"HBM at its fullest, {gib(hbm['bytes'])} of {gib(hbm['bytes_available'])}: "
                f"{classes}", *self._recomputed()]

    def _recomputed(self) -> list[str]:
        if not self.recomputed:
            return []
        flops, seconds = (sum(each[name] for each in self.recomputed)
                          for name in ("flops", "seconds"))
        return [f"computed again for lack of room: {len(self.recomputed):,} products, "
                f"{thousands(flops, 'FLOP')} in {span(seconds)}"]


_GAP = r"(?:\s+#\s+|\s+)"  # between words of a line that may be broken there


def _in_python(text: str) -> str:
    """The text, with what the object has for what a flag does."""
    for said in ("--verbose lists all", "--verbose or --json has all"):
        text = re.sub(_GAP.join(map(re.escape, said.split())), ".kernels has all", text)
    return text.rstrip("\n")


def read(written: str, text: str) -> Explanation:
    """Of what `pod_plan --explain --json` writes, and of what it prints without."""
    found = json.loads(written)
    explain = found["explain"]
    return Explanation(slice=found["results"][0]["slice"], rows_per_pass=explain["rows"],
                       microbatches=explain["microbatches"],
                       kernels=Kernels(map(Part, explain["kernels"])),
                       lines=KernelLines(map(Part, explain["lines"])),
                       recomputed=Kernels(map(Part, explain["recomputed"])),
                       totals=Part(explain["totals"]), hbm=Part(explain["hbm"]),
                       job=found["job"], text=_in_python(text))


def _slice_of(plan: Any, which: Any) -> str:
    """plan: a podsim.Plan. which: a slice's name, a row or its place; None: the only one's."""
    if which is None and len(plan) != 1:
        raise TypeError(f"plan.explain tells of one slice, and this plan has {len(plan)}, "
                        f"{', '.join(row.slice for row in plan)}: say which, as in "
                        f"plan.explain({plan[0].slice!r})")
    row = which if isinstance(which, PlanRow) else plan[0 if which is None else which]
    if not isinstance(row, PlanRow):
        raise TypeError("plan.explain tells of one slice: name it, as in "
                        f"plan.explain({plan[0].slice!r})")
    return str(plan[row.slice].slice)


def of_plan(plan: Any, kept: Kept | None, which: Any) -> Explanation:
    """Asks the program."""
    if kept is None:
        raise ValueError("this plan was not made by podsim.plan, which keeps the model for "
                         "plan.explain(): call podsim.plan")
    topology = _slice_of(plan, which)
    with kept.settings(topology) as settings, concurrent.futures.ThreadPoolExecutor(2) as both:
        flags = ["--explain", *_job.flags_of_plan(settings)]
        written = both.submit(_programs.run, "pod_plan", ["--json", *flags])
        text = _programs.run("pod_plan", flags)
        return read(written.result(), text)
