"""Handing a tab over to its person, and what the person points at."""

from __future__ import annotations

from typing import Annotated, Literal

import attrs
from msgspec import Meta

from kapture.commands.core.answer import Answer, Blob, Said
from kapture.commands.core.context import PersonAnswer, Pin, TabContext
from kapture.commands.core.registry import Access, Lane, command
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

    def said(self) -> tuple[Said, ...]:
        """One line; the person's own words in quotation marks."""
        if self.answer == "asked":
            return ()
        pressed = "is done" if self.answer == "done" else "cannot do it"
        words = f", and says: {quoted(self.note, 1_000)}" if self.note else ""
        line = (
            f"The person {pressed}{words}. They had the tab for {self.handed_s:g} s; of that time there is no console,"
            " no request and no recording."
        )
        return (Said(line),)

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


def pin_line(pin: Pin) -> Said:
    """What the person points at, in a line."""
    where = "around ref" if pin.area else "ref"
    note = f": {quoted(pin.note, 1_000)}" if pin.note else ""
    return Said(f"The person points at {where}={pin.ref} in tab {pin.tab_id} (pin {pin.pin}){note}", pin.what)


@attrs.frozen(kw_only=True)
class PinFacts:
    """One pin; `what` is in the page's words, `note` in the person's."""

    pin: int
    ref: str
    what: str
    note: str = ""
    area: bool | None = None


@attrs.frozen(kw_only=True)
class PinsAnswer(Answer):
    """The pins of a tab, oldest first."""

    pins: list[PinFacts]
    lines: tuple[Said, ...] = attrs.field(default=(), repr=False)
    pictures: tuple[Blob, ...] = attrs.field(default=(), repr=False)

    def said(self) -> tuple[Said, ...]:
        """A line each."""
        return self.lines

    def text(self) -> str:
        """How many there are."""
        return f"{len(self.pins)} pin{'' if len(self.pins) == 1 else 's'}" if self.pins else "no pins"

    def parts(self) -> tuple[Blob, ...]:
        """What they show, in their order."""
        return self.pictures

    def has_page_text(self) -> bool:
        """False: what is the page's is in `lines`, marked."""
        return False


@attrs.frozen(kw_only=True)
class Pins:
    """Show what the person points at in this tab: refs, notes, pictures."""

    dismiss: Annotated[int | None, Meta(description="Take the pin with this number away.")] = None


@command("pins", access=Access.READ, lane=Lane.CONTROL, toolset="tabs", idempotent=True)
async def pins(tab: TabContext, params: Pins) -> PinsAnswer:
    """Show the pins that are left."""
    if params.dismiss is not None:
        tab.pins.dismiss(tab.tab_id, params.dismiss)
    found = await tab.pins.of(tab.client.client_id, tab.tab_id)
    return PinsAnswer(
        pins=[PinFacts(pin=one.pin, ref=one.ref, what=one.what, note=one.note, area=one.area or None) for one in found],
        lines=tuple(map(pin_line, found)),
        pictures=tuple(one.picture for one in found if one.picture is not None),
    )
