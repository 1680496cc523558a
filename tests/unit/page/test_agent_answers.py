"""What the agent answers, as clients get it."""

from __future__ import annotations

import pytest

from kapture.page.agent_answers import agent_error
from kapture.page.documents.frame import ref_text


def spelled(message: str) -> str:
    return agent_error({"code": "REF_EXPIRED", "message": message}, lambda number: ref_text("f2", number)).message


def test_refs_in_its_errors_are_spelled_as_clients_write_them() -> None:
    assert spelled("{ref:12} has become {ref:13}") == "f2e12 has become f2e13"


@pytest.mark.parametrize("text", ["{ref:" + "9" * 5_000 + "}", "{ref:x}", "{ref:}", "{ref:٣}"])
def test_what_a_page_calls_its_elements_is_left_as_it_is(text: str) -> None:
    assert spelled(f"It is now {text}") == f"It is now {text}"
