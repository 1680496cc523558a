"""The browser's answers about custom elements, as the agent reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kapture.cdp import CdpError
from kapture.page.introspection.element_internals import adopt_internals, element_internals

NODE = {
    "ignored": False,
    "role": {"value": "slider"},
    "name": {"value": "Volume"},
    "value": {"value": 3},
    "properties": [
        {"name": "valuemin", "value": {"value": 0}},
        {"name": "labelledby", "value": {"type": "nodeList", "relatedNodes": []}},
    ],
}


async def test_each_element_has_its_answer_and_what_is_ignored_or_refused_has_none() -> None:
    async def ask(commands: Sequence[tuple[str, Mapping[str, Any]]]) -> list[dict[str, Any] | CdpError]:
        answers: dict[str, dict[str, Any] | CdpError] = {
            "a": {"nodes": [NODE]},
            "b": {"nodes": [{"ignored": True}]},
            "c": CdpError("Accessibility.getPartialAXTree", "no"),
        }
        names = [*enumerate(answers), ("length", "")]
        listing = {"result": [{"name": str(name), "value": {"objectId": handle}} for name, handle in names]}
        return [
            answers[params["objectId"]]
            if method == "Accessibility.getPartialAXTree"
            else listing
            if method == "Runtime.getProperties"
            else {"result": {"objectId": "list"}}
            for method, params in commands
        ]

    found = await element_internals(ask, {"uniqueContextId": "agent"})
    assert found == [
        {"role": "slider", "name": "Volume", "description": "", "value": 3, "properties": {"valuemin": 0}},
        None,
        None,
    ]
    assert adopt_internals(found[1:]) == "kapture.adoptInternals([null, null]);"
