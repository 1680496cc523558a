from __future__ import annotations

import base64
from types import SimpleNamespace
from typing import Any

import pytest

from kapture.commands.har import Har, har, har_log
from kapture.commands.network import NetworkRequest, network_request, without_secrets
from kapture.page.typed_secrets import TypedSecrets
from tests.support.network_log import answer, observed, send


async def test_a_har_has_what_the_format_demands_and_no_secret() -> None:
    log, connection = await observed()
    send(connection, "1", "https://shop.test/api?q=a&q=b")
    answer(connection, "1", 200)
    requests = [without_secrets(request, TypedSecrets()) for request in log.oldest_first()]
    entry = har_log(requests, {"r1": b"\xff\xfe"})["log"]["entries"][0]
    assert entry["request"]["queryString"] == [{"name": "q", "value": "a"}, {"name": "q", "value": "b"}]
    assert entry["response"]["content"]["encoding"] == "base64"
    assert entry["time"] == 250.0
    assert "session=1" not in str(entry)


async def _tab_that_received(*bodies: str) -> Any:
    """A tab into whose password field `hunter2` was typed, with a request for each of these response bodies."""
    log, connection = await observed()
    for number, body in enumerate(bodies):
        send(connection, str(number), f"https://shop.test/{number}")
        answer(connection, str(number), 200)
        request = log.get(f"r{number + 1}")
        request.session = SimpleNamespace(send=_answering({"body": body, "base64Encoded": False}))  # type: ignore[assignment]
    secrets = TypedSecrets()
    secrets.add("hunter2")
    page = SimpleNamespace(network=log, gate=lambda _: True, typed_secrets=secrets)
    return SimpleNamespace(page=page, progress=_answering(None))


def _answering(value: Any) -> Any:
    async def send(*_: Any, **__: Any) -> Any:
        return value

    return send


async def test_a_typed_password_that_the_server_sends_back_is_not_shown() -> None:
    tab = await _tab_that_received('{"name": "ada", "word": "hunter2"}')
    shown = await network_request(tab, NetworkRequest(id="r1"))
    assert shown.response_body is not None
    assert shown.response_body.text == '{"name": "ada", "word": "(redacted)"}'
    file = (await har(tab, Har(bodies=True))).file
    assert b"ada" in base64.b64decode(file.base64)
    assert b"hunter2" not in base64.b64decode(file.base64)


async def test_bodies_for_which_a_har_has_no_room_are_left_out_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kapture.commands.har.MOST_BODIES_BYTES", 100)
    tab = await _tab_that_received("a" * 60, "b" * 60, "c" * 40)
    made = await har(tab, Har(bodies=True))
    assert "without 1 bodies" in made.text()
    entries = base64.b64decode(made.file.base64)
    assert b"a" * 60 in entries
    assert b"b" * 60 not in entries
    assert b"c" * 40 in entries
