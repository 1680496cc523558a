"""A file that a page fetches, with the URL at the end of all redirects.

Unlike `Network.loadNetworkResource`, which follows redirects to any site and does not report them, `fetch` reports the
final URL. A page may fetch what is its own, and what other sites let it read.
"""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Mapping
from typing import Any, Protocol

import attrs

from kapture.cdp import CdpError
from kapture.errors import ErrorCode, KaptureError

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
