"""The overlay of a page while its picture is taken: labels, and covers over what is outside the grant."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from kapture.errors import ErrorCode, KaptureError
from kapture.page import Page
from kapture.snapshot.content import acts
from kapture.snapshot.sent_tree import read_document


async def labels_of(page: Page) -> list[tuple[str, str]]:
    """The refs of actionable elements in view, each with its line for the answer."""
    found: list[tuple[str, str]] = []
    for frame in page.frames.all():
        if not frame.granted:
            continue
        for node in (await read_document(frame)).root.nodes():
            if acts(node) and not node.offscreen:
                ref = frame.ref(node.ref)
                found.append((ref, f'{ref} {node.role} "{node.name}"'))
    return found


def withheld(page: Page) -> set[tuple[str, str]]:
    """Frames whose documents are outside the grant and must not be shown, as pairs of frame and document."""
    return {(frame.id, frame.loader_id) for frame in page.frames.all() if not frame.granted}


@asynccontextmanager
async def overlay(
    page: Page, labels: list[tuple[str, str]], *, whole: bool = False, print_: bool = False
) -> AsyncIterator[set[str]]:
    """Draw labels and covers for the duration of the block; yields the labels that were drawn."""
    frames = [frame for frame in page.frames.all() if frame.granted]
    touched = []
    drawn: set[str] = set()
    try:
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
                raise KaptureError(
                    ErrorCode.POLICY_DENIED,
                    "The page shows a frame outside the grant that cannot be covered.",
                    hint="Read the page with snapshot or get_text instead.",
                )
            drawn |= {numbers[number] for number in answer["drawn"]}
        yield drawn
    finally:
        with trio.CancelScope(shield=True), trio.move_on_after(5):
            for frame in touched:
                await frame.call("erase", {})
