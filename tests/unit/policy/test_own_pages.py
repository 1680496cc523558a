"""What the hub itself serves, such as the Console, is for its person: no grant covers it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from kapture.hub import Hub
from kapture.pairing import Pairing
from kapture.settings import Settings
from tests.unit.policy.deciding import decide, grant, policy

PORT = 61_822
EVERYTHING = grant("full", "*", "file://")
OWN = [
    f"http://127.0.0.1:{PORT}/console/",
    f"http://localhost:{PORT}/console/#x",
    f"http://[::1]:{PORT}/",
    f"http://2130706433:{PORT}/console/",
    f"http:\\\\me@127.1:{PORT}\\console",
    f"blob:http://127.0.0.1:{PORT}/1-2",
]


@pytest.mark.parametrize("url", OWN)
def test_no_grant_covers_a_page_of_kapture(url: str) -> None:
    rules = policy(own_port=PORT, unsafe_all_sites=True)
    assert not rules.may_read(url, grant=EVERYTHING)
    assert not rules.may_read("about:blank", grant=EVERYTHING, inherited=url)
    for name in ("get_text", "evaluate", "click"):
        decision = decide(name, given_=EVERYTHING, url=url, rules=rules)
        assert decision.rule == "own pages"
        assert decision.ask is None, "nobody is asked for what nobody can allow"


def test_a_page_of_kapture_is_not_opened_and_can_be_left() -> None:
    rules = policy(own_port=PORT)
    there, away = SimpleNamespace(url=OWN[0]), SimpleNamespace(url="https://example.com/")
    for name in ("navigate", "tab_new", "download_file"):
        assert decide(name, given_=EVERYTHING, params=there, rules=rules).rule == "own pages"
    assert decide("navigate", given_=EVERYTHING, url=OWN[0], params=away, rules=rules).allowed


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000/", f"http://example.com:{PORT}/", "http://127.0.0.1/"])
def test_other_servers_are_sites_like_any_other(url: str) -> None:
    assert policy(own_port=PORT).may_read(url, grant=EVERYTHING)


async def test_a_hub_knows_its_own_pages(tmp_path: Path) -> None:
    async with Hub.open(Settings(home=tmp_path, port=PORT), pairing=Pairing(tmp_path)) as hub:
        assert not hub.state.consent.policy.may_read(OWN[0], grant=EVERYTHING)
