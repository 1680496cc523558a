"""A connected tab over each kind of backend, with the hub that reaches it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
from mcp import Client

from tests.support.attached import attach
from tests.support.direct import direct_browser
from tests.support.patience import until
from tests.support.relay import relay_browser
from tests.support.stack import HubProcess, call, hub_process, launched_beside, mcp_client, refusal

CLOSED = "an about: address other than about:blank itself"
"""Why a page that shows, or frames, another spelling of `about:blank` is closed to extensions."""


@attrs.frozen
class Reached:
    """A hub, and a tab that it reaches over this backend."""

    backend: str
    hub: HubProcess
    tab: str


@asynccontextmanager
async def tab_over(backend: str, folder: Path, url: str) -> AsyncIterator[Reached]:
    """A connected tab, reached over this backend."""
    home = folder / "home"
    home.mkdir(mode=0o700)
    uploads = home / "uploads"
    uploads.mkdir(mode=0o700)
    (uploads / "words.txt").write_text("words")
    with hub_process(home, arguments=["--relay"]) as hub:
        match backend:
            case "extension":
                async with launched_beside(hub, [url], ["--with-extension"]) as launched:
                    yield Reached(backend, hub, launched.rows[0]["tabId"])
            case "launch":
                async with launched_beside(hub, [url]) as launched:
                    yield Reached(backend, hub, launched.rows[0]["tabId"])
            case "attach":
                async with direct_browser(folder / "profile") as port:
                    with attach(hub, f"http://127.0.0.1:{port}", ["--level", "full"]) as attached:
                        yield Reached(backend, hub, attached.rows[0]["tabId"])
            case "relay":
                async with relay_browser(folder / "browser", hub.port, url), mcp_client(hub) as client:

                    async def look() -> str | None:
                        listed = await call(client, "list_tabs")
                        row = next((line for line in listed.splitlines() if url in line), None)
                        return None if row is None else row.strip().partition(",")[0].strip('"')

                    yield Reached(backend, hub, await until(look, "the tab behind the relay"))


@attrs.frozen
class Tab:
    """The tab on the page, in front, and a client."""

    backend: str
    client: Client
    id: str
    uploads: Path

    async def run(self, tool: str, **arguments: Any) -> str:
        return await call(self.client, tool, tabId=self.id, **arguments)


async def refused_as_closed(client: Client, tab: str) -> None:
    """Wait until commands fail because Chrome shuts extensions out of the tab's page, with the reason."""

    async def look() -> str | None:
        result = await client.call_tool("kapturemcp_snapshot", {"tabId": tab})
        return None if not result.is_error else await refusal(client, "snapshot", tabId=tab)

    said = await until(look, "that the page is closed")
    assert said.startswith("DETACHED: ")
    assert CLOSED in said
    assert "avigate to another page" in said
