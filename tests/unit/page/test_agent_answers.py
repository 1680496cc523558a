"""What the agent answers, as clients get it."""

from __future__ import annotations

import pytest

from kapture.page.agent_answers import agent_error
from kapture.page.documents.frame import ref_text


def spelled(message: str) -> str:
    return agent_error({"code": "REF_EXPIRED", "message": message}, lambda number: ref_text("f2", number)).message


@pytest.mark.parametrize("text", ["{ref:" + "9" * 5_000 + "}", "{ref:x}", "{ref:}", "{ref:٣}"])
def test_what_a_page_calls_its_elements_is_left_as_it_is(text: str) -> None:
    assert spelled(f"It is now {text}") == f"It is now {text}"
