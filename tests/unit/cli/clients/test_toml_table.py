from __future__ import annotations

import pytest

from kapture.cli.clients.toml_table import TomlEditError, loads, remove_table, set_table

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


@pytest.mark.parametrize(
    ("text", "left"),
    [
        pytest.param(
            '# top\n[mcp_servers.kapture]\n# mine\ncommand = "x" # why\n\n# of b\n[b]\nc = 1\n',
            "# top\n\n# of b\n[b]\nc = 1\n",
            id="a comment above the next table",
        ),
        pytest.param(
            'a = 1\n\n[mcp_servers.kapture]\ncommand = "x"\n# end\n', "a = 1\n\n# end\n", id="a comment at the end"
        ),
        pytest.param('a = 1\n\n[mcp_servers.kapture]\ncommand = "x"\n', "a = 1\n", id="blank lines above"),
        pytest.param(
            '[mcp_servers.kapture]\ncommand = "x"\n[[mcp_servers.kapture.q]]\nz = 1\n[b]\n', "[b]\n", id="tables inside"
        ),
        pytest.param(
            'mcp_servers.kapture.command = "x"\nmcp_servers.kapture.args = [\n"mcp",\n]\na = 1\n',
            "a = 1\n",
            id="dotted keys",
        ),
        pytest.param('[mcp_servers]\nkapture = {command = "x"}\n', "[mcp_servers]\n", id="an inline table"),
        pytest.param('mcp_servers = {kapture = {command = "x"}}\na = 1\n', "a = 1\n", id="nested inline tables"),
        pytest.param(
            'x = """\n[mcp_servers.kapture]\ny = 1\n"""\n[mcp_servers.kapture]\ncommand = "x"\n',
            'x = """\n[mcp_servers.kapture]\ny = 1\n"""\n',
            id="a text that looks like it",
        ),
    ],
)
def test_only_the_lines_of_the_table_go(text: str, left: str) -> None:
    assert remove_table(text, PATH) == left
    assert loads(set_table(text, PATH, ENTRY)) == {**loads(left), "mcp_servers": {"kapture": ENTRY}}


def test_what_a_person_added_is_written_as_it_was() -> None:
    text = "[mcp_servers.kapture]\nsince = 2020-01-02\nat = 07:32:00\nlimit = inf\nwait = 20.5\nq = [{z = 1}]\n"
    entry = {**loads(text)["mcp_servers"]["kapture"], **ENTRY}
    assert loads(set_table(text, PATH, entry))["mcp_servers"]["kapture"] == entry


def test_what_is_not_there_is_not_removed() -> None:
    assert remove_table('model = "o9"\n', PATH) == 'model = "o9"\n'


@pytest.mark.parametrize(
    "text",
    [
        "x = ",
        "x = " + "[" * 20_000,
        "mcp_servers = 3\n",
        'mcp_servers = {other = {command = "y"}}\n',
        'mcp_servers = {kapture = {command = "x"}, other = {command = "y"}}\n',
        "[[mcp_servers]]\nname = 1\n",
    ],
)
def test_a_file_that_cannot_be_edited_by_lines_is_refused(text: str) -> None:
    with pytest.raises(TomlEditError):
        set_table(text, PATH, ENTRY)


def test_a_value_of_many_lines_is_read_once() -> None:
    text = "a = [\n" + "'x',\n" * 50_000 + "]\n"
    assert remove_table(set_table(text, PATH, ENTRY), PATH) == text
