"""Bar charts on a logarithmic scale, as SVG that follows the reader's light or dark color scheme, without a script."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

import attrs

from kapture.measure.chart import STYLE

_WIDTH, _LEFT, _RIGHT, _TOP = 720, 190, 56, 66
_NAMES_A_ROW, _NAME_WIDTH, _NAME_HEIGHT = 4, 170, 16
_BAR, _GAP, _BELOW = 12, 10, 34
_COLOURS = (
    ("#0b63c5", "#58a6ff"),
    ("#bc4c00", "#f0883e"),
    ("#1a7f37", "#3fb950"),
    ("#8250df", "#bc8cff"),
    ("#bf3989", "#f778ba"),
    ("#59636e", "#9198a1"),
)
"""For the light and the dark color scheme; repeated from the seventh series on."""


@attrs.frozen(kw_only=True)
class Group:
    """The bars of one label: values by series. None: no bar."""

    label: str
    values: Mapping[str, float | None]


def bars(groups: Sequence[Group], title: str, caption: str) -> str:
    """Draw the chart. The scale starts at 1; a smaller value is shown as a number without a bar."""
    series = list(dict.fromkeys(name for group in groups for name in group.values))
    most = max((value for group in groups for value in group.values.values() if value is not None), default=1.0)
    decades = max(1, math.ceil(math.log10(max(most, 1.0)) - 1e-9))
    top = _TOP + (max(0, len(series) - 1) // _NAMES_A_ROW) * _NAME_HEIGHT
    height = top + len(groups) * (len(series) * _BAR + _GAP) + _BELOW

    def at_x(value: float) -> float:
        return _LEFT + max(0.0, math.log10(value)) / decades * (_WIDTH - _LEFT - _RIGHT) if value > 0 else _LEFT

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" role="img" '
        f'aria-label="{escape(title)}">',
        f"<style>{STYLE}{_styles(len(series))}</style>",
        f'<rect class="back" width="{_WIDTH}" height="{height}" rx="6"/>',
        f'<text class="title" x="16" y="24">{escape(title)}</text>',
    ]
    for number, name in enumerate(series):
        x, y = 16 + number % _NAMES_A_ROW * _NAME_WIDTH, 36 + number // _NAMES_A_ROW * _NAME_HEIGHT
        parts.append(f'<rect class="b{number}" x="{x}" y="{y}" width="10" height="10" rx="2"/>')
        parts.append(f'<text class="label" x="{x + 15}" y="{y + 9}">{escape(name[:22])}</text>')
    for decade in range(decades + 1):
        at = f"{at_x(10.0**decade):.1f}"
        parts.append(f'<line class="grid" x1="{at}" x2="{at}" y1="{top - 6}" y2="{height - _BELOW}"/>')
        parts.append(
            f'<text class="label" x="{at}" y="{height - _BELOW + 12}" text-anchor="middle">{10**decade:,}×</text>'
        )
    y = top
    for group in groups:
        middle = y + len(series) * _BAR / 2 + 4
        parts.append(
            f'<text class="label" x="{_LEFT - 8}" y="{middle:.1f}" text-anchor="end">{escape(group.label)}</text>'
        )
        for number, name in enumerate(series):
            value = group.values.get(name)
            if value is not None:
                end = at_x(value)
                parts.append(
                    f'<rect class="b{number}" x="{_LEFT}" y="{y + 1}" width="{end - _LEFT:.1f}" height="{_BAR - 2}" '
                    f'rx="2"><title>{escape(name)}: {value:.2f}×</title></rect>'
                )
                parts.append(f'<text class="label" x="{end + 4:.1f}" y="{y + 10}">{value:.1f}</text>')
            y += _BAR
        y += _GAP
    parts += [f'<text class="label" x="16" y="{height - 8}">{escape(caption)}</text>', "</svg>", ""]
    return "\n".join(parts)


def _styles(count: int) -> str:
    light = " ".join(f".b{number} {{ fill: {_COLOURS[number % len(_COLOURS)][0]} }}" for number in range(count))
    dark = " ".join(f".b{number} {{ fill: {_COLOURS[number % len(_COLOURS)][1]} }}" for number in range(count))
    return f"  {light}\n  @media (prefers-color-scheme: dark) {{ {dark} }}\n"
