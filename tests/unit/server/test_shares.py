"""What the clients of a share may do."""

from __future__ import annotations

import pytest

from kapture.server.shares import caps_of
from kapture.wire.share import Share
from tests.unit.policy.deciding import grant, policy


@pytest.mark.parametrize(("sites", "allowed"), [(None, False), (("*",), False), (("file:///home/ann/*",), True)])
def test_files_of_this_machine_are_shown_in_tabs_only_if_the_share_names_them(
    sites: tuple[str, ...] | None, allowed: bool
) -> None:
    rules = policy()
    rules.shares["devhost"] = caps_of(Share(name="devhost", sites=sites))
    given = grant("interact", "*", "file://")
    assert rules.may_read("file:///home/ann/page.html", grant=given, client="claude @devhost") is allowed
    assert rules.may_read("file:///home/ann/page.html", grant=given, client="claude")
