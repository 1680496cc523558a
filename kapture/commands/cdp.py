"""The Chrome DevTools Protocol as it is, within the grant of the tab."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import attrs
from msgspec import Meta

from kapture.cdp import CdpError, CdpSession
from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import Access, command
from kapture.commands.formatters.cdp import CdpResult
from kapture.errors import ErrorCode, KaptureError
from kapture.page import Page

# Domains that reach other tabs, the browser or the machine: no grant of one tab covers them.
_BEYOND_THE_TAB = ("Browser.", "Target.", "SystemInfo.", "Extensions.", "Tethering.", "Memory.", "IO.resolveBlob")
_OF_THE_TAB = ("Target.setAutoAttach", "Target.getTargetInfo")

# Methods that reach every site's data at once: only for a grant of any site.
_ALL_SITES = (
    "Network.getAllCookies",
    "Network.clearBrowserCookies",
    "Network.clearBrowserCache",
    "Storage.getCookies",
    "Storage.setCookies",
    "Storage.clearCookies",
    "Storage.getSharedStorageEntries",
)
_ANY_SITE = "https://any-site.kapture.invalid/"

# Parameters that name a site, wherever they stand in the parameters of a method.
_SITES = ("url", "urls", "origin", "storageKey", "securityOrigin", "domain")


@attrs.frozen(kw_only=True)
class Cdp:
    """Send one Chrome DevTools Protocol command to the tab."""

    method: Annotated[str, Meta(pattern=r"^[A-Za-z]+\.[A-Za-z0-9]+$", description="Such as Page.getLayoutMetrics.")]
    params: dict[str, Any] = attrs.field(factory=dict)
    session: Annotated[str | None, Meta(description="Frame (f2) whose session is meant; default the page's.")] = None


@command("cdp", access=Access.FULL, toolset="raw", destructive=True)
async def cdp(tab: TabContext, params: Cdp) -> CdpResult:
    """Send it; what the browser refuses is told in its words."""
    check_reach(tab.page, params.method, params.params)
    session = _session(tab.page, params.session)
    try:
        return CdpResult(result=await session.send(params.method, params.params))
    except CdpError as error:
        raise KaptureError(
            ErrorCode.EXECUTION_ERROR, f"{params.method}: {error.reason}", data={"cdpCode": error.cdp_code}
        ) from error


def _session(page: Page, name: str | None) -> CdpSession:
    frame = page.frames.main if name is None else page.frames.find(name)
    frame.check_granted()
    return frame.session


def check_reach(page: Page, method: str, params: Mapping[str, Any]) -> None:
    """`POLICY_DENIED` for what reaches beyond the sites that this tab is granted."""
    if method.startswith(_BEYOND_THE_TAB) and method not in _OF_THE_TAB:
        raise KaptureError(
            ErrorCode.POLICY_DENIED,
            f"{method} reaches beyond this tab.",
            hint="Use the commands for tabs: list_tabs, tab_new, tab_close, tab_activate.",
        )
    if method in _ALL_SITES and not page.gate(_ANY_SITE):
        raise KaptureError(
            ErrorCode.POLICY_DENIED,
            f"{method} works on the data of every site; this tab's grant names only some.",
            hint="Use cookies or storage, or ask the person to grant any site.",
        )
    for site in _sites_in(params):
        if not page.gate(site):
            raise KaptureError(
                ErrorCode.POLICY_DENIED,
                f"{method} names {site[:200]}, which is outside this tab's grant.",
                hint="Ask the person to add that site to the tab's grant in the Kapture panel.",
            )


def _sites_in(params: Mapping[str, Any]) -> Iterator[str]:
    """URLs of the sites that parameters name."""
    for key in _SITES:
        given = params.get(key)
        for one in given if isinstance(given, list) else [given]:
            if not isinstance(one, str) or not one:
                continue
            if key == "domain":
                yield f"https://{one.lstrip('.')}/"
            elif one.startswith(("http://", "https://", "file:")):
                yield one
            elif one.startswith("blob:http"):
                yield one.removeprefix("blob:")
