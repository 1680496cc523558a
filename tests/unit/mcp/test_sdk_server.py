"""Frames on their way to the SDK: what is a message, and what the others cost."""

from __future__ import annotations

import tracemalloc

import mcp_types as types
import pytest

from kapture.mcp.sdk_server import NoMessageError, message_of


@pytest.mark.parametrize(
    ("frame", "code", "what"),
    [
        (b"{}", types.PARSE_ERROR, "binary"),
        ("", types.PARSE_ERROR, "not JSON"),
        ("[" * 100_000, types.PARSE_ERROR, "not JSON"),
        ('{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', types.PARSE_ERROR, "not JSON"),
        ("[]", types.INVALID_REQUEST, "Batches"),
        ("7", types.INVALID_REQUEST, "not a JSON-RPC 2.0 message"),
        ('{"jsonrpc":"2.0","id":1}', types.INVALID_REQUEST, "not a JSON-RPC 2.0 message"),
        ('{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', types.INVALID_REQUEST, "not a JSON-RPC 2.0 message"),
        ('{"jsonrpc":"2.0","id":1.5,"method":"ping"}', types.INVALID_REQUEST, "string or an integer"),
        ('{"jsonrpc":"2.0","id":null,"method":"ping"}', types.INVALID_REQUEST, "string or an integer"),
    ],
)
def test_what_is_no_message_is_refused_with_the_reason(frame: str | bytes, code: int, what: str) -> None:
    with pytest.raises(NoMessageError, match=what) as refused:
        message_of(frame)
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("frame", "kind"),
    [
        ('{"jsonrpc":"2.0","id":1,"method":"ping"}', types.JSONRPCRequest),
        ('{"jsonrpc":"2.0","method":"x","params":{"a":1}}', types.JSONRPCNotification),
        ('{"jsonrpc":"2.0","id":"a","result":{}}', types.JSONRPCResponse),
        ('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}', types.JSONRPCError),
    ],
)
def test_a_message_is_what_it_says(frame: str, kind: type) -> None:
    assert isinstance(message_of(frame), kind)


def test_what_is_no_message_takes_no_more_memory_than_one() -> None:
    members = ",".join(f'"k{number}":[]' for number in range(20_000))
    peaks = []
    for frame in (f'{{"jsonrpc":"2.0","id":1,"result":{{{members}}}}}', f"{{{members}}}"):
        tracemalloc.start()
        try:
            message_of(frame)
        except NoMessageError:
            pass
        finally:
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0]
