"""First requests that are neither a handshake nor of a version without one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kapture.mcp.first_message import refusal
from kapture.mcp.session_without_sdk import read_message

STANDS_ALONE = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}


def _refusal(**fields: Any) -> dict[str, Any] | None:
    message = read_message(json.dumps({"jsonrpc": "2.0", **fields}))
    assert message is not None
    return refusal(message)


@pytest.mark.parametrize("params", [{}, {"_meta": {}}, {"_meta": {"progressToken": 1}}, {"_meta": 1}, [1]])
def test_a_request_before_the_handshake_is_refused_with_what_comes_first(params: Any) -> None:
    refused = _refusal(id=1, method="tools/list", params=params)
    assert refused is not None
    assert refused["code"] == -32600
    assert refused["message"].startswith("tools/list came before initialize")


def test_an_invalid_handshake_is_refused_with_what_it_needs() -> None:
    refused = _refusal(id=1, method="initialize", params={"protocolVersion": 5})
    assert refused is not None
    assert refused["code"] == -32602
    assert "protocolVersion (a string)" in refused["message"]


@pytest.mark.parametrize(
    "fields",
    [
        {"id": 1, "method": "tools/list", "params": STANDS_ALONE},
        {"id": 1, "method": "ping"},
        {"method": "notifications/initialized"},
        {"id": 1, "result": {}},
    ],
)
def test_what_the_sdk_answers_or_drops_is_left_to_it(fields: dict[str, Any]) -> None:
    assert _refusal(**fields) is None
