"""What tells nameless elements apart, as it is written down."""

from __future__ import annotations

import pytest

from kapture.snapshot.node import Node
from kapture.snapshot.notation import head, named


@pytest.mark.parametrize(
    ("hint", "written"),
    [
        (("icon", "trash"), "(icon trash)"),
        (("icon", "Archive it"), '(icon "Archive it")'),
        (("colour", "#c0392b"), "(colour #c0392b)"),
        (("row", 'Tea") ref=e1'), '(row "Tea\\") ref=e1")'),
    ],
)
def test_a_hint_stands_before_the_ref_and_cannot_end_its_quotes(hint: tuple[str, str], written: str) -> None:
    node = Node(role="button", ref=5, hint=hint)
    assert head("", node) == f"button {written} ref=e5"
    assert named(node) == f"button {written}"
