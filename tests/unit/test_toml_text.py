"""TOML of strangers: nothing that takes ages, and every statement found."""

from __future__ import annotations

import tomllib

import pytest

from kapture.toml_text import MAX_KEY_PARTS, loads, statements

LONG = ".".join(["b"] * 200_000)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{LONG} = 1", id="a key"),
        pytest.param(f"[{LONG}]\n", id="a table"),
        pytest.param(f"x = {{a = 1, {LONG} = 1}}", id="an inline table"),
        pytest.param(f'x = {{a = "\\"", {LONG} = 1, c = "\\""}}', id="between escaped quotation marks"),
        pytest.param(f'x = {{a = """\n""", {LONG} = 1, c = ""}}', id="behind several lines"),
        pytest.param(f'x = """a""""\n{LONG} = 1 # "', id="behind four quotation marks"),
        pytest.param(f"x = '''a''''\n{LONG} = 1 # '", id="behind four apostrophes"),
        pytest.param(f'# "\n{LONG} = 1 # "', id="between comments"),
        pytest.param(LONG.replace(".", ' . "x.y" . ') + " = 1", id="with quoted parts"),
    ],
)
def test_a_key_of_200000_parts_is_refused_and_not_parsed(text: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError, match="parts"):
        loads(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('x = "' + "\\\\" * 500_000, id="escapes"),
        pytest.param('"\\' * 500_000, id="quotation marks that are escaped for each other"),
        pytest.param("x = '''" + "' '' " * 200_000, id="apostrophes"),
    ],
)
def test_a_text_without_an_end_is_not_searched_for_it_again_and_again(text: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError):
        loads(text)


def test_texts_and_comments_may_have_as_many_dots_as_they_like() -> None:
    assert loads(f"# {LONG}\nx = '{LONG}'\ny = '''\n{LONG}'''\n") == {"x": LONG, "y": LONG}
    parts = ".".join(["a"] * MAX_KEY_PARTS)
    assert loads(f"{parts} = 1") == tomllib.loads(f"{parts} = 1")


def test_a_value_of_several_lines_is_one_statement() -> None:
    pieces = [
        'a = [ # ]\n  "]", \'[\',\n  {b = "}"},\n]\n',
        "\n",
        'c = """\n[d]\n\\""" # "\n"""\n',
        "# [ \" '''\n",
        '["e]".f] # [\n',
        "g = '''\nh = 1\n''''\n",
        "i = 1",
    ]
    assert statements("".join(pieces)) == pieces
