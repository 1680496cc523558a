"""What the page says of why a step failed."""

from __future__ import annotations

from typing import Any

import attrs

from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.replay.page_hints import page_hints


@attrs.frozen
class Snapshot:
    """An answer with this tree."""

    data: dict[str, Any]


async def hints(*nodes: dict[str, Any]) -> list[str]:
    async def call(name: str, arguments: dict[str, Any]) -> Snapshot:
        assert (name, arguments["format"]) == ("snapshot", "json")
        return Snapshot({"tree": {"tree": {"role": "document", "children": list(nodes)}}})

    answering: Any = call
    return await page_hints(answering, "t1")


def node(role: str, name: str = "", *children: Any) -> dict[str, Any]:
    return {"role": role, "name": name, "children": children}


async def test_form_dialog_and_alert_are_named() -> None:
    found = await hints(
        node("textbox", "City"),
        node("textbox", "Street"),
        node("dialog", "", "Really?"),
        node("alert", "", "No such street"),
    )
    assert found == [
        "the page is a form with 2 fields",
        "a dialog is open: 'Really?'",
        "the page shows an alert: 'No such street'",
    ]


async def test_a_page_that_cannot_be_read_gives_no_hint() -> None:
    async def refuse(name: str, arguments: dict[str, Any]) -> Any:
        raise KaptureError(ErrorCode.DETACHED, "There is no page.")

    refusing: Any = refuse
    assert await page_hints(refusing, "t1") == []
