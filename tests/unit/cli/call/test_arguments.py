from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kapture.cli.call.arguments import parse_arguments, with_absolute_paths, with_format_of
from kapture.errors import ErrorCode, KaptureError

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
