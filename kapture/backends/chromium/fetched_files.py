"""Files that the hub downloads through a tab: fetched with the tab's own session, and carried over CDP.

The browser may run on another machine, and nothing is written there. Where every site is granted,
`Network.loadNetworkResource` fetches, from wherever redirects lead; else the page does (`page_fetch`).
"""

from __future__ import annotations

import base64
import os
import re
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

import attrs
import trio

from kapture.backends.chromium.page_fetch import PageFetch, Send
from kapture.errors import ErrorCode, KaptureError

_CHUNK_BYTES = 1024 * 1024
_FILE_NAME = re.compile(r"filename=\"?([^\";]+)", re.IGNORECASE)
_UNSAFE = re.compile(r"[^\w. -]")


class Source(Protocol):
    """What a file is read from."""

    async def read(self, most: int) -> tuple[bytes, bool]:
        """The next bytes, at least one unless they are the last, and whether they are the last."""

    async def close(self) -> None:
        """Ask for no more."""


@attrs.frozen
class _Stream:
    """A stream of the browser's."""

    send: Send
    handle: str

    async def read(self, most: int) -> tuple[bytes, bool]:
        part = await self.send("IO.read", {"handle": self.handle, "size": most})
        data = part["data"]
        return base64.b64decode(data) if part.get("base64Encoded") else data.encode(), bool(part.get("eof"))

    async def close(self) -> None:
        await self.send("IO.close", {"handle": self.handle})


@attrs.define(eq=False, kw_only=True)
class FetchedFile:
    """One download. Its steps are those of `BrowserControl.download`. `url`: where it came from, after redirects that
    are known."""

    url: str
    path: Path
    source: Source
    bytes: int = 0
    total_bytes: int = 0
    mime_type: str = ""
    state: str = "in_progress"
    error: str = ""

    def as_item(self, number: int) -> dict[str, Any]:
        """As docs/PROTOCOL.md has it."""
        return {
            "id": number,
            "state": self.state,
            "path": str(self.path),
            "url": self.url,
            "bytes": self.bytes,
            "totalBytes": self.total_bytes,
            "mimeType": self.mime_type,
            **({"error": self.error} if self.error else {}),
        }


async def begin(send: Send, url: str, folder: Path, *, any_site: bool) -> FetchedFile:
    """Ask for the URL with the tab's cookies; `DOWNLOAD_FAILED` when there is no answer to keep.

    The file is to be written below `folder`, under the name that the server or the URL has for it. `any_site`: it does
    not matter where redirects lead.
    """
    if any_site:
        source, headers = await _load(send, url)
    else:
        source = fetch = await PageFetch.open(send, url)
        url, headers = fetch.url, fetch.headers
        if fetch.status >= 400:
            await fetch.close()
            raise _no_answer(url, f"HTTP status {fetch.status}")
    length = headers.get("content-length", "")
    return FetchedFile(
        url=url,
        path=folder / secrets.token_hex(8) / _name(url, headers.get("content-disposition", "")),
        source=source,
        total_bytes=int(length) if length.isdigit() else 0,
        mime_type=headers.get("content-type", "").partition(";")[0].strip(),
    )


async def _load(send: Send, url: str) -> tuple[Source, Mapping[str, str]]:
    """What the browser loads by itself, and the headers of the answer."""
    tree = await send("Page.getFrameTree")
    answer = await send(
        "Network.loadNetworkResource",
        {
            "frameId": tree["frameTree"]["frame"]["id"],
            "url": url,
            "options": {"disableCache": False, "includeCredentials": True},
        },
    )
    resource = answer["resource"]
    status = resource.get("httpStatusCode", 0)
    if not resource.get("success") or "stream" not in resource or status >= 400:
        reason = resource.get("netErrorName") or f"HTTP status {status:g}"
        raise _no_answer(url, reason)
    headers = {name.lower(): value for name, value in resource.get("headers", {}).items()}
    return _Stream(send, resource["stream"]), headers


def _no_answer(url: str, reason: str) -> KaptureError:
    return KaptureError(ErrorCode.DOWNLOAD_FAILED, f"{url} could not be downloaded: {reason}.", data={"reason": reason})


def _name(url: str, disposition: str) -> str:
    """A file name that is safe in a folder of its own."""
    found = _FILE_NAME.search(disposition)
    name = found[1] if found else unquote(urlsplit(url).path.rpartition("/")[2])
    return _UNSAFE.sub("_", name).strip("._")[:100] or "download"


def remove(file: FetchedFile) -> None:
    """Remove the file, if it is still there, and its folder."""
    file.path.unlink(missing_ok=True)
    with suppress(OSError):
        file.path.parent.rmdir()


async def finish(file: FetchedFile) -> None:
    """Read what is fetched into the file until it ends."""
    try:
        file.path.parent.mkdir(mode=0o700, parents=True)
        handle = os.open(file.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as out:
            while file.state == "in_progress":
                content, is_last = await file.source.read(_CHUNK_BYTES)
                await trio.to_thread.run_sync(out.write, content)
                file.bytes += len(content)
                if is_last:
                    file.state = "complete"
    except OSError as error:
        file.state, file.error = "interrupted", error.strerror or str(error)
    except KaptureError as error:
        file.state, file.error = "interrupted", error.message
