"""The state of the recorder's widget in the page of a tab, and the commands of its person.

It is shown while the tab is recorded, and before, where its person is to start that. When its own Stop ends the
recording, it stays until that is saved or the widget is closed; when anything else ends it, the widget goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import attrs
import msgspec
from msgspec import Meta

from kapture.commands.core.recorder import RecordingState
from kapture.errors import KaptureError
from kapture.wire.codec import decode_json

Asked = Literal["record_start", "record_stop", "record_edit", "record_save"]
"""The commands that the widget can ask for."""

Pixels = Annotated[float, Meta(ge=-100_000, le=100_000)]


@attrs.frozen(kw_only=True)
class Shape:
    """Where the widget stands, in CSS pixels from the viewport's edges, and whether its steps are listed."""

    right: Pixels = 16
    side: Literal["top", "bottom"] = "bottom"
    offset: Pixels = 16
    open: bool = False


@attrs.frozen(kw_only=True)
class WidgetMessage:
    """A message of the widget: a command of its person, its new shape, or that saving was given up (`cancel`)
    or the widget closed. With nothing in it: whether the hub is there, which has the widget stay."""

    command: Asked | None = None
    params: Mapping[str, Any] = attrs.field(factory=dict)
    shape: Shape | None = None
    cancel: bool = False
    close: bool = False


def read_message(text: str) -> WidgetMessage | None:
    """A message of the widget; None for one that is none."""
    try:
        message: WidgetMessage = decode_json(text, WidgetMessage)
    except (msgspec.DecodeError, RecursionError):
        return None
    return message


@attrs.define
class WidgetState:
    """The widget of one tab, whatever document shows it. `kept`: its own Stop has ended the recording. `saved`: the
    scenario that it has saved, with what that has, counted. `busy`: an answer is waited for; `problem`: why there was
    none."""

    shape: Shape = attrs.field(factory=Shape)
    kept: bool = False
    saved: str | None = None
    busy: bool = False
    problem: KaptureError | None = None

    def shown(self, recording: RecordingState | None, *, offered: bool = False) -> dict[str, Any] | None:
        """Return its contents, as its script reads them; None where it is hidden. `offered`: its person may start."""
        going = recording is not None and recording.recording
        if going:
            self.kept, self.saved = False, None
        elif not (offered or self.busy or (self.kept and recording is not None) or self.saved is not None):
            self.kept, self.problem = False, None
            return None
        steps = [] if recording is None else recording.steps
        return {
            "going": going,
            "steps": [
                {"id": step.id, "title": step.title, "value": step.value, "secret": step.secret} for step in steps
            ],
            "leftOut": 0 if recording is None else recording.left_out,
            "saved": self.saved,
            "busy": self.busy,
            "shape": attrs.asdict(self.shape),
            "problem": None if self.problem is None else _problem(self.problem),
        }

    def close(self) -> None:
        """Its person has closed it."""
        self.kept, self.saved, self.problem = False, None, None

    def succeeded(self, message: WidgetMessage, answer: Mapping[str, Any]) -> None:
        """Note that a command of its person has succeeded."""
        self.problem = None
        match message.command:
            case "record_start":
                self.saved = None
            case "record_stop":
                self.kept = True
            case "record_save":
                self.kept, self.saved = False, _saved(answer)


def _saved(answer: Mapping[str, Any]) -> str:
    counts = [(kind, len(answer.get(f"{kind}s", ()))) for kind in ("step", "parameter", "secret")]
    words = [f"{many} {kind}{'' if many == 1 else 's'}" for kind, many in counts if many or kind == "step"]
    follows = ", ".join(answer.get("follows", ()))
    return f"{answer.get('name')}: {', '.join(words)}" + (f". It begins where {follows} ends." if follows else "")


def _problem(error: KaptureError) -> dict[str, Any]:
    return {"code": error.code.value, "message": error.message, "hint": error.hint}
