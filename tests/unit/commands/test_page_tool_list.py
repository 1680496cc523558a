"""The list of a page's tools says when it is not all of them."""

from __future__ import annotations

import msgspec
import pytest

from kapture.commands.page_tools import MORE_TOOLS, PageToolInfo, PageToolList
from kapture.page.page_tools import MOST_TOOLS


@pytest.mark.parametrize(("count", "said"), [(MOST_TOOLS - 1, False), (MOST_TOOLS, True)])
def test_a_list_at_the_limit_says_that_there_may_be_more(count: int, said: bool) -> None:
    tools = [PageToolInfo(name=f"tool{number}", description="") for number in range(count)]
    assert (MORE_TOOLS in PageToolList.of(tools).text()) is said


def many(*, frame: str | None = None) -> list[PageToolInfo]:
    """As much as a page can declare: more than a model should be shown."""
    schema = {"description": "x" * 15_000}
    names = (f"{number:03}" + "n" * 125 for number in range(400))
    return [PageToolInfo(name=name, description="y" * 2_000, schema=schema, frame=frame) for name in names]


@pytest.mark.parametrize("whole", [True, False])
def test_however_much_a_page_declares_text_and_data_are_bounded(whole: bool) -> None:
    tools = PageToolList.of(many(frame="f2"), whole=whole)
    assert len(tools.text()) < 25_000
    assert len(msgspec.json.encode(tools)) < 25_000
    assert tools.count == 400
    assert f"and {400 - 1 - len(tools.more)} that are not named here" in tools.text()
    assert tools.more[0].endswith("n (in f2)")
