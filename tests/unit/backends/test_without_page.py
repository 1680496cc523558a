"""Opening a tab from one that has no page: it sleeps, has crashed, or shows what extensions may not debug."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from trio.testing import MockClock, wait_all_tasks_blocked

from kapture.backends.relay.relay_browser import RelayTabs
from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import get_command
from kapture.errors import ErrorCode, KaptureError, PolicyDenied
from tests.support.calls import tab_call
from tests.unit.backends.browser_bench import browser
from tests.unit.backends.extension_bench import Bench, may_read
from tests.unit.backends.relay.scripted_relay import ScriptedExtension, relay

_NO_PAGE = KaptureError(ErrorCode.DETACHED, "The browser has put this tab to sleep.")


def tab_new(url: str) -> TabContext:
    return tab_call("tab_new", url=url)


async def test_over_the_extension(nursery: Any) -> None:
    bench = Bench()
    nursery.start_soon(bench.backend.serve, may_read)
    await bench.backend.page()
    bench.event("tab", url="https://granted.test/a/b")
    bench.event("detached", reason="replaced", message="The tab sleeps.")
    with pytest.raises(PolicyDenied):
        await bench.backend.run(tab_new("https://other.test/"))
    nursery.start_soon(bench.backend.run, tab_new("/c"))
    await wait_all_tasks_blocked()
    (asked,) = bench.sent()
    assert (asked["command"], asked["params"]["url"]) == ("tab_new", "https://granted.test/c")
    bench.respond(asked["id"], {"tabId": "child"})


async def test_over_a_connection_to_the_browser(tmp_path: Path, nursery: Any) -> None:
    async with browser(tmp_path) as (made, socket):
        await socket.announce("first", "T1", "https://granted.test/a")
        await wait_all_tasks_blocked()
        (tab,) = made.tabs
        tab.detached(_NO_PAGE)
        nursery.start_soon(tab.serve, may_read)
        await wait_all_tasks_blocked()
        with pytest.raises(PolicyDenied):
            await tab.run(tab_new("https://other.test/"))
        with pytest.raises(KeyError, match="targetId"):  # the scripted browser opens none
            await tab.run(tab_new("/c"))
        assert "Target.createTarget" in [command["method"] for command in socket.sent]
        nursery.cancel_scope.cancel()


async def test_over_a_relay_that_cannot_attach_to_the_tab(tmp_path: Path, nursery: Any) -> None:
    socket = ScriptedExtension(1)
    async with relay(tmp_path, socket, RelayTabs()) as served:
        [tab] = served.values()
        nursery.start_soon(tab.serve, lambda url: True)
        await wait_all_tasks_blocked()
        socket.refusals = {"debugger.attach": ["Cannot access a chrome:// URL"]}
        with pytest.raises(KaptureError, match="did not say which"):  # the scripted extension opens none
            await tab.run(tab_new("/c"))
        (asked,) = socket.commands("tabs.create")
        assert asked["params"]["url"] == "https://site1.test/c"
        nursery.cancel_scope.cancel()


async def test_a_command_waits_for_the_page_that_the_browser_puts_in_place_of_the_last_one(
    nursery: Any, autojump_clock: MockClock
) -> None:
    bench = Bench()
    nursery.start_soon(bench.backend.serve, may_read)
    await bench.backend.page()
    bench.event("detached", reason="replaced", message="The browser has replaced this tab's page.")
    call: Any = SimpleNamespace(command=get_command("stop"), wait_connected=None, allowed_once=None)
    with pytest.raises(KaptureError, match="has replaced"):  # no page comes
        await bench.backend.run(call)
    nursery.start_soon(runs, bench, call)
    await wait_all_tasks_blocked()
    bench.event("attached")
    await wait_all_tasks_blocked()
    assert len(bench.opened) == 2


async def runs(bench: Bench, call: Any) -> None:
    with pytest.raises(ValueError):
        await bench.backend.run(call)


@pytest.mark.parametrize(("reason", "asks"), [("foreign_frame", True), ("forbidden", True), ("asleep", False)])
async def test_the_extension_tries_again_when_a_command_comes_for_a_page_that_shut_it_out(
    nursery: Any, reason: str, asks: bool
) -> None:
    bench = Bench("cdp_renew")
    nursery.start_soon(bench.backend.serve, may_read)
    await bench.backend.page()
    bench.event("detached", reason=reason, message="Keep out.")
    answers: list[object] = []

    async def text() -> None:
        call: Any = SimpleNamespace(command=get_command("stop"), wait_connected=None, allowed_once=None)
        with pytest.raises((KaptureError, ValueError)) as failure:  # without the rest of a call it does not run
            await bench.backend.run(call)
        answers.append(failure.value)

    nursery.start_soon(text)
    await wait_all_tasks_blocked()
    asked = [command["id"] for command in bench.sent() if command["command"] == "cdp_renew"]
    assert bool(asked) is asks
    if asks:
        bench.event("attached")
        bench.respond(asked[0], {})
        await wait_all_tasks_blocked()
        assert len(bench.opened) == 2
    assert isinstance(answers[0], ValueError if asks else KaptureError)
