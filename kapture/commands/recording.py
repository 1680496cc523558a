"""Recording what a person and clients do on a tab, as a scenario that can be replayed without a model."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import attrs
from msgspec import Meta

from kapture.commands.core.answer import Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.params import Targeted
from kapture.commands.core.recorded import found_again
from kapture.commands.core.recorder import (
    RecordedStep,
    RecorderView,
    RecordingState,
    SavedRecording,
    SaveWish,
    StepEdit,
)
from kapture.commands.core.registry import Access, Lane, command
from kapture.errors import ErrorCode, KaptureError


@attrs.frozen(kw_only=True)
class RecordingAnswer(Answer):
    """The recording of a tab: its steps as they would be saved now."""

    tabId: str  # noqa: N815  the name clients send
    recording: bool
    steps: list[RecordedStep]
    left_out: int = 0
    full: str = ""
    offered: bool = False

    @classmethod
    def of(cls, state: RecordingState) -> RecordingAnswer:
        """The answer for a recording's state."""
        return cls(
            tabId=state.tabId,
            recording=state.recording,
            steps=state.steps,
            left_out=state.left_out,
            full=state.full,
            offered=state.offered,
        )

    def text(self) -> str:
        """The steps, numbered."""
        if self.offered:
            return f"The page of tab {self.tabId} shows the recorder; its person starts it there."
        lines = [f"Recording tab {self.tabId}." if self.recording else f"Stopped recording tab {self.tabId}."]
        lines += [f"{number}. {step.title}" for number, step in enumerate(self.steps, 1)]
        if secrets := sorted({step.secret for step in self.steps if step.secret is not None}):
            lines.append(f"Secrets, whose values are not shown: {', '.join(secrets)}.")
        if self.left_out:
            lines.append(
                f"The recording is full: {self.full}. Left out after that: {self.left_out}."
                " Save it with record_save, or delete steps with record_edit."
            )
        return "\n".join(lines)

    def has_page_text(self) -> bool:
        """True: names of elements are the page's."""
        return bool(self.steps)


@attrs.frozen(kw_only=True)
class SavedAnswer(Answer):
    """A saved scenario. `follows`: the scenarios that end where this one begins."""

    name: str
    path: str
    steps: list[str]
    parameters: list[str]
    secrets: list[str]
    stored_secrets: bool
    follows: list[str] = attrs.field(factory=list)

    @classmethod
    def of(cls, saved: SavedRecording) -> SavedAnswer:
        """The answer for a saved recording."""
        return cls(**attrs.asdict(saved))

    def text(self) -> str:
        """Its path, its parameters and secrets, and its steps."""
        lines = [f"Saved scenario {self.name}: {self.path}"]
        if self.parameters:
            lines.append(f"Parameters: {', '.join(self.parameters)}.")
        if self.secrets:
            kept = "stored" if self.stored_secrets else "not stored: give them to each run"
            lines.append(f"Secrets ({kept}): {', '.join(self.secrets)}.")
        if self.follows:
            lines.append(f"It begins where {', '.join(self.follows)} ends: make it depend on what must run before it.")
        return "\n".join([*lines, *(f"{number}. {step}" for number, step in enumerate(self.steps, 1))])


CheckKind = Literal["text", "no_text", "state", "url", "value", "count", "no_console_error"]


@attrs.frozen(kw_only=True)
class RecordStart:
    """Record what is done on the tab, and in tabs that it opens, from now on, by the person and by clients."""

    by_person: Annotated[bool, Meta(description="Only show the recorder in the page: the person starts it.")] = False


@command("record_start", access=Access.INTERACT, toolset="scenarios")
async def record_start(tab: TabContext, params: RecordStart) -> RecordingAnswer:
    """Start recording; `list_tabs` and `tab_info` show that the tab is being recorded."""
    recorder = _recorder(tab)
    return RecordingAnswer.of(await (recorder.offer(tab.page) if params.by_person else recorder.start(tab.page)))


@attrs.frozen(kw_only=True)
class RecordStop:
    """Stop recording the tab; what was recorded is kept until it is saved."""


@command("record_stop", access=Access.INTERACT, lane=Lane.CONTROL, toolset="scenarios", idempotent=True)
async def record_stop(tab: TabContext, params: RecordStop) -> RecordingAnswer:
    """Stop recording; works even while the page hangs."""
    return RecordingAnswer.of(await _recorder(tab).stop(tab.page))


@attrs.frozen(kw_only=True)
class RecordCheck(Targeted):
    """Add a check to the recording: what must hold at this point of a run."""

    kind: Annotated[CheckKind, Meta(description="What to check.")]
    expected: Annotated[
        str | int | None,
        Meta(description="text: part of it; state: visible, hidden, enabled, checked…; url: glob; value; count."),
    ] = None


@command("record_check", access=Access.INTERACT, toolset="scenarios")
async def record_check(tab: TabContext, params: RecordCheck) -> RecordingAnswer:
    """Add a check; its element is kept with all ways to find it again."""
    targets: list[Any] = []
    element = None
    if params.element is not None:
        await tab.page.locate(params.element)
        found = await found_again(tab.page, params.element)
        if found is not None:
            targets, element = found["targets"], found["element"]
    return RecordingAnswer.of(_recorder(tab).add_check(tab.tab_id, params.kind, params.expected, targets, element))


@attrs.frozen(kw_only=True)
class RecordEdit:
    """Delete a step of the recording, change its value, or keep what it types as a secret: one of the three."""

    step: Annotated[str, Meta(max_length=200, description="The step's id.")]
    delete: Annotated[bool, Meta(description="Delete it, with the wait for what it led to.")] = False
    value: Annotated[
        Annotated[str, Meta(max_length=100_000)] | None,
        Meta(description="What it types, opens, chooses or expects instead."),
    ] = None
    secret: Annotated[bool, Meta(description="Keep what it types as a secret; this cannot be undone.")] = False


@command("record_edit", access=Access.INTERACT, lane=Lane.CONTROL, toolset="scenarios")
async def record_edit(tab: TabContext, params: RecordEdit) -> RecordingAnswer:
    """Edit a step, also while recording goes on."""
    edit = StepEdit(step=params.step, delete=params.delete, value=params.value, secret=params.secret)
    return RecordingAnswer.of(_recorder(tab).edit(tab.tab_id, edit))


@attrs.frozen(kw_only=True)
class RecordSave:
    """Save the recording as a scenario. What was typed as a secret becomes a placeholder."""

    name: Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\Z", description="Letters, digits, _ and -.")]
    title: Annotated[str, Meta(max_length=200, description="For people.")] = ""
    description: Annotated[str, Meta(max_length=2_000)] = ""
    tags: Annotated[tuple[str, ...], Meta(max_length=20)] = ()
    store_secrets: Annotated[
        bool, Meta(description="Store values of secrets, encrypted, if the person agrees; else each run is given them.")
    ] = False
    parameters: Annotated[
        dict[str, str] | None,
        Meta(description="Step id to parameter: its text becomes the default of a parameter of this name."),
    ] = None
    optimize: Annotated[bool, Meta(description="false: leave no step out, and join only typing.")] = True
    replace: Annotated[bool, Meta(description="Replace a scenario of this name.")] = False


@command("record_save", access=Access.INTERACT, lane=Lane.CONTROL, timeout_ms=120_000, toolset="scenarios")
async def record_save(tab: TabContext, params: RecordSave) -> SavedAnswer:
    """Save; recording is stopped first if it is still going on."""
    wish = SaveWish(
        name=params.name,
        title=params.title,
        description=params.description,
        tags=params.tags,
        store_secrets=params.store_secrets,
        replace=params.replace,
        parameters=params.parameters or {},
        optimize=params.optimize,
    )
    return SavedAnswer.of(await _recorder(tab).save(tab.page, wish))


def _recorder(tab: TabContext) -> RecorderView:
    if tab.hub.recorder is None:
        raise KaptureError(ErrorCode.UNSUPPORTED, "This hub keeps no scenarios.")
    return tab.hub.recorder
