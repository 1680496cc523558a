"""What commands may ask of what records tabs, and what it answers.

Commands stand below `kapture.scenarios`, which records; so that is stated here as a protocol.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import attrs

from kapture.changed import Changed
from kapture.page import Page


@attrs.frozen(kw_only=True)
class RecordedStep:
    """A step of a recording. `value` is what it types, opens or expects, where that can be changed; of a step that
    types a secret only the secret's name is there.
    """

    id: str
    title: str
    value: str | None = None
    secret: str | None = None


@attrs.frozen(kw_only=True)
class RecordingState:
    """The recording of a tab: whether it goes on, and its steps as they would be saved now."""

    tabId: str  # noqa: N815  the name clients send
    recording: bool
    steps: list[RecordedStep]
    left_out: int = 0


@attrs.frozen(kw_only=True)
class StepEdit:
    """What to do with the step of a recording that has this id: one of the three."""

    step: str
    delete: bool = False
    value: str | None = None
    secret: bool = False


@attrs.frozen(kw_only=True)
class SaveWish:
    """How a recording is to be saved."""

    name: str
    title: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    store_secrets: bool = False
    replace: bool = False


@attrs.frozen(kw_only=True)
class SavedRecording:
    """A recording that was saved as a scenario."""

    name: str
    path: str
    steps: list[str]
    parameters: list[str]
    secrets: list[str]
    stored_secrets: bool
    pattern: str = ""


class RecorderView(Protocol):
    """What records tabs; `kapture.scenarios.recorder` implements it."""

    async def start(self, page: Page) -> RecordingState:
        """Record a tab from here on."""

    async def stop(self, page: Page) -> RecordingState:
        """Record nothing more; what was recorded is kept."""

    def add_check(
        self,
        tab_id: str,
        kind: str,
        expected: Any,
        targets: Sequence[Mapping[str, Any]],
        element: Mapping[str, Any] | None,
    ) -> RecordingState:
        """Add a check at the end of the recording; `SCENARIO_INVALID` for one that cannot be."""

    async def save(self, page: Page, wish: SaveWish) -> SavedRecording:
        """Save the recording as a scenario, which ends it."""

    def edit(self, tab_id: str, edit: StepEdit) -> RecordingState:
        """Change a step; `INVALID_PARAMS` if it is not there or cannot be changed so."""

    def state(self, tab_id: str) -> RecordingState | None:
        """What has been recorded on a tab and not saved yet."""

    @property
    def changed(self) -> Changed:
        """Notified when a recording of any tab has changed."""
