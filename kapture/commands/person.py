"""Handing a tab over to its person, and what the person points at."""

from __future__ import annotations

from typing import Annotated, Literal

import attrs
from msgspec import Meta

from kapture.commands.core.answer import Answer
from kapture.commands.core.context import PersonAnswer, TabContext
from kapture.commands.core.registry import Access, command
from kapture.errors import ErrorCode, KaptureError
from kapture.page.element import quoted

ASK_TIMEOUT_MS = 600_000


@attrs.frozen(kw_only=True)
class PersonAnswered(Answer):
    """What the person answered, if they have; `handed_s`: for how long they had the tab, of which nothing was
    recorded."""

    answer: Literal["done", "cannot", "asked"]
    note: str = ""
    handed_s: float = 0

    @classmethod
    def of(cls, person: PersonAnswer) -> PersonAnswered:
        """From the answer that the hub has waited for."""
        return cls(
            answer="done" if person.done else "cannot", note=person.note, handed_s=round(person.handed_ms / 1_000, 1)
        )

    def said(self) -> tuple[str, ...]:
        """One line; the person's own words in quotation marks."""
        if self.answer == "asked":
            return ()
        pressed = "is done" if self.answer == "done" else "cannot do it"
        words = f", and says: {quoted(self.note, 1_000)}" if self.note else ""
        return (
            f"The person {pressed}{words}. They had the tab for {self.handed_s:g} s; of that time there is no console,"
            " no request and no recording.",
        )

    def text(self) -> str:
        """What to do next; `said` has the answer."""
        if self.answer != "asked":
            return ""
        return (
            "The person is asked, and has the tab until they give it back; your other commands on it wait."
            " wait_for person: true waits for the answer."
        )


@attrs.frozen(kw_only=True)
class AskPerson:
    """Ask the person to do in this tab what only they can: sign in, captcha, passkey, a choice. They have it to
    themselves until they answer."""

    what: Annotated[str, Meta(min_length=1, max_length=500, description="What to do; the person reads it.")]
    wait: Annotated[bool, Meta(description="false: answer at once; wait_for person waits.")] = True


@command("ask_person", access=Access.INTERACT, timeout_ms=ASK_TIMEOUT_MS, toolset="tabs", shows_page=True)
async def ask_person(tab: TabContext, params: AskPerson) -> PersonAnswered:
    """Answer what the person has answered: the hub has waited for it."""
    if tab.person is None:
        raise KaptureError(ErrorCode.UNSUPPORTED, "ask_person cannot be a step of another command.")
    return PersonAnswered.of(tab.person)
