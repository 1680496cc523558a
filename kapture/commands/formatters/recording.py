"""A recording, and the scenario that it was saved as."""

from __future__ import annotations

import attrs

from kapture.commands.core.answer import Answer
from kapture.commands.core.recorder import RecordedStep, RecordingState, SavedRecording


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
    """A saved scenario."""

    name: str
    path: str
    steps: list[str]
    parameters: list[str]
    secrets: list[str]
    stored_secrets: bool

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
        return "\n".join([*lines, *(f"{number}. {step}" for number, step in enumerate(self.steps, 1))])
