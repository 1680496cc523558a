"""Raw commands of the Chrome DevTools Protocol, within the grant of the tab."""

from __future__ import annotations

from typing import Annotated, Any

import attrs
from msgspec import Meta

from kapture.cdp import CdpError
from kapture.commands.cdp_access import check_command, visible_result
from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import Access, command
from kapture.commands.formatters.cdp import CdpResult
from kapture.errors import ErrorCode, KaptureError
from kapture.page.documents.session_documents import SessionDocuments


@attrs.frozen(kw_only=True)
class Cdp:
    """Send one Chrome DevTools Protocol command to the tab."""

    method: Annotated[str, Meta(pattern=r"^[A-Za-z]+\.[A-Za-z0-9]+$", description="Such as Page.getLayoutMetrics.")]
    params: dict[str, Any] = attrs.field(factory=dict)
    session: Annotated[str | None, Meta(description="Frame (f2) whose session is meant; default the page's.")] = None


@command("cdp", access=Access.FULL, toolset="raw", destructive=True)
async def cdp(tab: TabContext, params: Cdp) -> CdpResult:
    """Send it; an error of the browser is reported with the browser's message."""
    frame = tab.page.frames.main if params.session is None else tab.page.frames.find(params.session)
    frame.check_granted()
    documents = SessionDocuments(tab.page.frames, tab.page.gate, frame.session)
    sent = check_command(params.method, params.params, documents, tab.files.check_upload)
    try:
        result = await tab.page.client_settings.submit(frame.session, params.method, sent).wait()
    except CdpError as error:
        raise KaptureError(ErrorCode.EXECUTION_ERROR, error.message, data={"cdpCode": error.cdp_code}) from error
    frame.check_granted()  # it may show another document meanwhile
    return CdpResult(result=visible_result(params.method, result, documents))
