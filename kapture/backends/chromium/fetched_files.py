"""Files that the hub downloads through a tab: fetched in the tab's own session, and transferred over CDP.

The browser may run on another machine, and nothing is written there. If every site is granted,
`Network.loadNetworkResource` fetches the file, wherever redirects lead; otherwise the page does (`page_fetch`). What
comes from no server (`data:`, `blob:`) is known to the page only.
"""

from __future__ import annotations

import base64
import json
import os
import re
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote

import attrs
import trio

from kapture.cdp import CdpError
from kapture.errors import ErrorCode, KaptureError
from kapture.split_url import split_url

_CHUNK_BYTES = 1024 * 1024
_FILE_NAME = re.compile(r"filename=\"?([^\";]+)", re.IGNORECASE)
_ENCODED_FILE_NAME = re.compile(r"filename\*=\s*([\w-]+)'[^']*'([^\s;]+)", re.IGNORECASE)
"""Has precedence: RFC 6266, 4.3."""
_UNSAFE = re.compile(r"[^\w. -]")
_OF_THE_PAGE = frozenset({"data", "blob"})


class Source(Protocol):
    """A source of a file's bytes."""

    async def read(self, most: int) -> tuple[bytes, bool]:
        """The next bytes, at least one unless they are the last, and whether they are the last."""

    async def close(self) -> None:
        """Stop reading and release the source."""


@attrs.frozen
class _Stream:
    """An IO stream of the browser (`IO.read`)."""

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
    """One download, with the steps of `BrowserControl.download`. `url`: the final URL, as far as redirects are
    known."""

    url: str
    path: Path
    source: Source
    bytes: int = 0
    total_bytes: int = 0
    mime_type: str = ""
    state: str = "in_progress"
    error: str = ""

    def as_item(self, number: int) -> dict[str, Any]:
        """The download as docs/PROTOCOL.md describes it."""
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
    """Request the URL with the tab's cookies; `DOWNLOAD_FAILED` if the response is no file to keep.

    The file is written below `folder`, under the name that the server or the URL gives it. `any_site`: redirects may
    lead anywhere.
    """
    if any_site and split_url(url).scheme.lower() not in _OF_THE_PAGE:
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
    """The source and the response headers of a URL that the browser loads itself."""
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
        reason = f"HTTP status {status:g}" if status >= 400 else resource.get("netErrorName", "no file")
        raise _no_answer(url, reason)
    headers = {name.lower(): value for name, value in resource.get("headers", {}).items()}
    return _Stream(send, resource["stream"]), headers


def _no_answer(url: str, reason: str) -> KaptureError:
    return KaptureError(ErrorCode.DOWNLOAD_FAILED, f"{url} could not be downloaded: {reason}.", data={"reason": reason})


def _given_name(disposition: str) -> str:
    if found := _ENCODED_FILE_NAME.search(disposition):
        with suppress(LookupError, UnicodeError):  # no encoding of text, or not in it
            return unquote(found[2], encoding=found[1])
    found = _FILE_NAME.search(disposition)
    return found[1] if found else ""


def _name(url: str, disposition: str) -> str:
    """A file name that is safe to use in a folder of its own."""
    parts = split_url(url)
    last = "" if parts.scheme.lower() == "data" else unquote(parts.path.rpartition("/")[2])
    name = _given_name(disposition) or last
    return _UNSAFE.sub("_", name).strip("._")[:100] or "download"


def remove(file: FetchedFile) -> None:
    """Remove the file, if it still exists, and its folder."""
    file.path.unlink(missing_ok=True)
    with suppress(OSError):
        file.path.parent.rmdir()


async def finish(file: FetchedFile) -> None:
    """Read the source to its end and write the file."""
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


# A file that a page fetches, with the URL at the end of all redirects.
#
# Unlike `Network.loadNetworkResource`, which follows redirects to any site and does not report them, `fetch` reports
# the final URL. A page may fetch what is its own, and what other sites let it read.

_WORLD = "kapture-downloads"

_OPEN = """(async (key, url) => {
  const abort = new AbortController();
  const response = await fetch(url, { credentials: "include", signal: abort.signal });
  globalThis[key] = { reader: (response.body ?? new Blob([]).stream()).getReader(), abort };
  return { url: response.url, status: response.status, headers: Object.fromEntries(response.headers) };
})"""

_READ = """(async (key, most) => {
  const { reader } = globalThis[key];
  const parts = [];
  let eof = false;
  for (let size = 0; size < most && !eof; ) {
    const { done, value } = await reader.read();
    eof = done;
    if (done) break;
    parts.push(value);
    size += value.length;
  }
  const url = await new Promise((resolve) => {
    const reading = new FileReader();
    reading.onload = () => resolve(reading.result);
    reading.readAsDataURL(new Blob(parts));
  });
  return { data: url.slice(url.indexOf(",") + 1), eof };
})"""

_CLOSE = "((key) => { globalThis[key]?.abort.abort(); delete globalThis[key]; })"


class Send(Protocol):
    """Sends one command on a tab's session and waits for its result; `CdpError` if the browser refuses it."""

    async def __call__(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The result."""


@attrs.frozen
class PageFetch:
    """One response that is being read, in an isolated world of the page's main frame. `url` is its final URL."""

    url: str
    status: int
    headers: Mapping[str, str]
    _send: Send
    _context: int
    _key: str

    @classmethod
    async def open(cls, send: Send, url: str) -> PageFetch:
        """Request the URL with the tab's cookies; `DOWNLOAD_FAILED` if the page may not read the response."""
        tree = await send("Page.getFrameTree")
        world = {"frameId": tree["frameTree"]["frame"]["id"], "worldName": _WORLD}
        context = (await send("Page.createIsolatedWorld", world))["executionContextId"]
        key = f"download{secrets.token_hex(8)}"
        head = await _run(send, context, _OPEN, key, url)
        if head is None:
            raise KaptureError(
                ErrorCode.DOWNLOAD_FAILED,
                f"{url} could not be downloaded: the page is not allowed to fetch it, or the server does not answer.",
                hint="Open a page of that site first, or click the link that leads there: give target.",
            )
        return cls(head["url"], head["status"], head["headers"], send, context, key)

    async def read(self, most: int) -> tuple[bytes, bool]:
        """Read the next bytes, about `most` of them. Returns them, and whether they are the last."""
        part = await _run(self._send, self._context, _READ, self._key, most)
        if part is None:
            raise KaptureError(ErrorCode.DOWNLOAD_FAILED, "the connection or the page has gone")
        return base64.b64decode(part["data"]), part["eof"]

    async def close(self) -> None:
        """Stop reading and release the source."""
        await _run(self._send, self._context, _CLOSE, self._key)


async def _run(send: Send, context: int, function: str, *arguments: object) -> Any:
    """The result of one of the functions above in the page; None if it failed, or its document is gone."""
    expression = f"{function}({', '.join(map(json.dumps, arguments))})"
    evaluate = {"expression": expression, "contextId": context, "awaitPromise": True, "returnByValue": True}
    try:
        answer = await send("Runtime.evaluate", evaluate)
    except CdpError:
        return None
    return None if "exceptionDetails" in answer else answer["result"].get("value")
