"""A target, resolved once: which frames to search, the query for their agents, and its name in messages.

A ref contains its frame; a target may name one; all others are searched in every granted frame, and matches are counted
together: one match in any frame is the element, two are ambiguous even in different frames.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs
import trio

from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.page.agent_answers import spell_refs
from kapture.page.agent_functions import FunctionName
from kapture.page.documents.frame import ContextGone, Frame, expect_ref
from kapture.page.documents.frames import FrameTree
from kapture.page.documents.read_gate import FrameNotGranted
from kapture.page.element import Element
from kapture.page.input.mouse import Point
from kapture.page.target import Target, TargetSpec, as_spec

MAX_CANDIDATES = 10
FRAME_PATIENCE_S = 3.0
"""How long one of several searched frames may take to answer."""

_NEVER_GRANTED = "chrome-extension:"
"""Frames of extensions: no person can grant one."""


@attrs.frozen
class Found:
    """The matches for a target in one or several frames: the first ones, how many in all, and, if there are none, the
    closest."""

    elements: Sequence[Element]
    total: int
    near: Sequence[str] = ()


@attrs.frozen(kw_only=True)
class Locator:
    """`frames` are the frames to search, in order; `query` is the target for a frame's agent; `words` name it in
    messages: `role button "Save"`. `point` is set if the target is a point of the tab's viewport."""

    frames: Sequence[Frame]
    query: Mapping[str, Any]
    words: str
    nth: int | None = None
    point: Point | None = None
    target: Mapping[str, Any]
    """As given by the client."""
    outside: Sequence[Frame] = ()
    """Frames that were not searched, because they are outside the grant."""

    async def find_all(self, *, limit: int = MAX_CANDIDATES) -> Found:
        """All matches in all frames, in the order of frames; the first `limit` are described."""
        elements: list[Element] = []
        near: list[str] = []
        total = 0
        for frame, answer in await self.ask("locate", limit=limit):
            elements += [Element.of(frame, match) for match in answer["matches"]]
            total += answer["total"]
            near += [spell_refs(one, frame.ref) for one in answer.get("near", ())]
        return Found(elements[:limit], total, near)

    async def ask(self, function: FunctionName, **args: Any) -> list[tuple[Frame, Mapping[str, Any]]]:
        """The answers of all frames' agents, in order, to a function of this target."""
        args = {"target": self.query, **args}
        answers: dict[Frame, Mapping[str, Any]] = {}

        async def ask(frame: Frame) -> None:
            # A frame that hangs, goes away or leaves the grant must not prevent searching the others.
            alone = len(self.frames) == 1 or frame.parent is None
            with trio.move_on_after(float("inf") if alone else FRAME_PATIENCE_S):
                try:
                    answers[frame] = await frame.call(function, args)
                except (ContextGone, FrameNotGranted):
                    if alone:
                        raise

        if len(self.frames) == 1:
            await ask(self.frames[0])
        else:
            await _all_at_once(ask, self.frames)
        return [(frame, answers[frame]) for frame in self.frames if frame in answers]

    async def find_one(self) -> Element:
        """The only match; `ELEMENT_NOT_FOUND` or `ELEMENT_AMBIGUOUS` otherwise."""
        return self.choose(await self.find_all(limit=max(MAX_CANDIDATES, (self.nth or 0) + 1)))

    def choose(self, found: Found) -> Element:
        """The only match, or the one that `nth` selects."""
        if not found.total:
            raise self.not_found(found.near)
        if self.nth is not None:
            if self.nth < found.total:
                return found.elements[self.nth]
            raise KaptureError(
                ErrorCode.ELEMENT_NOT_FOUND,
                f"{found.total} element{'s match' if found.total > 1 else ' matches'} {self.words}, so there is none"
                f" with nth {self.nth}; nth counts from 0.",
                data={"count": found.total},
            )
        if found.total > 1:
            raise self.ambiguous(found)
        return found.elements[0]

    def ambiguous(self, found: Found) -> KaptureError:
        """`ELEMENT_AMBIGUOUS` with candidates and their refs."""
        shown = found.elements[:MAX_CANDIDATES]
        lines = "; ".join(element.describe() for element in shown)
        more = f"; and {found.total - len(shown)} more" if found.total > len(shown) else ""
        return KaptureError(
            ErrorCode.ELEMENT_AMBIGUOUS,
            f"{found.total} elements match {self.words}: {lines}{more}.",
            hint=Wording("Use the {ref} of the one that is meant.", "Or give {nth}.", "A selector may match it alone."),
            data={"count": found.total, "candidates": [element.as_json() for element in shown]},
        )

    def not_found(self, near: Sequence[str] = ()) -> KaptureError:
        """`ELEMENT_NOT_FOUND` with the closest elements, and the frames that were not searched."""
        where = f" in frame {self.target['frame']}" if "frame" in self.target else ""
        message = f"No element matches {self.words}{where}."
        if near:
            message += f" Closest on the page: {', '.join(near)}."
        hint = ["{Look} to see what is on the page."]
        data: dict[str, Any] = {"target": dict(self.target), "near": list(near)}
        if outside := self.outside[:MAX_CANDIDATES]:
            origins = ", ".join(dict.fromkeys(frame.origin for frame in outside))
            message += f" The frames of {origins} were not searched, because they are outside this tab's grant."
            sites = [frame for frame in outside if not frame.origin.startswith(_NEVER_GRANTED)]
            if sites:
                hint.append(
                    f'If it is in one of them, name the frame in the target ("frame": "{sites[0].key}"): the person is'
                    " asked to allow its site, where they can be; else ask them to add it to the tab's grant."
                )
            data["notSearched"] = [{"frame": frame.key, "origin": frame.origin} for frame in outside]
        return KaptureError(ErrorCode.ELEMENT_NOT_FOUND, message, hint=Wording(*hint), data=data)


def resolve(tree: FrameTree, target: Target) -> Locator:
    """Resolve a target; `POLICY_DENIED` if its frame is outside the grant."""
    spec = as_spec(target)
    query = spec.as_json()
    query.pop("frame", None)
    query.pop("nth", None)
    frames = [tree.main]
    outside: list[Frame] = []
    if spec.ref is not None:
        key, query["ref"] = expect_ref(spec.ref)
        frames = [tree.get(key)]
    elif spec.frame is not None:
        frames = [tree.find(spec.frame)]
    elif spec.x is None:
        frames += [frame for frame in tree.all() if frame.parent and frame.granted and not frame.why_silent]
        outside = [frame for frame in tree.all() if frame.parent and not frame.granted]
    if len(frames) == 1 and (spec.ref or spec.frame or spec.x is not None):
        frames[0].check_granted()
    point = Point(spec.x, spec.y) if spec.x is not None and spec.y is not None else None
    return Locator(
        frames=frames,
        query=query,
        words=target_words(spec),
        nth=spec.nth,
        point=point,
        target=spec.as_json(),
        outside=outside,
    )


def check_named_frames(tree: FrameTree, targets: Iterable[Target]) -> None:
    """Raise `POLICY_DENIED` if one of several targets names a frame outside the grant, for a command that must not
    begin then. Other problems of a target are found when its turn comes."""
    for target in targets:
        try:
            resolve(tree, target)
        except FrameNotGranted:
            raise
        except KaptureError:
            continue


def target_words(spec: TargetSpec) -> str:
    """The target in words: `role button "Save"`."""
    if spec.role is not None:
        return f"role {spec.role}" + (f" {spec.name!r}" if spec.name is not None else "")
    if spec.x is not None:
        return f"the point {spec.x:g}, {spec.y:g}"
    for way in ("ref", "css", "xpath", "text", "label", "testId"):
        if (value := getattr(spec, way)) is not None:
            return f"{way} {value!r}"
    return "the target"


async def _all_at_once(ask: Any, frames: Sequence[Frame]) -> None:
    failures: list[KaptureError] = []

    async def one(frame: Frame) -> None:
        try:
            await ask(frame)
        except KaptureError as error:
            failures.append(error)

    async with trio.open_nursery() as nursery:
        for frame in frames:
            nursery.start_soon(one, frame)
    if failures:
        raise failures[0]
