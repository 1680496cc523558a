"""`kapture attach`: connects the pages of a running browser as tabs, while the command runs."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
import trio

from kapture.backends.chromium.endpoint import Endpoint
from kapture.cli.launch import parse_sites, run_until_stopped, settings_for, show_tabs
from kapture.cli.terminal import harmless
from kapture.client.connection import ConnectionClosedError
from kapture.client.requests import open_request
from kapture.errors import ErrorCode, KaptureError, NoBackend
from kapture.pairing.ticket import BROWSERS_PATH
from kapture.settings import Settings
from kapture.wire import browsers as wire
from kapture.wire.messages import WireGrant

TOKEN_VARIABLE = "KAPTURE_ATTACH_TOKEN"  # noqa: S105  the name of a variable
_HUB_COMES_BACK_S = 1.0


def read_headers(lines: Sequence[str]) -> dict[str, str]:
    """Parse `Name: value` lines as headers; empty lines and comments are skipped."""
    headers = {}
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, found, value = line.partition(":")
        if not found or not name.strip():
            # The line may contain a secret, so the error does not repeat it.
            raise KaptureError(ErrorCode.INVALID_PARAMS, "A header is not written as `Name: value`.")
        headers[name.strip()] = value.strip()
    return headers


def endpoint_of(
    url: str,
    *,
    headers: Sequence[str],
    header_file: Path | None,
    token_file: Path | None,
    token: str | None,
    ca_file: Path | None,
) -> Endpoint:
    """The endpoint with its secrets. `{token}` in the URL is replaced by the token; else it goes into a header."""
    try:
        lines = [*(header_file.read_text("utf-8").splitlines() if header_file is not None else ()), *headers]
        secret = token_file.read_text("utf-8").strip() if token_file is not None else token
        certificates = ca_file.read_text("utf-8", "replace") if ca_file is not None else ""
    except OSError as error:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS, f"{error.filename} could not be read: {error.strerror}."
        ) from error
    except UnicodeDecodeError as error:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS, "The file of headers or of the token is not UTF-8 text."
        ) from error
    found = read_headers(lines)
    if "{token}" in url:
        if not secret:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                "The endpoint needs a token, and none was given.",
                hint=f"Give --token-file, or set {TOKEN_VARIABLE}.",
            )
        url = url.replace("{token}", secret)
    elif secret:
        found.setdefault("Authorization", f"Bearer {secret}")
    return Endpoint(url, found, certificates)


async def run(settings: Settings, request: wire.Attach, *, as_json: bool) -> None:
    """Stay attached until stopped. If the hub ends, wait for it to come back, and attach again: tabs keep their ids."""
    first = True
    while True:
        try:
            async with open_request(settings.home, BROWSERS_PATH, request, wire.FROM_HUB, start=True) as browser:
                while True:
                    match await browser.next():
                        case wire.Kept() as kept:
                            request = msgspec.structs.replace(request, kept=kept)
                        case message:
                            first = False
                            _show(message, as_json=as_json)
        except ConnectionClosedError:
            if first:
                raise KaptureError(ErrorCode.NO_BACKEND, "The hub has ended.") from None
            click.echo("The hub has ended. Waiting for it to come back.", err=True)
        except KaptureError as error:
            if first or not isinstance(error, NoBackend):
                raise
            click.echo(harmless(str(error)), err=True)
        await trio.sleep(_HUB_COMES_BACK_S)


def _show(message: wire.Connected | wire.Lost, *, as_json: bool) -> None:
    match message:
        case wire.Connected() if as_json:
            click.echo(json.dumps({"attached": [row["tabId"] for row in message.tabs]}), err=True)
            show_tabs(message.tabs, as_json=True)
        case wire.Connected():
            show_tabs(message.tabs, as_json=False)
            click.echo(f"Attached; {len(message.tabs)} connected. Press Ctrl-C to detach; the browser keeps running.")
        case wire.Lost():
            click.echo(f"{harmless(message.message)} Trying again in {message.retry_ms / 1_000:.1f} s.", err=True)


@click.command("attach")
@click.argument("endpoint")
@click.option(
    "--header", "headers", multiple=True, help="A header to send, `Name: value`; not for secrets. May be repeated."
)
@click.option(
    "--header-file", type=click.Path(path_type=Path), help="A file with such headers, one per line, for secrets."
)
@click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    help=f"A file with the token. Default: the environment variable {TOKEN_VARIABLE}.",
)
@click.option(
    "--ca-file",
    type=click.Path(path_type=Path),
    help="A file of certificates (PEM) to trust beside the system's, for wss:// and https://.",
)
@click.option("--sites", multiple=True, default=("*",), help="Sites that its tabs are granted. Default: any.")
@click.option(
    "--level",
    type=click.Choice(["read", "interact", "full"]),
    default="interact",
    show_default=True,
    help="Level of the grant.",
)
@click.option("--group", is_flag=True, help="Let agents on the other machines of the hub's group use its tabs too.")
@click.option("--port", type=int, default=None, help="The hub's port.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per connected tab.")
def attach_command(
    endpoint: str,
    headers: tuple[str, ...],
    header_file: Path | None,
    token_file: Path | None,
    ca_file: Path | None,
    sites: tuple[str, ...],
    level: Any,
    group: bool,
    port: int | None,
    as_json: bool,
) -> None:
    """Attach to the browser at ENDPOINT: ws://…, wss://…, or http://host:port.

    Its pages become connected tabs, with the grant given here. The browser and the tabs that it has are never closed.
    A lost connection is made again, and its tabs keep their ids. The token goes into `Authorization: Bearer`, or where
    ENDPOINT says {token}.
    """
    settings = settings_for(port)
    try:
        target = endpoint_of(
            endpoint,
            headers=headers,
            header_file=header_file,
            token_file=token_file,
            token=os.environ.get(TOKEN_VARIABLE),
            ca_file=ca_file,
        )
    except KaptureError as error:
        raise click.ClickException(error.explanation) from error
    request = wire.Attach(
        grant=WireGrant(sites=parse_sites(sites), level=level),
        endpoint=target.url,
        headers=dict(target.headers),
        certificates=target.certificates,
        group=group,
    )
    run_until_stopped(lambda: run(settings, request, as_json=as_json))
