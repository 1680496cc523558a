"""The skill: what it tells an agent to write is right, and it goes where clients look."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import kapture.commands  # noqa: F401  declares them
from kapture.cli.call.arguments import parse_arguments
from kapture.cli.clients.install import install_command, uninstall_command
from kapture.cli.clients.known_clients import config_files
from kapture.cli.skill import MAX_CHARS, skill_text
from kapture.commands.core.registry import get_command
from kapture.commands.core.schema import input_schema

EXAMPLES = [words for words in re.findall(r"`kapture call ([a-z_]+(?: [^`]+)?)`", skill_text()) if "--" not in words]


def test_skill_is_short_and_has_the_frontmatter_that_clients_read() -> None:
    text = skill_text()
    assert len(text) < MAX_CHARS
    found = re.match(r'---\nname: kapture\ndescription: "([^"\n]{50,1024})"\n', text)
    assert found is not None
    assert text.count("`kapture call ") >= 10


@pytest.mark.parametrize("example", EXAMPLES)
def test_command_of_the_skill_is_one_that_can_be_run(example: str) -> None:
    name, *words = shlex.split(example)
    schema = input_schema(get_command(name))
    given = parse_arguments(words, schema)
    assert given.keys() <= schema["properties"].keys()
    assert set(schema.get("required", ())) <= given.keys()


@pytest.mark.parametrize("client", [config.client for config in config_files().values() if config.skills])
def test_skill_is_installed_and_removed_where_a_client_looks(
    client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for variable in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(variable, raising=False)
    run = CliRunner().invoke
    assert run(install_command, ["--skill", client]).exit_code == 0
    (file,) = tmp_path.rglob("SKILL.md")
    assert file.read_text("utf-8") == skill_text()
    assert file.parent.name == "kapture"
    assert file.parents[1].name == "skills"
    file.with_name("notes.md").write_text("mine")
    assert run(uninstall_command, ["--skill", client]).exit_code == 0
    assert [path.name for path in tmp_path.rglob("*.md")] == ["notes.md"]


def test_skill_of_somebody_else_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    other = tmp_path / ".cursor" / "skills" / "kapture" / "SKILL.md"
    other.parent.mkdir(parents=True)
    other.write_text("---\nname: kapture\n---\n")
    for command in (install_command, uninstall_command):
        CliRunner().invoke(command, ["--skill", "cursor"])
    assert other.read_text() == "---\nname: kapture\n---\n"
