from __future__ import annotations

from kapture.backends.reference import FILE, with_table


def test_the_table_of_backends_is_not_stale() -> None:
    page = FILE.read_text("utf-8")
    assert page == with_table(page), "run: python -m kapture.backends.reference"
