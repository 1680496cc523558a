from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from kapture.measure.chart import Panel, svg

points = st.lists(st.tuples(st.floats(1, 1e5), st.floats(0, 1e9)), max_size=20)


@given(st.lists(points, min_size=1, max_size=2), st.booleans(), st.text(max_size=20))
def test_every_line_lies_within_its_panel_and_the_whole_is_xml(
    lines: list[list[tuple[float, float]]], log_x: bool, name: str
) -> None:
    name = "".join(character for character in name if character.isprintable())
    panel = Panel(title=name, x_label="<x>", lines={f"{n}": sorted(line) for n, line in enumerate(lines)}, log_x=log_x)
    root = ElementTree.fromstring(svg([panel, panel, panel], name))
    for line in root.iter("{http://www.w3.org/2000/svg}polyline"):
        for point in (line.get("points") or "").split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= 360
            assert 0 <= y <= 240


def test_a_chart_is_light_or_dark_as_the_reader_has_it() -> None:
    assert "@media (prefers-color-scheme: dark)" in svg([Panel(title="t", x_label="x", lines={"": [(1, 1)]})], "c")
