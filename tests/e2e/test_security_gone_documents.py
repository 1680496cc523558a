"""Traces of documents outside the grant in a process that shows only granted ones by now."""

from __future__ import annotations

import pytest
import trio

from kapture.page import Page
from tests.support.direct import direct_page
from tests.support.site import Site, serving

pytestmark = pytest.mark.e2e

SECRET = "the-words-of-another-site"


async def test_events_of_gone_frame_belong_to_no_site(browser: int, site: Site) -> None:
    """It is repeated to whoever connects: to the tab when its person does, to each later frame in that process."""
    with serving({}) as other:
        # A policy in the body is ignored, and the browser says so, with its words.
        policy = f"""<meta http-equiv="Content-Security-Policy" content="default-src 'none'; report-uri /{SECRET}">"""
        other.pages["/"] = f"<body><p>words</p>{policy}"
        site.pages["/"] = f"""<title>mine</title><body><iframe src="{other.url("/")}"
          onload="this.remove(); gone('')"></iframe>"""
        own, gone = site.url("/"), trio.Event()

        def may_read(url: str) -> bool:
            return url.startswith(own)

        async with direct_page(browser) as connection:
            connection.root.on("Runtime.bindingCalled", lambda _: gone.set())
            await connection.root.send_all([("Runtime.enable", {}), ("Runtime.addBinding", {"name": "gone"})])
            await connection.root.send("Page.navigate", {"url": own})
            with trio.fail_after(60):
                await gone.wait()
            async with Page.open(connection, tab_id="late", gate=may_read) as page:
                repeated = [entry for entry in page.console.newest_first() if SECRET in entry.message]
                assert repeated, "Chromium does not repeat it any more: this test needs another way to see that"
                assert not any(may_read(owner) for entry in repeated for owner in entry.owners)
