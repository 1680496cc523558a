from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.errors import ErrorCode, KaptureError
from kapture.wire.codec import decode_from_hub, decode_from_tab, decode_json, encode
from kapture.wire.messages import Command, Response

VECTORS = Path(__file__).parents[2] / "wire"
DECODERS = {"from_tab": decode_from_tab, "from_hub": decode_from_hub}


def _vectors() -> list[Any]:
    return [
        pytest.param(DECODERS[direction], vector, id=f"{direction}: {vector['name']}")
        for direction in DECODERS
        for vector in json.loads((VECTORS / f"{direction}.json").read_text("utf-8"))
    ]


@pytest.mark.parametrize(("decode", "vector"), _vectors())
def test_every_vector_decodes_as_it_says(decode: Any, vector: dict[str, Any]) -> None:
    if "reason" in vector:
        with pytest.raises(KaptureError) as failure:
            decode(vector["frame"])
        assert failure.value.code is ErrorCode.PROTOCOL_ERROR
        assert failure.value.data["reason"] == vector["reason"]
        assert failure.value.data.get("id") == vector.get("id")
        assert len(failure.value.message) > 10
    else:
        message = decode(vector["frame"])
        assert msgspec.to_builtins(message) == vector["message"]
        assert decode(encode(message)) == message


def _earlier() -> list[Any]:
    return [
        pytest.param(frame, id=f"{file.stem}: {frame['name']}")
        for file in sorted(VECTORS.glob("version_*.json"))
        for frame in json.loads(file.read_text("utf-8"))["from_tab"]
    ]


@pytest.mark.parametrize("vector", _earlier())
def test_frame_of_an_earlier_extension_is_still_read(vector: dict[str, Any]) -> None:
    message = msgspec.to_builtins(decode_from_tab(vector["frame"]))
    sent = json.loads(vector["frame"])
    assert {key: message.get(key) for key in sent} == sent


def test_a_binary_frame_is_named_as_such() -> None:
    with pytest.raises(KaptureError, match="binary") as failure:
        decode_from_tab(b'{"type":"ping"}')
    assert failure.value.data["reason"] == "binary"


def test_an_oversized_frame_is_named_as_such() -> None:
    with pytest.raises(KaptureError, match="limit is 100") as failure:
        decode_from_tab('{"type":"ping","ts":1}' + " " * 100, max_bytes=100)
    assert failure.value.data["reason"] == "oversized"


def test_a_response_too_deep_to_decode_still_names_its_command() -> None:
    deep = '{"type":"response","id":"c17","success":true,"result":' + "[" * 200_000 + "]" * 200_000 + "}"
    with pytest.raises(KaptureError, match="deeply") as failure:
        decode_from_tab(deep)
    assert failure.value.data == {"reason": "malformed", "id": "c17"}


def test_a_lone_surrogate_in_a_command_is_sent_as_its_escape() -> None:
    frame = encode(Command(id="1", command="cdp", params={"text": "a\ud800b"}))
    assert "\\ud800" in frame
    assert json.loads(frame)["params"]["text"] == "a\ud800b"


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (r'"a\ud800b"', "a\ufffdb"),
        (r'"\udc00\ud800"', "\ufffd\ufffd"),
        (r'"\uD83D\uDE00\ud83d"', "\U0001f600\ufffd"),
        (r'"\\ud800 \\\ud800 \n"', "\\ud800 \\\ufffd \n"),
        (r'{"\udfff": 12345678901234567890123}', {"\ufffd": 12345678901234567890123}),
    ],
)
@pytest.mark.parametrize("as_bytes", [False, True])
def test_an_unpaired_surrogate_is_read_as_a_replacement_character(sent: str, read: object, as_bytes: bool) -> None:
    assert decode_json(sent.encode() if as_bytes else sent) == read


def _decodes_or_says_why(frame: str) -> None:
    code = ErrorCode.PROTOCOL_ERROR
    try:
        decode_from_tab(frame)
    except KaptureError as error:
        code = error.code
    assert code is ErrorCode.PROTOCOL_ERROR


@given(st.text())
def test_no_text_makes_decoding_fail_in_another_way(frame: str) -> None:
    _decodes_or_says_why(frame)


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(_json)
def test_results_cross_the_wire_unchanged(result: Any) -> None:
    response = Response(id="1", success=True, result=result)
    assert decode_from_tab(encode(response)) == response


@given(st.dictionaries(st.sampled_from(["type", "id", "tabId", "params", "success", "event", "grant"]), _json))
def test_no_object_makes_decoding_fail_in_another_way(message: dict[str, Any]) -> None:
    _decodes_or_says_why(json.dumps(message))


def test_json_of_a_page_may_hold_half_a_character() -> None:
    assert decode_json('{"name": "a\\ud800b", "n": 1.5}') == {"name": "a\ufffdb", "n": 1.5}
    assert decode_json('["\\ud83d\\ude00", "\\\\ud800"]', list[str]) == ["\U0001f600", "\\ud800"]


def test_json_of_a_page_that_is_none_or_does_not_fit_is_told_apart() -> None:
    with pytest.raises(msgspec.ValidationError):
        decode_json('{"a": "x"}', dict[str, int])
    for broken in ("", "{", '{"a": \\ud800}'):
        with pytest.raises(msgspec.DecodeError):
            decode_json(broken)
    with pytest.raises(RecursionError):
        decode_json("[" * 100_000 + "]" * 100_000)
