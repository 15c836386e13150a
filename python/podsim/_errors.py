"""What a program or a job says when it fails, as an exception in Python's words."""

from __future__ import annotations

import re
from typing import Sequence

from . import _bad_examples, _bad_ops
from ._settings import SETTINGS

# Settings with which pod_launch does something else than to train.
IDLE = ("dry_run", "print_job", "selftest", "describe", "print_hardware", "write_model",
        "print_compose")

_FLAG = re.compile(r"(?<![\w-])(pod_\w+ (?:--\w+(?:=[^\s,;:)]+)? )*)?--(\w+)")
_TYPED = re.compile(r"^--(?=\w+ is [-\d])")  # of any program, a number out of bounds
_PLANS = re.compile(r"(?<![\w-])(?:(?:pod_launch )?--dry_run(?:, pod_plan)?|pod_plan(?! --))(?!\w)")


# Places as a command line has them, and the same in a call.
_PLACE = re.compile(r"(?<![\w.-])(restore|[a-z]+_dir|[a-z]+_file)=([\w./-]*[a-z0-9](?![\w./-]*\w|:))")
_LIST = re.compile(r"(?:(?<=such as )|(?<=in order: ))\d[\d.]*(?:,\d[\d.]*)+(?!\w)")
_SWITCHES = re.compile(r"(=\S+) (restore_weights_only) (?=\w+=)")
_NAMES = "|".join(SETTINGS)
_SIDE_BY_SIDE = re.compile(rf"(?<![\w-])((?:{_NAMES})=[^\s,;]+) (?=(?:{_NAMES})=)")
_AS_IN = re.compile(r"(?<=has no recipe: )(.*?), as in .*")

# Words that a setting is given, and the same in a call; what a job of a function must say.
_TEXTS = "|".join(name for name, each in SETTINGS.items() if each.type in (
    "NAME", "HOW", "TYPE", "RULE", "SHAPE", "MODE", "LEVEL", "WHAT"))
_WORD = re.compile(rf"(?<![\w./\"'=-])({_TEXTS})=([a-z][a-z0-9_]*(?:-\d+)?)(?![\w/=(\"'-]|\.[\w.])")
_RULES = {"momentum": "sgd", "nesterov": "sgd"}
_HAS_NONE = re.compile(r"\b(\w+) is (\S+) but optimizer=(\w+) has none; leave it out, or give "
                       r"optimizer=(\w+)[\w, ]*")
_OWN_NAMES = {"beta1": "b1", "beta2": "b2", "epsilon": "eps"}  # of podsim.adam and the like
_MUST_SAY = {"batch_per_core or train_batch_size": "batch_per_core=8 or train_batch_size=256",
             "train_steps or epochs": "epochs=3 or train_steps=1000",
             "learning_rate or base_learning_rate": "optimizer=podsim.adamw(1e-3)",
             "the same command": "the same call"}


def _word(match: re.Match[str]) -> str:
    """"lr_schedule=cosine" as a keyword."""
    name, word = match.groups()
    if name == "optimizer":
        return f"optimizer=podsim.{_RULES.get(word, word)}(...)"
    return f"{name}={word.capitalize()}" if word in ("true", "false") else f'{name}="{word}"'


def _has_none(match: re.Match[str]) -> str:
    """A number of another update rule goes into podsim's function of that rule: beside it, it
    would be given twice."""
    name, value, given, other = match.groups()
    other = _RULES.get(other, other)
    rate = "0.1" if other in ("sgd", "lars") else "1e-3"
    return (f"{name} is {value} but optimizer=podsim.{_RULES.get(given, given)}(...) has none; "
            f"leave it out, or give it to the optimizer alone: optimizer=podsim.{other}({rate}, "
            f"{_OWN_NAMES.get(name, name)}={value})")


class PodsimError(RuntimeError):
    """A program refused, or a job failed. The text is the reason.

    reason: what went wrong, and what to do. host: where, such as "host2", "hosts 4-7"
    or "coordinator"; step: the step of the job; None: not known, or before the job.
    details: everything that the program wrote about it."""

    __module__ = "podsim"

    def __init__(self, reason: str, *, host: str | None = None, step: int | None = None,
                 details: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.host = host
        self.step = step
        self.details = details or reason


def no_attribute(text: str) -> AttributeError:
    """Without a name and an object, of which Python would make a guess of its own, "Did you
    mean: ...?"."""
    return AttributeError(text, name=None, obj=None)


class NoRow(KeyError):
    """Whose text is shown as it is: KeyError shows it as that of a key, in quotation marks."""

    def __str__(self) -> str:
        return str(self.args[0])


# In a traceback, too, it is what it is caught as.
NoRow.__name__ = NoRow.__qualname__ = KeyError.__name__
NoRow.__module__ = KeyError.__module__


def said(error: Exception) -> Exception:
    """The error, whose text is that of one line."""
    setattr(error, "_podsim_said", True)
    return error


def is_said(error: BaseException) -> bool:
    """Whether its text is one line already."""
    return bool(getattr(error, "_podsim_said", False))


# What a program says of its metrics file.
_OF_METRICS = re.compile(r"(?:give what )?pod_launch --metrics_file=(\S+) (writes one|wrote)")


def in_python(text: str) -> str:
    """The text with flags of pod_launch as keywords: "--epochs" is "epochs". A command
    stays one: "pod_launch --describe", but for what podsim.plan does."""
    def keyword(match: re.Match[str]) -> str:
        program, name = match.groups()
        if program or name not in SETTINGS:
            return match[0]
        return f"pod_launch --{name}" if name in IDLE else name

    text = _TYPED.sub("", text)
    text = _OF_METRICS.sub(lambda found: (
        f'podsim.train(..., metrics_file="{found[1].replace("FILE", "run.jsonl")}") writes one'),
        text)
    said = _FLAG.sub(keyword, _PLANS.sub("podsim.plan", _HAS_NONE.sub(_has_none, text)))
    said = _WORD.sub(_word, said.replace("give one of true, false", "give True or False"))
    for text, instead in _MUST_SAY.items():
        said = said.replace(text, instead)
    said = _SIDE_BY_SIDE.sub(r"\1, ", _AS_IN.sub(r"\1", said))
    said = _LIST.sub(lambda match: f"[{match[0].replace(',', ', ')}]", said)
    return _SWITCHES.sub(r"\1, \2=True, ", _PLACE.sub(r'\1="\2"', said))


def is_refusal(line: str) -> bool:
    """Whether the line is an error of pod_launch before a job."""
    return line.startswith(("error: ", "pod_launch: "))


def of_program(name: str, written: str, code: int) -> PodsimError:
    """What a program that ended with `code` wrote to its standard error."""
    said = [line for line in written.strip().splitlines()
            if not line.startswith("warning: ")]
    text = re.sub(r"\A(?:error|pod_\w+): ", "", "\n".join(said))
    ended = (f"{name} was ended by signal {-code}: dmesg says whether memory ran out" if code < 0
             else f"{name} ended with {code}")
    return PodsimError(in_python(text) or ended, details=written.strip())


def _block(lines: Sequence[str]) -> list[str]:
    """The last block of a failed run (runtime/report/failure.h); none: there is none."""
    begins = [i for i, line in enumerate(lines) if line.startswith("FAILED: ")]
    return list(lines[begins[-1]:]) if begins else []


def _row(block: Sequence[str], name: str) -> str:
    return next((line[len(name) + 2:].strip() for line in block
                 if line.startswith(f"  {name} ")), "")


# Advice that a folder which is gone after the call cannot follow.
_GOES_BACK = re.compile(r", perhaps from an earlier checkpoint \(--restore=.*?/STEP\)"
                        r"|; there is no checkpoint yet to go back to.* saves sooner")


def of_job(lines: Sequence[str], keeps: bool, code: int) -> PodsimError:
    """What a job that ended with `code` wrote. keeps: whether its checkpoints stay.

    Who failed, a hint and what became of the work are notes of the exception."""
    block = _block(lines)
    if not block:
        errors = [line for line in lines if is_refusal(line)]
        return of_program("pod_launch", "\n".join(errors or list(lines)[-3:]), code)
    reason = _bad_ops.with_way(_bad_examples.in_python(_row(block, "reason")))
    if not keeps:
        reason = _GOES_BACK.sub("", reason)
    who, doing = block[0].removeprefix("FAILED: "), _row(block, "doing")
    happened = f"{who} ({doing})"
    error = PodsimError(
        in_python(reason or ": ".join([happened, *_last_output(block)])),
        host=_host(who), step=_step(doing), details="\n".join(block))
    rows = {"failed": happened if reason else "", "hint": _row(block, "hint"),
            "work": _row(block, "work") if keeps else "lost; model_dir=DIR keeps checkpoints"}
    for name, text in rows.items():
        if text:
            error.add_note(f"{name}: {in_python(text)}")
    return error


def _host(who: str) -> str | None:
    """Of "hosts 4-7 (pid 9) exited with code 1"."""
    match = re.match(r"hosts? ?\d+(?:-\d+)?|\w+", who)
    return match[0] if match else None


def _step(doing: str) -> int | None:
    match = re.match(r"(?:after )?step (\d+)", doing)
    return int(match[1]) if match else None


_LOGGED = re.compile(r"^[A-Z] \d\d:\d\d:\d\d\.\d+ ")  # "E 15:28:46.930 "


def _last_output(block: Sequence[str]) -> list[str]:
    lines = [_LOGGED.sub("", line.strip(" |")) for line in block if line.startswith("    | ")]
    return ["; ".join(filter(None, lines[-3:]))] if any(lines) else []
