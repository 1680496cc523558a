"""Frames that scripts write, as `document.open` in an `about:blank` frame does, and that keep their page from its load
event until they are closed, or for ever."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


class WrittenFrames:
    """The child frames that scripts have begun to write and not closed, by the browser's events. `on_change` is called
    after each."""

    def __init__(self, on_change: Callable[[], None]) -> None:
        self._on_change = on_change
        self._idle: dict[str, bool] = {}  # by frame: whether it loads nothing meanwhile

    @property
    def one_is_idle(self) -> bool:
        """Whether one of them loads nothing: only its script can end that."""
        return any(self._idle.values())

    @property
    def handlers(self) -> Mapping[str, Callable[[Mapping[str, Any]], None]]:
        """The handlers, by event of the session."""
        return {
            "Page.documentOpened": self._on_opened,
            "Page.lifecycleEvent": self._on_lifecycle,
            "Page.frameNavigated": self._on_navigated,
            "Page.frameDetached": lambda params: self._leave(params["frameId"]),
        }

    def _on_opened(self, params: Mapping[str, Any]) -> None:
        if params["frame"].get("parentId"):
            self._idle[params["frame"]["id"]] = False

    def _on_navigated(self, params: Mapping[str, Any]) -> None:
        if params["frame"].get("parentId"):
            self._leave(params["frame"]["id"])
        else:
            self._idle.clear()

    def _on_lifecycle(self, params: Mapping[str, Any]) -> None:
        if params["name"] == "load":
            self._leave(params["frameId"])
        elif params["name"] == "networkIdle" and params["frameId"] in self._idle:
            self._idle[params["frameId"]] = True
            self._on_change()

    def _leave(self, frame_id: str) -> None:
        if self._idle.pop(frame_id, None) is not None:
            self._on_change()
