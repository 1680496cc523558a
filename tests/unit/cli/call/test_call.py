"""`kapture call` through a real hub: what goes to stdout, what to stderr, and what may be left out."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trio
from click.testing import CliRunner

from kapture.cli.call.arguments import parse_arguments, with_absolute_paths, with_format_of
from kapture.cli.call.call import call_command
from kapture.cli.call.output import show_answer, show_failure
from kapture.errors import ErrorCode, KaptureError
from tests.support.forked import run_kapture
from tests.support.proven_extension import proven_extension
from tests.support.remote_tab import remote_tab
from tests.support.stack import HubProcess, hub_process


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[HubProcess]:
    with hub_process(tmp_path / "data") as started:
        yield started


def call(hub: HubProcess, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    done = run_kapture(["call", *words], hub.environment, cwd or hub.home)
    return subprocess.CompletedProcess(words, done.returncode, done.stdout.decode(), done.stderr.decode())


async def test_one_connected_tab_needs_no_name_and_a_ref_no_key(hub: HubProcess) -> None:
    async with remote_tab(hub, "k3f9a2bc") as tab:
        done = await trio.to_thread.run_sync(call, hub, "hover", "selector=#save")
        assert done.returncode == 0, done.stderr
        assert tab.commands == [("kapturemcp_hover", {"selector": "#save"})]
        refused = await trio.to_thread.run_sync(call, hub, "hover", "e12")
        assert "UNSUPPORTED" in refused.stderr  # this tab takes selectors only: the ref has arrived as one


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["click", "e3", "--count", "2"], "Write a command's parameters without dashes: count=VALUE."),
        (["snapshot", "--max-chars=100"], "Write a command's parameters without dashes: max_chars=VALUE."),
        (["list_tabs", "--jsn"], "Did you mean '--json'?"),
        (["no_command", "--count"], "No such option '--count'."),
    ],
)
def test_a_parameter_given_as_an_option_is_answered_with_how_it_is_written(words: list[str], said: str) -> None:
    refused = CliRunner().invoke(call_command, words)
    assert refused.exit_code == 2
    assert said in refused.output


async def test_it_says_on_stderr_that_it_waits_for_the_person(hub: HubProcess) -> None:
    async with proven_extension(hub.home) as browser:
        register = {"type": "register_browser", "protocol": 1, "capabilities": ["tab_request"], "browser": {}}
        await browser.send_message(json.dumps(register))
        done: list[subprocess.CompletedProcess[str]] = []

        async def ask() -> None:
            done.append(await trio.to_thread.run_sync(call, hub, "request_tab", "reason=To compare prices."))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            with trio.fail_after(30):
                while (message := json.loads(await browser.get_message()))["type"] != "tab_request":
                    continue
            answer = {"type": "tab_request_answer", "id": message["id"], "decision": "deny"}
            await browser.send_message(json.dumps(answer))
    (ended,) = done
    assert ended.stderr.splitlines()[0] == "Waiting for the person to choose a tab."
    assert "POLICY_DENIED" in ended.stderr
    assert ended.stdout == ""


def test_without_a_hub_one_is_started(hub: HubProcess) -> None:
    hub.kill()
    try:
        assert call(hub, "status").returncode == 0
        assert call(hub, "no_command").returncode == 2
    finally:
        assert run_kapture(["stop"], hub.environment, hub.home).returncode == 0


async def test_session_goes_on_in_its_tab_and_never_in_another(hub: HubProcess) -> None:
    async def said(*words: str) -> str:
        return (await trio.to_thread.run_sync(call, hub, "hover", "selector=#save", *words)).stderr

    async with remote_tab(hub, "first") as first, remote_tab(hub, "second") as second:
        assert "tabId" in await said("--session", "a")
        assert await said("--session", "a", "--tab", "second") == ""
        assert await said("--session", "a") == ""
        assert "tabId" in await said("--session", "b")
        assert (len(first.commands), len(second.commands)) == (0, 2)
    async with remote_tab(hub, "first") as first:
        assert "TAB_DISCONNECTED" in await said("--session", "a")
        assert not first.commands


SCHEMA: dict[str, Any] = {
    "properties": {
        "text": {"type": "string"},
        "max": {"type": "integer"},
        "delta": {"type": "number"},
        "active": {"type": "boolean"},
        "target": {"type": ["string", "object"]},
        "paths": {"type": "array", "items": {"type": "string"}},
        "index": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]},
        "value": {"type": ["string", "boolean", "number"]},
        "mode": {"enum": ["none", "diff"]},
        "any": {"description": "no type"},
    }
}


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("text=3", "3"),
        ("text=a=b", "a=b"),
        ("text=", ""),
        ("max=3", 3),
        ("delta=-1.5", -1.5),
        ("delta=2", 2),
        ("active=yes", True),
        ("active=FALSE", False),
        ("target=#a > b", "#a > b"),
        ('target={"ref": "e1"}', {"ref": "e1"}),
        ("paths=/a b", ["/a b"]),
        ('paths=["x"]', ["x"]),
        ("index=2", 2),
        ("index=[1, 2]", [1, 2]),
        ("value=true", True),
        ("value=2024-12-31", "2024-12-31"),
        ("mode=diff", "diff"),
        ("any={}", {}),
        ("any=word", "word"),
        ('text:=["json"]', ["json"]),
        ("unknown=5", 5),
    ],
)
def test_a_value_is_read_by_its_schema(word: str, value: Any) -> None:
    (parsed,) = parse_arguments([word], SCHEMA).values()
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("text", "key=value"),
        ("=x", "key=value"),
        (":=1", "key=value"),
        ("max=many", "integer"),
        ("max=1.5", "integer"),
        ("delta=nan", "number"),
        ("active=perhaps", "boolean"),
        ("target={broken", "not JSON"),
        ("text:=broken", "not JSON"),
    ],
)
def test_an_argument_that_does_not_fit_is_an_error_that_names_it(word: str, reason: str) -> None:
    with pytest.raises(KaptureError) as error:
        parse_arguments([word], SCHEMA)
    assert error.value.code is ErrorCode.INVALID_PARAMS
    assert reason in str(error.value)


@pytest.mark.parametrize(
    ("word", "schema", "hint"),
    [
        ("https://a.test/?b=c", {"required": ["url"]}, "Write url='https://a.test/?b=c'."),
        ("E12", {"properties": {"target": {}}}, "Write target=E12."),
        ("Enter", {"properties": {"text": {}}}, "Write text='two words' or count=3."),
    ],
)
def test_a_value_without_a_key_is_refused_with_the_key_that_it_may_be_for(
    word: str, schema: dict[str, Any], hint: str
) -> None:
    with pytest.raises(KaptureError) as error:
        parse_arguments([word], schema)
    assert error.value.message == f"{word!r} is not of the form key=value."
    assert error.value.hint == hint


@pytest.mark.parametrize("ref", ["e12", "f2e12"])
def test_a_ref_alone_is_the_target(ref: str) -> None:
    assert parse_arguments([ref, "text=hello"], SCHEMA) == {"target": {"ref": ref}, "text": "hello"}


def test_relative_paths_are_those_of_the_shell_that_names_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    given = {"paths": ["a.pdf", "/b.pdf", "../c.pdf"], "drop": True}
    assert with_absolute_paths(given) == {
        "paths": [f"{tmp_path}/a.pdf", "/b.pdf", f"{tmp_path}/../c.pdf"],
        "drop": True,
    }
    assert with_absolute_paths({"paths": "a.pdf"})["paths"] == [f"{tmp_path}/a.pdf"]


@pytest.mark.parametrize(
    ("output", "given", "arguments"),
    [
        ("page.webp", {}, {"format": "webp"}),
        ("a/page.JPG", {}, {"format": "jpeg"}),
        ("page.webp", {"format": "png"}, {"format": "png"}),
        ("page.txt", {}, {}),
        ("-", {}, {}),
    ],
)
def test_the_name_of_the_output_file_chooses_the_format(
    output: str, given: dict[str, Any], arguments: dict[str, Any]
) -> None:
    schema = {"properties": {"format": {"enum": ["jpeg", "png", "webp"]}}}
    assert with_format_of(output, given, schema) == arguments
    assert with_format_of(output, given, {"properties": {}}) == given


# What `kapture call` prints of an answer, and what it saves.


PAGE = {"type": "text", "text": "<page-content 1f>\nheading\n</page-content 1f>"}


def test_without_a_file_an_answer_is_printed_with_its_marks(capsys: pytest.CaptureFixture[str]) -> None:
    show_answer({"content": [PAGE]}, as_json=False, output=None, plain=False)
    assert capsys.readouterr().out == PAGE["text"] + "\n"


@pytest.mark.parametrize(("plain", "shown"), [(True, "heading"), (False, PAGE["text"])])
def test_an_error_that_quotes_a_page_has_marks_only_where_they_are_wanted(
    plain: bool, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    error = {"type": "text", "text": f"EXECUTION_ERROR: {PAGE['text']}\nLook again."}
    show_failure({"content": [error]}, as_json=False, plain=plain)
    assert capsys.readouterr().err == f"EXECUTION_ERROR: {shown}\nLook again.\n"
