from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.cli.clients.jsonc import JsoncError, loads, remove_member, set_member

ENTRY = {"command": "/bin/kapture", "args": ["mcp"]}

COMMENTED = """// my servers
{
    /* one { more */
    "mcpServers": {
        "other": { "command": "x", "env": {"URL": "http://a//b"} }, // keep "me", {please}
    },
    "theme": "dark" // last
}
"""


def test_a_new_member_leaves_comments_and_everything_else_as_they_are() -> None:
    changed = set_member(COMMENTED, ["mcpServers", "kapture"], ENTRY)
    assert loads(changed)["mcpServers"] == {
        "other": {"command": "x", "env": {"URL": "http://a//b"}},
        "kapture": ENTRY,
    }
    for line in COMMENTED.splitlines():
        assert line in changed
    assert '        "kapture": {\n            "command": "/bin/kapture",' in changed


def test_what_was_added_can_be_taken_out_without_a_trace() -> None:
    assert (
        remove_member(set_member(COMMENTED, ["mcpServers", "kapture"], ENTRY), ["mcpServers", "kapture"]) == COMMENTED
    )


def test_missing_objects_are_made_on_the_way() -> None:
    changed = set_member('{\n  "theme": "dark" // last\n}\n', ["mcpServers", "kapture"], ENTRY)
    assert loads(changed) == {"theme": "dark", "mcpServers": {"kapture": ENTRY}}
    assert '"theme": "dark", // last\n' in changed


def test_a_member_that_stands_there_twice_is_removed_twice() -> None:
    assert loads(remove_member('{"a": {"b": 1, "c": 2, "b": 3}}', ["a", "b"])) == {"a": {"c": 2}}


def test_a_file_of_comments_keeps_them() -> None:
    assert set_member("// mine\n", ["a"], 1) == '// mine\n{\n  "a": 1\n}\n'


def test_no_comma_is_left_dangling() -> None:
    assert remove_member('{"a": 1, // one\n "b": 2}', ["b"]) == '{"a": 1 // one\n }'
    assert remove_member('{"a": 1, "b": 2}', ["b"]) == '{"a": 1}'
    assert remove_member('{"a": 1, "b": 2}', ["a"]) == '{ "b": 2}'


@pytest.mark.parametrize("empty", ["", "  \n", "{}", "{ // nothing yet\n}"])
def test_an_empty_file_gets_its_first_member(empty: str) -> None:
    changed = set_member(empty, ["mcpServers", "kapture"], ENTRY)
    assert loads(changed) == {"mcpServers": {"kapture": ENTRY}}
    assert ("// nothing yet" in changed) == ("// nothing yet" in empty)


@pytest.mark.parametrize(
    "broken", ["{", '{"a" 1}', "[1]", '{"a": 1} x', "nonsense", '{"mcpServers": 3}', '{"a": "\n"}']
)
def test_a_file_of_another_shape_is_refused(broken: str) -> None:
    with pytest.raises(JsoncError):
        set_member(broken, ["mcpServers", "kapture"], ENTRY)


KEYS = st.sampled_from(["a", "b", "mcpServers", "kapture", 'q"uo{te', "//", "/*"])
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "x", "{", "//", "/* */", '"', "\\", "é,"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
TRAILING_COMMA: st.SearchStrategy[Any] = st.booleans()
FILLERS = st.lists(st.sampled_from([" ", "\n", "\t", "// c {\n", "/* , } */", "/*\n*/"]), max_size=3).map("".join)


@st.composite
def commented(draw: st.DrawFn, value: Any) -> str:
    """The value as JSON, with spaces, comments and trailing commas strewn in."""
    gap = draw(FILLERS)
    if isinstance(value, dict):
        items = [f"{draw(FILLERS)}{json.dumps(k)}{draw(FILLERS)}:{draw(commented(v))}" for k, v in value.items()]
        trailing = "," if items and draw(TRAILING_COMMA) else ""
        return f"{gap}{{{','.join(items)}{trailing}{draw(FILLERS)}}}{draw(FILLERS)}"
    if isinstance(value, list):
        items = [draw(commented(v)) for v in value]
        trailing = "," if items and draw(TRAILING_COMMA) else ""
        return f"{gap}[{','.join(items)}{trailing}{draw(FILLERS)}]{draw(FILLERS)}"
    return f"{gap}{json.dumps(value)}{draw(FILLERS)}"


@given(data=st.data(), value=st.dictionaries(KEYS, VALUES, max_size=4), new=VALUES)
def test_setting_and_removing_change_that_member_and_nothing_else(
    data: st.DataObject, value: dict[str, Any], new: Any
) -> None:
    text = data.draw(commented(value))
    assert loads(text) == value
    path = data.draw(st.lists(KEYS, min_size=1, max_size=3))
    try:
        changed = set_member(text, path, new)
    except JsoncError:
        parent: Any = value
        for key in path[:-1]:
            parent = parent.get(key, {})
            if not isinstance(parent, dict):
                return
        raise
    wanted = json.loads(json.dumps(value))
    parent = wanted
    for key in path[:-1]:
        parent = parent.setdefault(key, {})
    parent[path[-1]] = new
    assert loads(changed) == wanted
    removed = remove_member(changed, path)
    del parent[path[-1]]
    assert loads(removed) == wanted
    for comment in ("// c {", "/* , } */", "/*\n*/"):
        assert removed.count(comment) >= text.count(comment) - _within(text, path, comment)


def _within(text: str, path: list[str], comment: str) -> int:
    """How often the comment stands in the value that was replaced, or right beside it."""
    return text.count(comment) if _has(loads(text), path) else 0


def _has(value: Any, path: list[str]) -> bool:
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    return True
