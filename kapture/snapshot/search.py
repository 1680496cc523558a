"""Searches every frame of a page for elements that match a few words."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import attrs
import trio

from kapture.errors import KaptureError
from kapture.page import Page
from kapture.page.agent_answers import spell_refs
from kapture.page.documents.frame import Frame, ref_text
from kapture.page.element import placed
from kapture.snapshot.content import Content, Piece
from kapture.snapshot.node import Node
from kapture.snapshot.notation import head, link_url
from kapture.snapshot.quoting import flat, quote
from kapture.snapshot.take import FRAME_TIMEOUT_MS
from kapture.snapshot.tree import FrameView, Tree, read_part
from kapture.snapshot.wording import Wording

_LINE_CHARS = 2_000


@attrs.frozen(kw_only=True)
class Match:
    """One element: `line` describes it and its position, as the outline would."""

    ref: str
    role: str
    name: str
    line: str


@attrs.frozen(kw_only=True)
class Found:
    """The best matches of `total`; `partial` of those left out match only in part. Similar names if there is no
    match."""

    matches: list[Match]
    total: int
    partial: int
    suggestions: list[str]


async def search(page: Page, arguments: dict[str, Any], limit: int) -> Found:
    """Search all granted frames, the main frame's matches first. `arguments` are those of the agent's `find`."""
    answers: dict[str, dict[str, Any]] = {}
    failures: list[KaptureError] = []
    frames = [frame for frame in page.frames.all() if frame.parent is None or (frame.granted and not frame.why_silent)]

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
    found = [(frame, match) for frame in frames if frame.key in answers for match in answers[frame.key]["matches"]]
    items = await _items({(frame, match["item"]) for frame, match in found[:limit] if "item" in match})
    return Found(
        matches=[_match(frame, match, page.url, items) for frame, match in found[:limit]],
        total=sum(answer["total"] for answer in answers.values()),
        partial=sum(answer["partial"] for answer in answers.values())
        + sum(match.get("part", False) for _, match in found[limit:]),
        suggestions=[
            flat(spell_refs(name, frame.ref))
            for frame in frames
            if frame.key in answers
            for name in answers[frame.key].get("near", ())
        ][:10],
    )


async def _items(wanted: set[tuple[Frame, int]]) -> dict[tuple[Frame, int], Node]:
    """Rows and items with their content, by ref; without those that are gone meanwhile."""
    items: dict[tuple[Frame, int], Node] = {}

    async def read(frame: Frame, number: int) -> None:
        with suppress(KaptureError), trio.move_on_after(FRAME_TIMEOUT_MS / 1000):
            items[frame, number] = (await read_part(frame, number)).root

    async with trio.open_nursery() as nursery:
        for frame, number in wanted:
            nursery.start_soon(read, frame, number)
    return items


def _match(frame: Frame, match: dict[str, Any], base_url: str, items: Mapping[tuple[Frame, int], Node]) -> Match:
    node = Node(
        role=match["role"],
        ref=match["ref"],
        name=match["name"],
        states=match.get("states", {}),
        value=match.get("value"),
        hint=tuple(match["hint"]) if "hint" in match else None,
    )
    context = [flat(around) for around in match["context"]]
    item = items.get((frame, match.get("item", 0)))
    if item is not None:
        # The line shows the row or item itself, so it need not be named as the match's surroundings.
        context = [around for around in context if not around.startswith(f"{item.role} ")]
        line = _item_line(frame.key, item, base_url)
    else:
        line = head(frame.key, node, url=link_url(match.get("url"), base_url))
        if "nth" in match and not frame.key:  # in a target, nth counts over all frames, the main frame first
            line += f" nth={match['nth']}"
        if match.get("text"):
            line += f": {quote(flat(match['text']), 120)}"
    if context:
        line += f", {placed(' > '.join(context))}"
    return Match(ref=ref_text(frame.key, node.ref), role=node.role, name=flat(node.name)[:200], line=line)


def _item_line(frame: str, item: Node, base_url: str) -> str:
    tree = Tree({"": FrameView(key="", root=item)})
    return Wording(Content(tree), _LINE_CHARS, base_url).item_line(Piece(frame, item))
