"""`kapture scenario`: files without a hub, and runs through a hub that a tab of its own answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from kapture.cli import main
from kapture.scenarios.files.storage import ScenarioFolder
from kapture.scenarios.secrets.secret_store import SecretStore, StoredSecret

SIGN_IN = {
    "version": 1,
    "name": "sign_in",
    "description": "Sign in to the shop",
    "tags": ["shop"],
    "parameters": {"user": {"type": "string"}},
    "secrets": ["password"],
    "chain": [
        {
            "command": "fill",
            "targets": [{"label": "Password"}],
            "arguments": {"value": "{{password}}"},
            "secret": True,
        }
    ],
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    monkeypatch.setenv("KAPTURE_HOME", str(folder))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    return folder


def run(*words: str, given: str | None = None) -> Result:
    return CliRunner().invoke(main, ["scenario", *words], input=given)


def imported(tmp_path: Path) -> None:
    file = tmp_path / "sign_in.json"
    file.write_text(json.dumps(SIGN_IN))
    assert run("import", str(file)).exit_code == 0


def test_imported_scenario_is_listed_found_shown_and_exported(home: Path, tmp_path: Path) -> None:
    imported(tmp_path)
    assert run("list").output.startswith("sign_in(user: string): Sign in to the shop [tags: shop]")
    assert "sign_in" in run("search", "SHOP", "sign").output
    assert "No scenario was found." in run("search", "checkout").output
    assert json.loads(run("show", "sign_in").output)["name"] == "sign_in"
    exported = tmp_path / "out.json"
    assert run("export", "sign_in", "-o", str(exported)).exit_code == 0
    assert json.loads(exported.read_text())["secrets"] == ["password"]


def test_a_taken_name_is_replaced_only_when_asked(home: Path, tmp_path: Path) -> None:
    imported(tmp_path)
    again = run("import", str(tmp_path / "sign_in.json"))
    assert again.exit_code == 2
    assert "already" in again.output
    assert run("import", "--replace", str(tmp_path / "sign_in.json")).exit_code == 0


def test_secrets_are_read_from_a_pipe_and_deleted_with_the_scenario(home: Path, tmp_path: Path) -> None:
    imported(tmp_path)
    nowhere = run("secrets", "sign_in", given="hunter2\n")
    assert nowhere.exit_code == 2
    assert "names no site" in nowhere.output
    assert run("secrets", "sign_in", "--origin", "shop", given="hunter2\n").exit_code == 2
    entered = run("secrets", "sign_in", "--origin", "https://Shop.example:443/sign-in", given="hunter2\n")
    assert entered.exit_code == 0
    assert "https://shop.example only" in entered.output
    kept = {"password": StoredSecret("hunter2", ("https://shop.example",))}
    assert SecretStore(home).of("sign_in") == kept
    assert run("rotate-key").exit_code == 0
    assert SecretStore(home).of("sign_in") == kept
    assert run("secrets", "sign_in", "pin").exit_code == 2
    assert run("delete", "sign_in", given="n\n").exit_code == 1
    assert run("delete", "sign_in", "--yes").exit_code == 0
    assert ScenarioFolder(home).names() == []
    assert SecretStore(home).of("sign_in") == {}


def test_an_unknown_scenario_is_answered_with_the_closest_names(home: Path, tmp_path: Path) -> None:
    imported(tmp_path)
    for words in (["show", "sign_on"], ["run", "sign_on"], ["delete", "sign_on"]):
        result = run(*words)
        assert result.exit_code == 2
        assert "Did you mean sign_in?" in result.output


def test_running_without_a_hub_has_its_own_exit_code(home: Path, tmp_path: Path) -> None:
    imported(tmp_path)
    result = run("run", "sign_in", "user=ada")
    assert result.exit_code == 3
    assert "No hub is running." in result.output
    unknown = run("run", "sign_in", "usr=ada")
    assert unknown.exit_code == 2
    assert "There is no parameter 'usr'. Parameters: user." in unknown.output


def test_results_are_shown_and_written_and_a_failure_is_the_exit_code(tmp_path: Path) -> None:
    from kapture.cli.scenario.run import show_results

    passed: dict[str, Any] = {
        "content": [{"type": "image", "mimeType": "image/jpeg", "data": "cGljdHVyZQ=="}],
        "structuredContent": {
            "scenario": "a",
            "status": "passed",
            "duration_ms": 5,
            "plan": [],
            "steps": [{"scenario": "a", "number": 1, "step": "click", "status": "done", "duration_ms": 4}],
            "captured": {},
            "warnings": [],
            "healed": [],
        },
    }
    failed = {**passed, "content": [], "structuredContent": {**passed["structuredContent"], "status": "failed"}}
    assert show_results(["one"], [passed], tmp_path, tmp_path / "one.xml", as_json=False) == 0
    assert (tmp_path / "a-1.jpeg").read_bytes() == b"picture"
    again = {**passed, "content": [{**passed["content"][0], "data": "bGF0ZXI="}]}
    assert show_results(["a", "a"], [passed, again], tmp_path, None, as_json=True) == 0
    assert [(tmp_path / f"a-{number}.jpeg").read_bytes() for number in (1, 2)] == [b"picture", b"later"]
    assert show_results(["one", "two"], [passed, failed], tmp_path, tmp_path / "two.xml", as_json=True) == 1
    assert len(ElementTree.parse(tmp_path / "two.xml").getroot().findall("testsuite")) == 2
    refused = {"isError": True, "content": [{"type": "text", "text": "NO_BACKEND: No tab is connected."}]}
    assert show_results(["buy"], [refused], tmp_path, tmp_path / "three.xml", as_json=False) == 1
    [suite] = ElementTree.parse(tmp_path / "three.xml").getroot()
    assert (suite.get("name"), suite.get("errors")) == ("buy", "1")
    assert [error.get("message") for error in suite.iter("error")] == ["NO_BACKEND: No tab is connected."]


def test_exports_are_written_whole_or_refused_by_name(home: Path, tmp_path: Path) -> None:
    imported(tmp_path)
    test = tmp_path / "test_sign_in.py"
    assert run("export", "sign_in", "user=ada", "--as", "playwright", "-o", str(test)).exit_code == 0
    compile(test.read_text(), str(test), "exec")
    assert "parameter('KAPTURE_PARAMETER_user', 'string', 'ada')" in test.read_text()
    refused = run("export", "sign_in", "user=ada", "--as", "batch", "-o", str(tmp_path / "batch.json"))
    assert refused.exit_code == 2
    assert "sign_in cannot be exported: it has secrets (password)" in refused.output
    assert not (tmp_path / "batch.json").exists()
    assert "needs --as" in run("export", "sign_in", "user=ada").output
    public = {
        **SIGN_IN,
        "name": "public",
        "secrets": [],
        "chain": [{"command": "type", "arguments": {"text": "{{user}}"}}],
    }
    (tmp_path / "public.json").write_text(json.dumps(public))
    assert run("import", str(tmp_path / "public.json")).exit_code == 0
    assert json.loads(run("export", "public", "user=ada", "--as", "batch").output) == {
        "steps": [{"command": "type", "arguments": {"text": "ada"}}]
    }
