"""Whose word the hub takes for where a downloaded file is: it moves that file to its own folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kapture.errors import ErrorCode
from tests.unit.hub.simulated import SimulatedTab, World, fails, world

CARRIES_CDP: dict[str, Any] = {
    "capabilities": ["cdp", "cdp_renew"],
    "grant": {"sites": ["*"], "level": "full"},
    "url": "https://example.com/",
}


def download(there: World) -> Any:
    """A step of a download in the only tab."""
    (tab,) = there.hub.state.router.connected.values()
    assert tab.scripts is not None
    return tab.scripts.download({"action": "status", "id": 1})


async def asked(tab: SimulatedTab) -> dict[str, Any]:
    """The next download step that the tab is asked for."""
    while (message := await tab.receive("command"))["command"] != "download":
        pass
    return message


async def test_a_tab_that_has_shown_the_client_token_only_names_no_files(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        await there.token_tab(**CARRIES_CDP)
        await fails(ErrorCode.UNSUPPORTED, download(there))


async def test_a_tab_that_holds_the_key_names_the_file_that_was_downloaded(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.connect_proven()
        await tab.register(**CARRIES_CDP)
        step = there.start(download(there))
        await tab.answer(await asked(tab), {"state": "complete"})
        assert await step.wait() == {"state": "complete"}
