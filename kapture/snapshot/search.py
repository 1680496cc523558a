"""Ask every frame of a page for what answers to a few words."""

from __future__ import annotations

from typing import Any

import attrs
import trio

from kapture.errors import KaptureError
from kapture.page import Page
from kapture.page.frame import Frame
from kapture.page.ref import ref_text
from kapture.snapshot.node import Node
from kapture.snapshot.notation import head, link_url
from kapture.snapshot.quoting import flat, quote
from kapture.snapshot.take import FRAME_TIMEOUT_MS


@attrs.frozen(kw_only=True)
class Match:
    """One element: `line` says what it is and where it stands, as the outline would."""

    ref: str
    role: str
    name: str
    line: str


@attrs.frozen(kw_only=True)
class Found:
    """The best matches, how many there are in all, and similar names when there is none."""

    matches: list[Match]
    total: int
    suggestions: list[str]


async def search(page: Page, arguments: dict[str, Any], limit: int) -> Found:
    """Look in all granted frames, the main frame's matches first. `arguments` are those of the agent's `find`."""
    answers: dict[str, dict[str, Any]] = {}
    failures: list[KaptureError] = []
    frames = [frame for frame in page.frames.all() if frame.parent is None or (frame.granted and not frame.crashed)]

    async def ask(frame: Frame) -> None:
        patience = float("inf") if frame.parent is None else FRAME_TIMEOUT_MS / 1000
        try:
            with trio.move_on_after(patience):
                answers[frame.key] = await frame.call("find", {**arguments, "limit": limit})
        except KaptureError as error:
            if frame.parent is None:
                failures.append(error)

    async with trio.open_nursery() as nursery:
        for frame in frames:
            nursery.start_soon(ask, frame)
    if failures:
        raise failures[0]
    found = [
        _match(frame.key, match, page.url)
        for frame in frames
        if frame.key in answers
        for match in answers[frame.key]["matches"]
    ]
    return Found(
        matches=found[:limit],
        total=sum(answer["total"] for answer in answers.values()),
        suggestions=[flat(name) for answer in answers.values() for name in answer.get("near", ())][:10],
    )


def _match(frame: str, match: dict[str, Any], base_url: str) -> Match:
    node = Node(
        role=match["role"],
        ref=match["ref"],
        name=match["name"],
        states=match.get("states", {}),
        value=match.get("value"),
    )
    line = head(frame, node, url=link_url(match.get("url"), base_url))
    if match.get("text"):
        line += f": {quote(flat(match['text']), 120)}"
    if match["context"]:
        line += f", in {' > '.join(flat(place) for place in match['context'])}"
    return Match(ref=ref_text(frame, node.ref), role=node.role, name=flat(node.name)[:200], line=line)
