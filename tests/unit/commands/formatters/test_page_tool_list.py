"""The list of a page's tools says when it is not all of them."""

from __future__ import annotations

import pytest

from kapture.commands.formatters.page_tools import MORE_TOOLS, PageToolInfo, PageToolList
from kapture.page.page_tools import MOST_TOOLS


@pytest.mark.parametrize(("count", "said"), [(MOST_TOOLS - 1, False), (MOST_TOOLS, True)])
def test_a_list_at_the_limit_says_that_there_may_be_more(count: int, said: bool) -> None:
    tools = [PageToolInfo(name=f"tool{number}", description="") for number in range(count)]
    assert (MORE_TOOLS in PageToolList(tools=tools).text()) is said
