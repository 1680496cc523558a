"""What is typed on a command line becomes what the schema asks for."""

from __future__ import annotations

from typing import Any

import pytest

from kapture.cli.call_arguments import parse_arguments
from kapture.errors import KaptureError

SCHEMA: dict[str, Any] = {
    "properties": {
        "value": {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "array", "items": {"type": "string"}}]},
        "paths": {"type": "array", "items": {"type": "string"}},
        "max": {"type": "integer"},
        "active": {"type": "boolean"},
        "target": {"anyOf": [{"type": "string"}, {"type": "object"}]},
    }
}


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        (["value=Ada"], {"value": "Ada"}),
        (["value=Ada", "value=Grace"], {"value": ["Ada", "Grace"]}),
        (["paths=/a b"], {"paths": ["/a b"]}),
        (["max=3", "active=false"], {"max": 3, "active": False}),
        (['target={"ref": "e1"}'], {"target": {"ref": "e1"}}),
        (["target=#save"], {"target": "#save"}),
        (["value:=[1, 2]"], {"value": [1, 2]}),
        (["value=a=b"], {"value": "a=b"}),
    ],
)
def test_words_become_typed_arguments(words: list[str], arguments: dict[str, Any]) -> None:
    assert parse_arguments(words, SCHEMA) == arguments


@pytest.mark.parametrize("word", ["max", "=3", "max=three", 'target={"ref"'])
def test_what_does_not_fit_is_refused_with_a_sentence(word: str) -> None:
    with pytest.raises(KaptureError, match=r"\w+ \w+"):
        parse_arguments([word], SCHEMA)
