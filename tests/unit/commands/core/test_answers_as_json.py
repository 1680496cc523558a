"""The facts of an answer as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from kapture.commands.core.answer import Answer, Blob
from kapture.commands.core.run import as_json


@attrs.frozen(kw_only=True)
class Leaf:
    name: str
    note: str | None = None


@attrs.frozen(kw_only=True)
class Branch:
    leaves: list[Leaf]
    best: Leaf | None = None


@attrs.frozen(kw_only=True)
class Tree(Answer):
    branches: list[Branch] = attrs.field(factory=list)
    by_name: Mapping[str, Leaf] = attrs.field(factory=dict)
    value: Any = None
    image: Blob | None = None


def test_nulls_of_a_value_of_the_page_stay() -> None:
    value = {"found": None, "all": [None, {"x": None}]}
    assert as_json(Tree(value=value))["value"] == value
