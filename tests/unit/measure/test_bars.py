from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from kapture.measure.bars import Group, bars

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["kapture", "<peer>", *(f"peer {number}" for number in range(6))]
values = st.dictionaries(st.sampled_from(NAMES), st.none() | st.floats(0, 1e6))


@given(st.lists(values, max_size=5))
def test_every_bar_lies_within_the_chart_and_the_whole_is_xml(groups: list[dict[str, float | None]]) -> None:
    drawn = bars([Group(label=f"<{n}>", values=group) for n, group in enumerate(groups)], "<title>", "<caption>")
    root = ElementTree.fromstring(drawn)
    width, height = map(float, (root.get("viewBox") or "").split()[2:])
    for bar in root.iter(f"{SVG}rect"):
        assert float(bar.get("x", 0)) + float(bar.get("width", 0)) <= width
        assert float(bar.get("y", 0)) + float(bar.get("height", 0)) <= height
    numbers = list(root.iter(f"{SVG}title"))
    assert len(numbers) == sum(value is not None for group in groups for value in group.values())


def test_a_longer_time_has_a_longer_bar_and_what_was_not_measured_has_none() -> None:
    group = Group(label="click", values={"fast": 2.0, "slow": 300.0, "unable": None})
    root = ElementTree.fromstring(bars([group], "t", "c"))
    widths = [float(bar.get("width", 0)) for bar in root.iter(f"{SVG}rect") if bar.find(f"{SVG}title") is not None]
    assert len(widths) == 2
    assert 0 < widths[0] < widths[1]


def test_bars_are_light_or_dark_as_the_reader_has_it() -> None:
    assert "@media (prefers-color-scheme: dark) { .b0 { fill:" in bars([Group(label="l", values={"a": 2})], "t", "c")
