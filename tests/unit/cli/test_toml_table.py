from __future__ import annotations

import pytest

from kapture.cli.toml_table import TomlEditError, loads, remove_table, set_table

PATH = ["mcp_servers", "kapture"]
ENTRY = {"command": "C:\\kapture.exe", "args": ["mcp", "--toolsets", "all"], "env": {"KAPTURE_HOME": 'a "b"'}}

FILE = """# mine
model = "o9" # the best

[mcp_servers.other]
command = "x"
args = ["[mcp_servers.kapture]"]

[mcp_servers.kapture.env]
OLD = "1"

[[profiles]]
name = "a"
"""


def test_a_table_is_set_and_every_other_line_stays() -> None:
    changed = set_table(FILE, PATH, ENTRY)
    assert loads(changed)["mcp_servers"]["kapture"] == ENTRY
    for line in FILE.splitlines():
        assert line in changed or line in ('OLD = "1"', "[mcp_servers.kapture.env]")
    assert loads(changed)["profiles"] == [{"name": "a"}]


def test_set_and_removed_leaves_what_was_there() -> None:
    text = '# mine\nmodel = "o9"\n'
    assert remove_table(set_table(text, PATH, ENTRY), PATH).rstrip("\n") == text.rstrip("\n")


def test_what_is_not_there_is_not_removed() -> None:
    assert remove_table('model = "o9"\n', PATH) == 'model = "o9"\n'


@pytest.mark.parametrize(
    "text",
    ["x = ", "mcp_servers = 3\n", 'mcp_servers = {kapture = {command = "x"}}\n', 'mcp_servers.kapture.command = "x"\n'],
)
def test_a_file_that_cannot_be_edited_by_lines_is_refused(text: str) -> None:
    with pytest.raises(TomlEditError):
        set_table(text, PATH, ENTRY)
