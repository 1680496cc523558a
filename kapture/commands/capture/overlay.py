"""The overlay of a page while its picture is taken: labels, and covers over what is outside the grant."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress

import trio

from kapture.errors import Detached, DialogOpen, ErrorCode, KaptureError, Wording
from kapture.page import Page
from kapture.page.documents.frame import Frame
from kapture.page.documents.read_gate import EVERY_SITE, NOBODY
from kapture.snapshot.content import acts
from kapture.snapshot.notation import named
from kapture.snapshot.sent_tree import read_document

_COVERS_WITHIN_S = 3.0


async def labels_of(page: Page) -> list[tuple[str, str]]:
    """The refs of actionable elements in view, each with its line for the answer."""
    found: list[tuple[str, str]] = []
    for frame in page.frames.all():
        if not frame.granted or (frame.parent and frame.why_silent):
            continue
        for node in (await read_document(frame)).root.nodes():
            if acts(node) and not node.offscreen:
                ref = frame.ref(node.ref)
                found.append((ref, f"{ref} {named(node)}"))
    return found


def withheld(page: Page) -> set[tuple[str, str]]:
    """Frames whose documents are outside the grant and must not be shown, as pairs of frame and document."""
    return {(frame.id, frame.loader_id) for frame in page.frames.all() if not frame.granted}


@contextmanager
def withheld_during(page: Page) -> Iterator[set[tuple[str, str]]]:
    """At the end of the block, the set holds what `withheld` would have held at any moment of it."""
    found = withheld(page)
    with page.frames.notes.during() as notes:
        yield found
    any_site = page.gate(EVERY_SITE)
    found |= {(frame, loader) for frame, loader, url in notes if not (page.gate(url) or (any_site and url == NOBODY))}
    found |= withheld(page)


@asynccontextmanager
async def overlay(
    page: Page, labels: list[tuple[str, str]], *, whole: bool = False, print_: bool = False
) -> AsyncIterator[set[str]]:
    """Draw labels and covers for the duration of the block; yields the labels that were drawn.

    A frame outside the grant is hidden by the page around it, and covered by its own document, which the scripts of
    that page cannot reach.
    """
    outside = [frame for frame in page.frames.all() if not frame.granted and frame.why_silent != "crashed"]
    frames = [frame for frame in page.frames.all() if frame.granted]
    touched = []
    drawn: set[str] = set()
    try:
        if uncovered := await _veil(outside):
            raise _cannot_be_covered(uncovered)
        for frame in frames:
            numbers = {int(ref.rpartition("e")[2]): ref for ref, _ in labels if ref.rpartition("e")[0] == frame.key}
            covers = [child.key for child in frame.children if not child.granted]
            if not numbers and not covers:
                continue
            touched.append(frame)
            answer = await frame.call(
                "draw",
                {
                    "labels": [{"ref": number, "text": ref} for number, ref in numbers.items()],
                    "covers": covers,
                    "whole": whole,
                    "print": print_,
                },
            )
            if answer["uncovered"]:
                raise _cannot_be_covered([frame for frame in outside if frame.key in answer["uncovered"]])
            drawn |= {numbers[number] for number in answer["drawn"]}
        yield drawn
    finally:
        with trio.CancelScope(shield=True), trio.move_on_after(5):
            try:
                await _erase(touched)
            finally:
                for frame in outside:
                    with suppress(KaptureError):  # it is gone, or shows itself after a minute
                        await frame.call("unveil")


async def _erase(touched: Sequence[Frame]) -> None:
    """Take away what was drawn in these frames: in all of them, also when the document of one is gone. Raises its error
    then."""
    first: KaptureError | None = None
    for frame in touched:
        try:
            await frame.call("erase", {})
        except KaptureError as error:
            first = first or error
    if first is not None:
        raise first


async def _veil(outside: Sequence[Frame]) -> list[Frame]:
    """Have these documents cover themselves; returns those that did not in time."""
    uncovered = list(outside)

    async def veil(frame: Frame) -> None:
        if frame.why_silent:
            return
        try:
            if not (await frame.call("veil"))["veiled"]:
                return
        except (Detached, DialogOpen):
            pass  # it is gone, or blocked by a dialog: then no picture of it is taken
        except KaptureError:
            return
        uncovered.remove(frame)

    with trio.move_on_after(_COVERS_WITHIN_S):
        async with trio.open_nursery() as nursery:
            for frame in outside:
                nursery.start_soon(veil, frame)
    return uncovered


def _cannot_be_covered(frames: Iterable[Frame]) -> KaptureError:
    keys = ", ".join(frame.key for frame in frames)
    return KaptureError(
        ErrorCode.POLICY_DENIED,
        f"The page shows a frame outside the grant that cannot be covered ({keys}).",
        hint=Wording("{Look} instead."),
    )
