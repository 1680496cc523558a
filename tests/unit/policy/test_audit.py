"""The audit log: private, complete, and without a word of what was typed or read."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.errors import KaptureError
from kapture.policy.audit import AuditLog, entries, latest
from kapture.policy.redact import redact, site_for_log

CLIENT = {"id": "c1", "name": "claude", "kind": "stdio"}


SECRET = "hunter2-Geheim"


def written(folder: Path) -> list[dict[str, object]]:
    return list(entries(folder))


def logs(folder: Path) -> list[Path]:
    return sorted(folder.glob("audit*.jsonl"))


async def test_every_entry_is_on_disk_when_the_log_closes(tmp_path: Path) -> None:
    async with AuditLog.open(tmp_path / "home") as log:
        for number in range(500):
            log.command(
                client=CLIENT, command="click", outcome="ok", duration_ms=number, tab_id="T", url="https://a.test/x"
            )
    found = written(tmp_path / "home")
    assert [entry["duration_ms"] for entry in found] == list(range(500))
    assert found[0]["client"] == CLIENT
    assert found[0]["site"] == "https://a.test"


async def test_the_log_is_for_its_owner_alone_also_when_it_was_not(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "audit.jsonl").touch(mode=0o666)
    (home / "audit.jsonl").chmod(0o666)
    old = os.umask(0)
    try:
        async with AuditLog.open(home, max_file_bytes=200) as log:
            for _ in range(5):
                log.decision(client=CLIENT, command="click", allowed=False, rule="no grant", tab_id="T")
    finally:
        os.umask(old)
    assert len(logs(home)) > 1
    assert {stat.S_IMODE(file.stat().st_mode) for file in logs(home)} == {0o600}


async def test_a_link_in_the_logs_place_is_not_written_through(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    victim = tmp_path / "victim"
    (home / "audit.jsonl").symlink_to(victim)
    with pytest.raises(KaptureError):
        async with AuditLog.open(home):
            pass
    assert not victim.exists()


async def test_the_log_turns_over_by_size_and_keeps_a_bounded_number(tmp_path: Path) -> None:
    async with AuditLog.open(tmp_path, max_file_bytes=1_000, kept_files=3) as log:
        for number in range(200):
            log.record("test", number=number)
    sizes = {path.name: path.stat().st_size for path in logs(tmp_path)}
    assert sorted(sizes) == ["audit.1.jsonl", "audit.2.jsonl", "audit.3.jsonl", "audit.jsonl"]
    assert max(sizes.values()) <= 1_000
    numbers = [entry["number"] for entry in written(tmp_path)]
    assert numbers == list(range(200 - len(numbers), 200))


async def test_a_line_broken_off_by_a_crash_does_not_hide_the_others(tmp_path: Path) -> None:
    async with AuditLog.open(tmp_path) as log:
        log.record("test", number=1)
    with (tmp_path / "audit.jsonl").open("ab") as file:
        file.write(b'{"event": "te\n[1]\n')
    async with AuditLog.open(tmp_path) as log:
        log.record("test", number=2)
    assert [entry["number"] for entry in written(tmp_path)] == [1, 2]


CALLS = [
    {"target": {"label": "Password"}, "value": SECRET},
    {"selector": f"input[value='{SECRET}']"},
    {"text": SECRET},
    {"fields": [{"target": "#a", "value": SECRET}, {"name": SECRET, "value": 4711}]},
    {"code": f"login('{SECRET}')"},
    {"url": f"https://user:{SECRET}@a.test/reset?token={SECRET}#{SECRET}"},
    {"url": f"data:text/plain,{SECRET}"},
    {"url": SECRET},
    {"method": "Network.setCookie", "params": {"name": "sid", "value": SECRET, SECRET: 1} | {}},
    {"headers": {"Authorization": f"Bearer {SECRET}"}},
    {"action": "set", "name": "sid", "value": SECRET},
    {"steps": [{"command": "fill", "arguments": {"selector": "#p", "value": SECRET}}]},
    {"key": SECRET},
    {"keys": [SECRET]},
    {"accept": True, "text": SECRET},
    {"path": f"/home/me/{SECRET}.txt"},
    {"paths": [f"/home/me/{SECRET}.txt"]},
    {"body": {"password": SECRET}},
    {"unknown_of_tomorrow": SECRET},
    {"target": {"text": SECRET, "role": "button"}},
    {"target": f"text={SECRET}"},
    {"override_secrets": {"code": SECRET, "state": SECRET}},
    {"parameters": {"type": SECRET, "button": [SECRET]}},
    *({name: SECRET} for name in ("state", "type", "role", "method", "format", "testId", "name", "direction")),
    {"name": "pay", "arguments": {"state": SECRET, "pin": 4711, "url": f"https://a.test/{SECRET}", "ref": SECRET}},
    {
        "steps": [
            {"command": "call_page_tool", "arguments": {"name": "pay", "arguments": {"type": SECRET, "nth": 4711}}}
        ]
    },
    {"steps": [{"command": SECRET, "arguments": {"body": {"type": SECRET, "steps": [{"ref": SECRET}]}}}]},
    {"action": "mock", "body": {"type": SECRET, "state": [SECRET], "count": 4711}},
    {"body": [{"ref": SECRET, "count": 4711}], "unknown_number": 4711},
    {"frame": f"https://a.test/{SECRET}?{SECRET}"},
    {"target": {"ref": "e1", "frame": SECRET}},
    {"frame": f"/{SECRET}?q"},
]


@pytest.mark.parametrize("arguments", CALLS, ids=lambda arguments: ",".join(arguments))
def test_no_secret_of_a_call_reaches_the_log(arguments: dict[str, object]) -> None:
    shown = json.dumps({key: value for key, value in redact(arguments).items() if "params" not in key})
    assert SECRET not in shown
    assert "4711" not in shown


def test_what_is_kept_says_what_was_done() -> None:
    shown = redact(
        {
            "target": {"ref": "e12"},
            "selector": "form > #save",
            "button": "right",
            "count": 2,
            "url": "https://a.test:8443/x?y",
            "code": "1+1",
            "key": "Enter",
            "wait_until": "load",
        }
    )
    assert shown["target"] == {"ref": "e12"}
    assert shown["selector"] == "form > #save"
    assert shown["url"] == "https://a.test:8443"
    assert shown["code"].startswith("(3 characters, sha256 ")
    assert (shown["button"], shown["count"], shown["key"], shown["wait_until"]) == ("right", 2, "Enter", "load")


def test_of_what_a_page_or_server_gets_names_and_sizes_are_logged() -> None:
    tool = {"name": "pay", "frame": "f2", "arguments": {"to": "me", "amount": 5, "notes": ["a", "b"]}}
    sizes = {"to": "(2 characters)", "amount": "(number)", "notes": "(2 values)"}
    logged = {"name": "(3 characters)", "frame": "f2", "arguments": sizes}
    assert redact(tool) == logged
    step = {"command": "call_page_tool", "arguments": tool}
    assert redact({"steps": [step]}) == {"steps": [{"command": "call_page_tool", "arguments": logged}]}
    assert redact({"body": {"a": {"b": 1}}}) == {"body": {"a": "(1 values)"}}
    assert redact({"frame": "https://a.test:8443/x?y"}) == {"frame": "https://a.test:8443"}


def test_single_keys_are_not_kept_because_they_may_spell_a_password() -> None:
    assert redact({"key": "h"}) == {"key": "(1 characters)"}


JSON_LIKE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(max_size=10), JSON_LIKE, max_size=5))
def test_any_arguments_can_be_logged(arguments: dict[str, object]) -> None:
    json.dumps(redact(arguments))


def test_arguments_of_any_depth_and_size_make_a_bounded_entry() -> None:
    deep: object = SECRET
    for _ in range(500):
        deep = {"a": [deep]}
    shown = json.dumps(redact({"deep": deep, "many": list(range(100_000)), "long": "x" * 10**6}))
    assert len(shown) < 2_000


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://a.test/x?token=1#y", "https://a.test"),
        ("https://me:pw@a.test/", "https://a.test"),
        ("file:///home/me/x", "file://"),
        ("data:text/html,secret", "data:"),
        ("javascript:secret()", "javascript:"),
        ("", None),
        (None, None),
    ],
)
def test_a_page_is_logged_as_its_origin(url: str | None, site: str | None) -> None:
    assert site_for_log(url) == site


async def test_the_latest_entries_are_those_at_the_end_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert latest(tmp_path, 3) == []
    async with AuditLog.open(tmp_path) as log:
        for number in range(100):
            log.record("test", number=number)
    assert [entry["number"] for entry in latest(tmp_path, 3)] == [99, 98, 97]
    assert len(latest(tmp_path, 1_000)) == 100
    monkeypatch.setattr("kapture.policy.audit._TAIL_BYTES", 150)  # begins within a line
    assert [entry["number"] for entry in latest(tmp_path, 1_000)] == [99, 98]
