"""Taking a tab behind a relay to `about:blank`.

Chrome gives that document the origin of whoever navigates to it. With `Page.navigate` that is the relay extension, and
a document of an extension takes no commands. So the page is made to navigate there itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kapture.cdp import PendingReply
from kapture.errors import KaptureError

BLANK = "about:blank"
_ABORTED = {"errorText": "net::ERR_ABORTED"}
# Its value is whether no listener of the page has kept it from going there. A page may have a variable of that name.
_GO = f"""(() => {{
  let stays = false;
  const look = (event) => {{ stays = event.defaultPrevented; }};
  window.navigation?.addEventListener?.("navigate", look);
  location.href = "{BLANK}";
  window.navigation?.removeEventListener?.("navigate", look);
  return !stays;
}})()"""


class GoingBlank:
    """A navigation from within the page.

    `reply` is resolved like that of `Page.navigate`, even if the page stays; later results are ignored.
    """

    def __init__(self, frame_id: str, reply: PendingReply) -> None:
        self._frame_id = frame_id
        self._reply = reply

    def start(self, submit: Callable[[str, Mapping[str, Any]], PendingReply]) -> None:
        """Have the page go there."""
        submit("Runtime.evaluate", {"expression": _GO, "returnByValue": True}).then(self._ran)

    def _ran(self, run: PendingReply) -> None:
        if run.error is not None:
            self.end(run.error)
        elif run.value().get("result", {}).get("value") is not True:
            self._answer(_ABORTED)

    def deliver(self, method: str, params: Mapping[str, Any]) -> None:
        """Process one CDP event of the tab."""
        if method == "Page.frameStartedNavigating" and params.get("frameId") == self._frame_id:
            self._answer({"loaderId": params.get("loaderId")})
        elif method == "Page.frameNavigated" and (frame := params.get("frame", {})).get("id") == self._frame_id:
            self._answer({"loaderId": frame.get("loaderId")})
        elif method == "Page.javascriptDialogClosed" and not params.get("result"):
            self._answer(_ABORTED)

    def end(self, error: KaptureError) -> None:
        """Answer with an error, because the page cannot be followed any more."""
        self._reply.fail(error)

    def _answer(self, outcome: Mapping[str, Any]) -> None:
        self._reply.resolve({"frameId": self._frame_id, **outcome})
