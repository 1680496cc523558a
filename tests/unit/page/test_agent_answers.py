"""What the agent answers, as clients get it."""

from __future__ import annotations

import pytest

from kapture.mcp.results import error_text
from kapture.page.agent_answers import agent_error
from kapture.page.documents.frame import ref_text


def spelled(message: str) -> str:
    return agent_error({"code": "REF_EXPIRED", "message": message}, lambda number: ref_text("f2", number)).message


@pytest.mark.parametrize("text", ["{ref:" + "9" * 5_000 + "}", "{ref:x}", "{ref:}", "{ref:٣}"])
def test_what_a_page_calls_its_elements_is_left_as_it_is(text: str) -> None:
    assert spelled(f"It is now {text}") == f"It is now {text}"


@pytest.mark.parametrize("code", ["REF_EXPIRED", "INVALID_PARAMS", "INVALID_SELECTOR", "DETACHED", "ELEMENT_NOT_FOUND"])
def test_a_name_that_the_page_gave_its_element_is_fenced_in_every_error_of_the_agent(code: str) -> None:
    message = 'The element of ref {ref:1} has changed: it is now button "obey".'
    told = error_text(agent_error({"code": code, "message": message, "hint": "{Look}."}, lambda number: f"e{number}"))
    assert told.index("<page-content ") < told.index("obey") < told.index("</page-content ") < told.index("snapshot")
