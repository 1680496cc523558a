"""Line charts as SVG, light or dark by the reader's preference, without scripts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

import attrs

_WIDTH, _HEIGHT = 360, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 26, 44, 40
_TICKS = 4
STYLE = """
  .back { fill: #ffffff } .title { font: 600 13px system-ui, sans-serif; fill: #1f2328 }
  .label { font: 11px system-ui, sans-serif; fill: #59636e } .grid { stroke: #d1d9e0; stroke-width: 1 }
  .line { fill: none; stroke-width: 2; stroke-linejoin: round } .s0 { stroke: #0b63c5 } .s1 { stroke: #bc4c00 }
  .t0 { fill: #0b63c5 } .t1 { fill: #bc4c00 }
  @media (prefers-color-scheme: dark) {
    .back { fill: #0d1117 } .title { fill: #f0f6fc } .label { fill: #9198a1 } .grid { stroke: #3d444d }
    .s0 { stroke: #58a6ff } .s1 { stroke: #f0883e } .t0 { fill: #58a6ff } .t1 { fill: #f0883e }
  }
"""


@attrs.frozen(kw_only=True)
class Panel:
    """One chart: at most two lines over the same x. y begins at 0; `log_x` spaces x by its logarithm."""

    title: str
    x_label: str
    lines: Mapping[str, Sequence[tuple[float, float]]]
    log_x: bool = False


def svg(panels: Sequence[Panel], caption: str) -> str:
    """The panels in rows of two, with a caption below."""
    columns = min(2, len(panels))
    rows = math.ceil(len(panels) / columns)
    width, height = columns * _WIDTH, rows * _HEIGHT + 28
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img" '
        f'aria-label="{escape(caption)}">',
        f"<style>{STYLE}</style>",
        f'<rect class="back" width="{width}" height="{height}" rx="6"/>',
    ]
    for number, panel in enumerate(panels):
        x, y = number % columns * _WIDTH, number // columns * _HEIGHT
        parts += [f'<g transform="translate({x} {y})">', *_panel(panel), "</g>"]
    parts += [f'<text class="label" x="{_LEFT}" y="{height - 12}">{escape(caption)}</text>', "</svg>", ""]
    return "\n".join(parts)


def _panel(panel: Panel) -> list[str]:
    points = [point for line in panel.lines.values() for point in line]
    parts = [f'<text class="title" x="{_LEFT}" y="24">{escape(panel.title)}</text>']
    if not points:
        return parts
    low, high = min(x for x, _ in points), max(x for x, _ in points)
    top = _nice_top(max(y for _, y in points))
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM

    def at_x(x: float) -> float:
        share = _share(x, low, high, log=panel.log_x)
        return _LEFT + share * (right - _LEFT)

    def at_y(y: float) -> float:
        return bottom - y / top * (bottom - _TOP)

    for tick in range(_TICKS + 1):
        value = top * tick / _TICKS
        y = at_y(value)
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="label" x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{_number(value)}</text>')
    for x in _x_ticks(sorted({x for x, _ in points}), log=panel.log_x):
        parts.append(
            f'<text class="label" x="{at_x(x):.1f}" y="{bottom + 16}" text-anchor="middle">{_number(x)}</text>'
        )
    parts.append(f'<text class="label" x="{right}" y="{bottom + 31}" text-anchor="end">{escape(panel.x_label)}</text>')
    for number, (name, line) in enumerate(panel.lines.items()):
        path = " ".join(f"{at_x(x):.1f},{at_y(y):.1f}" for x, y in line)
        parts.append(f'<polyline class="line s{number}" points="{path}"/>')
        if len(panel.lines) > 1:
            parts.append(f'<text class="label t{number}" x="{_LEFT + 90 * number}" y="38">{escape(name)}</text>')
    return parts


def _share(x: float, low: float, high: float, *, log: bool) -> float:
    if high == low:
        return 0.5
    if log and low > 0:
        return (math.log(x) - math.log(low)) / (math.log(high) - math.log(low))
    return (x - low) / (high - low)


def _x_ticks(values: Sequence[float], *, log: bool) -> list[float]:
    """The values themselves on a logarithmic axis if they are few; otherwise both ends and the middle."""
    if log:
        return list(values)
    return [values[0], (values[0] + values[-1]) / 2, values[-1]] if len(values) > 1 else list(values)


def _nice_top(most: float) -> float:
    """The next 1, 2, 4 or 8 times a power of ten, which is easy to divide by four."""
    if most <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(most))
    return next(factor * power for factor in (1, 2, 4, 8, 10) if most <= factor * power * (1 + 1e-9))


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.2g}"
