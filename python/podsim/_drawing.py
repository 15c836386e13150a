"""Curves as SVG, of a size that does not follow the number of points."""

from __future__ import annotations

import html
import math
from typing import Sequence

Point = tuple[float, float]

_MOST = 200  # points of a curve that are drawn
_WIDTH, _HEIGHT = 420, 200
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 16, 28, 36


class Svg(str):
    """The text of a drawing; a notebook shows it."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def thin(points: Sequence[Point], most: int = _MOST) -> list[Point]:
    """At most so many of them: the lowest and the highest of each stretch, the first and
    the last of all."""
    if len(points) <= most:
        return list(points)
    parts = most // 2 - 1
    kept = [points[0]]
    for part in range(parts):
        stretch = points[part * len(points) // parts:(part + 1) * len(points) // parts]
        ends = {min(stretch, key=lambda p: p[1]), max(stretch, key=lambda p: p[1])}
        kept += sorted(ends)
    return sorted({*kept, points[-1]})


def ticks(low: float, high: float) -> list[float]:
    """Three to seven round numbers from low to high."""
    step = 10.0 ** math.floor(math.log10((high - low) / 2))
    step = next((step * times for times in (1, 2, 5, 10) if (high - low) / (step * times) <= 6),
                step * 10)
    first = math.ceil(low / step - 1e-9)
    return [step * i for i in range(first, math.floor(high / step + 1e-9) + 1)]


def _bounds(values: Sequence[float]) -> Point:
    low, high = min(0.0, *values), max(values)
    return (low, high) if high - low > 1e-30 else (low, low + 1)


def _line(x1: float, y1: float, x2: float, y2: float, color: str = "#888") -> str:
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'stroke="{color}"/>')


def _text(x: float, y: float, text: str, anchor: str = "start", color: str = "#222") -> str:
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}">'
            f'{html.escape(text)}</text>')


def curve(title: str, points: Sequence[Point], dots: Sequence[Point] = (),
          dots_name: str = "") -> Svg:
    """A line through `points`, and `dots` beside it; x are steps. Nothing for less than
    two points. Numbers that are none are left out."""
    line = [p for p in points if math.isfinite(p[0]) and math.isfinite(p[1])]
    dots = thin([p for p in dots if math.isfinite(p[0]) and math.isfinite(p[1])], _MOST // 2)
    if len(line) < 2:
        return Svg("")
    last = line[-1]
    line = thin(line)
    low, high = _bounds([y for _, y in [*line, *dots]])
    begin, end = line[0][0], max(x for x, _ in [*line, *dots])
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM

    def place(point: Point) -> Point:
        x, y = point
        return (_LEFT + (x - begin) / max(end - begin, 1e-30) * (right - _LEFT),
                bottom - (y - low) / (high - low) * (bottom - _TOP))

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
             'font-family="sans-serif" font-size="11">',
             f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
             _text(_LEFT, 16, f"{title}: {last[1]:.4g} at step {last[0]:.0f}")]
    for value in ticks(low, high):
        y = place((begin, value))[1]
        parts += [_line(_LEFT, y, right, y, "#ddd"), _text(_LEFT - 6, y + 4, f"{value:.4g}",
                                                           "end")]
    parts += [_line(_LEFT, _TOP, _LEFT, bottom), _line(_LEFT, bottom, right, bottom),
              _text(_LEFT, bottom + 14, f"{begin:.0f}"),
              _text(right, bottom + 14, f"{end:.0f}", "end"),
              _text((_LEFT + right) / 2, bottom + 14, "step", "middle")]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(place, line))
    parts.append(f'<polyline points="{path}" fill="none" stroke="#1565c0" stroke-width="1.5"/>')
    parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#c62828"/>'
              for x, y in map(place, dots)]
    if dots:
        parts.append(_text(right, 16, f"{dots_name}: {dots[-1][1]:.4g}", "end", "#c62828"))
    return Svg("".join([*parts, "</svg>"]))
