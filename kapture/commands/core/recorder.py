"""The interface of the recorder for commands.

Commands are below `kapture.scenarios`, which implements it; so it is declared here as a protocol.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import attrs

from kapture.changed import Changed
from kapture.page import Page


@attrs.frozen(kw_only=True)
class RecordedStep:
    """A step of a recording. `value` is what it types, opens or expects, if that can be changed; for a step that types
    a secret it is only the secret's name.
    """

    id: str
    title: str
    value: str | None = None
    secret: str | None = None


@attrs.frozen(kw_only=True)
class RecordingState:
    """The recording of a tab: whether it goes on, and its steps as they would be saved now. `full` says why nothing
    more is added to it, and `left_out` how much was not. `offered`: the page shows the recorder, whose person starts
    it."""

    tabId: str  # noqa: N815  the name clients send
    recording: bool
    steps: list[RecordedStep]
    left_out: int = 0
    full: str = ""
    offered: bool = False


@attrs.frozen(kw_only=True)
class StepEdit:
    """A change to the step with this id: one of the three."""

    step: str
    delete: bool = False
    value: str | None = None
    secret: bool = False


@attrs.frozen(kw_only=True)
class SaveWish:
    """How to save a recording. `parameters`: names by the ids of the steps whose texts become parameters."""

    name: str
    title: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    store_secrets: bool = False
    replace: bool = False
    parameters: Mapping[str, str] = attrs.field(factory=dict)
    optimize: bool = True


@attrs.frozen(kw_only=True)
class SavedRecording:
    """A recording that was saved as a scenario. `follows`: the scenarios that end where this one begins."""

    name: str
    path: str
    steps: list[str]
    parameters: list[str]
    secrets: list[str]
    stored_secrets: bool
    follows: list[str] = attrs.field(factory=list)


class RecorderView(Protocol):
    """Records tabs; implemented by `kapture.scenarios.record.recorder`."""

    async def start(self, page: Page) -> RecordingState:
        """Start recording a tab."""

    async def offer(self, page: Page) -> RecordingState:
        """Show the recorder in the page, so that its person starts it."""

    async def stop(self, page: Page) -> RecordingState:
        """Stop recording; what was recorded is kept."""

    def end(self, tab_id: str) -> None:
        """Stop a recording at once, if there is one: one of its tabs may not be recorded any more."""

    def add_check(
        self,
        tab_id: str,
        kind: str,
        expected: Any,
        targets: Sequence[Mapping[str, Any]],
        element: Mapping[str, Any] | None,
    ) -> RecordingState:
        """Add a check at the end of the recording; `SCENARIO_INVALID` if it is invalid."""

    async def save(self, page: Page, wish: SaveWish) -> SavedRecording:
        """Save the recording as a scenario and end it."""

    def edit(self, tab_id: str, edit: StepEdit) -> RecordingState:
        """Change a step; `INVALID_PARAMS` if it does not exist or cannot be changed in this way."""

    def child_opened(self, opener_id: str, tab_id: str) -> None:
        """A tab has connected for the first time, which another one has opened."""

    async def go_on_in(self, tab_id: str, *, opener_id: str) -> None:
        """The same of a tab that a command has opened, whose page may be there already."""

    def tab_gone(self, tab_id: str, *, closed: bool) -> None:
        """A tab will not come back. `closed`: it was closed, and not only disconnected."""

    def state(self, tab_id: str) -> RecordingState | None:
        """Return the unsaved recording of a tab; None if there is none."""

    @property
    def changed(self) -> Changed:
        """Notified when a recording of any tab has changed."""
