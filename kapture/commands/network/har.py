"""The request log as a HAR file."""

from __future__ import annotations

from typing import Annotated

import attrs
import msgspec
import trio
from msgspec import Meta

from kapture.commands.core.answer import Blob
from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import SLOW_TIMEOUT_MS, Access, Lane, command
from kapture.commands.formatters.har import har_log
from kapture.commands.formatters.network import (
    HarAnswer,
)
from kapture.commands.network.redaction import redacted_body
from kapture.commands.network.requests import Glob, matches, may_be_read, shown_request, without_secrets
from kapture.errors import KaptureError
from kapture.page.network.network_bodies import response_body
from kapture.page.network.network_request import Request
from kapture.page.typed_secrets import TypedSecrets


@attrs.frozen(kw_only=True)
class Har:
    """Export the request log as HAR 1.2. Session headers and sent passwords are redacted."""

    url: Glob | None = None
    since: Annotated[int, Meta(ge=0, description="Only requests after this cursor.")] | None = None
    bodies: Annotated[bool, Meta(description="With response bodies, up to 1 MB each.")] = False


@command(
    "har",
    access=Access.READ,
    lane=Lane.CONTROL,
    toolset="network",
    timeout_ms=SLOW_TIMEOUT_MS,
    idempotent=True,
    reads_page=False,
)
async def har(tab: TabContext, params: Har) -> HarAnswer:
    """Build the HAR from the log."""
    chosen = [
        (request, shown)
        for request in tab.page.network.oldest_first()
        if (params.since is None or request.seq > params.since)
        and (shown := shown_request(request, tab.page)) is not None
        and matches(shown, url=params.url)
    ]
    bodies: dict[str, bytes] = {}
    if params.bodies:
        for done, (request, _) in enumerate(chosen):
            if request.finished and not request.failure and may_be_read(request, tab.page.gate):
                with trio.move_on_after(5):
                    try:
                        bodies[request.id] = (await response_body(request))[:1_000_000]
                    except KaptureError:
                        continue  # bodies of earlier documents are gone; the HAR is complete without them
            await tab.progress(done + 1, len(chosen), request.id)
    secrets = tab.page.typed_secrets
    whole = [without_secrets(_without_passwords(shown, secrets), secrets) for _, shown in chosen]
    encoded = msgspec.json.encode(har_log(whole, bodies))
    return HarAnswer(entries=len(chosen), bytes=len(encoded), file=Blob.of(encoded, "application/json", "network.har"))


def _without_passwords(shown: Request, secrets: TypedSecrets) -> Request:
    return shown if shown.body is None else attrs.evolve(shown, body=redacted_body(shown.headers, shown.body, secrets))
