"""Takes snapshots: reads every frame of a page, all at once."""

from __future__ import annotations

import attrs
import trio

from kapture.errors import KaptureError, PolicyDenied
from kapture.page import Page
from kapture.page.documents.frame import Frame
from kapture.page.documents.ref import Key
from kapture.snapshot.node import Node
from kapture.snapshot.sent_tree import read_document, read_part
from kapture.snapshot.tree import FrameView, Problem, Tree

FRAME_TIMEOUT_MS = 3_000
"""How long a child frame may take before the snapshot continues without it."""


async def take(page: Page) -> Tree:
    """The tree of the whole page, at one moment as far as frames in several processes allow.

    A frame that is outside the grant, crashed, out of reach, or silent for `FRAME_TIMEOUT_MS` appears in the tree with
    that problem, without content; outside the grant with its origin. For the main frame it is an error.
    """
    return await _read(page, None)


async def take_part(page: Page, root: Key) -> Tree:
    """The tree of one element and of the frames in it, for elements that the whole tree folds away."""
    tree = await _read(page, root)
    frame, _ = root
    if frame == "":
        return tree
    holder = Node(role="document", ref=0, children=(Node(role="iframe", ref=-1, frame=frame),))
    return Tree({**tree.frames, "": attrs.evolve(tree.main, root=holder)})


async def _read(page: Page, root: Key | None) -> Tree:
    views: dict[str, FrameView] = {}
    failures: list[KaptureError] = []
    wanted = "" if root is None else root[0]
    frames = page.frames.all()

    async def read(frame: Frame) -> None:
        number = root[1] if root is not None and frame.key == wanted else None
        try:
            views[frame.key] = await _view(page, frame, number, patient=frame.key == wanted)
        except KaptureError as error:
            failures.append(error)

    if len(frames) == 1:
        await read(frames[0])  # not in a task of its own, which would be scheduled later
    else:
        async with trio.open_nursery() as nursery:
            for frame in frames:
                nursery.start_soon(read, frame)
    if failures:
        raise failures[0]
    ordered = {frame.key: views[frame.key] for frame in frames if frame.key in views}
    return Tree(ordered)


async def _view(page: Page, frame: Frame, number: int | None, *, patient: bool) -> FrameView:
    """One frame, or the element in it with this ref number. `patient`: it was asked for, so its failure is raised."""
    parent = None if frame.parent is None else frame.parent.key
    if not patient and not frame.granted:
        return FrameView(key=frame.key, parent=parent, problem="not granted", origin=frame.origin)
    problem: Problem = "does not answer"
    try:
        with trio.move_on_after(float("inf") if patient else FRAME_TIMEOUT_MS / 1000):
            read = await (read_document(frame) if number is None else read_part(frame, number))
            context = frame.current_context()
            return FrameView(
                key=frame.key,
                parent=parent,
                url=page.url if frame.parent is None else frame.url,
                title=_title(page, read.root) if frame.parent is None else "",
                document=context.context_id if context is not None else "",
                root=read.root,
                held_bytes=read.held_bytes,
                behind=read.behind,
                hidden=read.hidden,
            )
    except KaptureError as error:
        if patient:
            raise
        problem = _problem(frame, error)
    return FrameView(
        key=frame.key, parent=parent, problem=problem, origin=frame.origin if problem == "not granted" else ""
    )


def _title(page: Page, root: Node) -> str:
    return root.name if root.role == "document" and root.name else page.title


def _problem(frame: Frame, error: KaptureError) -> Problem:
    if isinstance(error, PolicyDenied):
        return "not granted"
    return frame.why_silent or ("not loaded" if frame.detached else "does not answer")
