"""From a `Target` to elements, across all frames of a tab.

A ref says its frame; a target may name one; all others are looked for in every granted frame, and what is found
counts together: one match anywhere is the element, two are ambiguous wherever they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import trio

from kapture.errors import ErrorCode, KaptureError
from kapture.page.element import Element
from kapture.page.execution_context import ContextGone
from kapture.page.frame import Frame
from kapture.page.frames import FrameTree
from kapture.page.ref import expect_ref
from kapture.page.target import Target, TargetSpec, as_spec

MAX_CANDIDATES = 10
FRAME_PATIENCE_S = 3.0
"""How long a frame that is searched among others may take to answer."""


@attrs.frozen
class Found:
    """What one or several frames hold for a target: the first matches, how many in all, and, when there is none,
    what comes close."""

    elements: Sequence[Element]
    total: int
    near: Sequence[str] = ()


def frames_for(tree: FrameTree, spec: TargetSpec) -> list[Frame]:
    """The frames to look in, in order. `POLICY_DENIED` when the one that is meant is outside the grant."""
    if spec.ref is not None:
        frames = [tree.get(expect_ref(spec.ref)[0])]
    elif spec.frame is not None:
        frames = [tree.find(spec.frame)]
    elif spec.x is not None:
        frames = [tree.main]
    else:
        return [tree.main, *(frame for frame in tree.all() if frame.parent and frame.granted and not frame.crashed)]
    frames[0].check_granted()
    return frames


def agent_target(spec: TargetSpec) -> dict[str, Any]:
    """The target for one frame's agent: refs as numbers, the frame left out."""
    target = spec.as_json()
    target.pop("frame", None)
    target.pop("nth", None)
    if spec.ref is not None:
        target["ref"] = expect_ref(spec.ref)[1]
    return target


async def find_all(tree: FrameTree, target: Target, *, limit: int = MAX_CANDIDATES) -> Found:
    """Every match in every frame, in the order of frames, the first `limit` described."""
    spec = as_spec(target)
    frames = frames_for(tree, spec)
    args = {"target": agent_target(spec), "limit": limit}
    answers: dict[Frame, Mapping[str, Any]] = {}

    async def ask(frame: Frame) -> None:
        # One frame that hangs or goes away must not keep the others from being searched.
        alone = len(frames) == 1 or frame.parent is None
        with trio.move_on_after(float("inf") if alone else FRAME_PATIENCE_S):
            try:
                answers[frame] = await frame.call("locate", args)
            except ContextGone:
                if alone:
                    raise

    if len(frames) == 1:
        await ask(frames[0])
    else:
        await _all_at_once(ask, frames)
    elements: list[Element] = []
    near: list[str] = []
    total = 0
    for frame in frames:
        if answer := answers.get(frame):
            elements += [Element.of(frame, told) for told in answer["matches"]]
            total += answer["total"]
            near += answer.get("near", ())
    return Found(elements[:limit], total, near)


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


async def find_one(tree: FrameTree, target: Target) -> Element:
    """The one match; `ELEMENT_NOT_FOUND` or `ELEMENT_AMBIGUOUS` otherwise."""
    spec = as_spec(target)
    limit = MAX_CANDIDATES if spec.nth is None else spec.nth + 1
    return choose(spec, await find_all(tree, spec, limit=max(limit, MAX_CANDIDATES)))


def choose(spec: TargetSpec, found: Found) -> Element:
    """The one that is meant."""
    if not found.total:
        raise not_found(spec, found.near)
    if spec.nth is not None:
        if spec.nth < found.total:
            return found.elements[spec.nth]
        raise KaptureError(
            ErrorCode.ELEMENT_NOT_FOUND,
            f"{found.total} element{'s match' if found.total > 1 else ' matches'} {say(spec)}, so there is none"
            f" with nth {spec.nth}; nth counts from 0.",
            data={"count": found.total},
        )
    if found.total > 1:
        raise ambiguous(spec, found)
    return found.elements[0]


def ambiguous(spec: TargetSpec, found: Found) -> KaptureError:
    """`ELEMENT_AMBIGUOUS` with candidates and their refs."""
    shown = found.elements[:MAX_CANDIDATES]
    lines = "; ".join(element.describe() for element in shown)
    more = f"; and {found.total - len(shown)} more" if found.total > len(shown) else ""
    return KaptureError(
        ErrorCode.ELEMENT_AMBIGUOUS,
        f"{found.total} elements match {say(spec)}: {lines}{more}.",
        hint="Use the ref of the one that is meant, or nth.",
        data={"count": found.total, "candidates": [element.as_json() for element in shown]},
    )


def not_found(spec: TargetSpec, near: Sequence[str] = ()) -> KaptureError:
    """`ELEMENT_NOT_FOUND` with what comes close."""
    where = f" in frame {spec.frame}" if spec.frame else ""
    return KaptureError(
        ErrorCode.ELEMENT_NOT_FOUND,
        f"No element matches {say(spec)}{where}.",
        hint=f"Closest on the page: {', '.join(near)}." if near else "Take a snapshot to see what is on the page.",
        data={"target": spec.as_json(), "near": list(near)},
    )


def say(spec: TargetSpec) -> str:
    """The target in words: `role button "Save"`."""
    if spec.role is not None:
        return f"role {spec.role}" + (f" {spec.name!r}" if spec.name is not None else "")
    if spec.x is not None:
        return f"the point {spec.x:g}, {spec.y:g}"
    for way in ("ref", "css", "xpath", "text", "label", "testId"):
        if (value := getattr(spec, way)) is not None:
            return f"{way} {value!r}"
    return "the target"
