"""Takes snapshots: reads every frame of a page, all at once."""

from __future__ import annotations

import attrs
import trio

from kapture.errors import KaptureError, PolicyDenied
from kapture.page import Page
from kapture.page.documents.frame import Frame, Key
from kapture.snapshot.node import Node
from kapture.snapshot.tree import Covered, FrameView, Problem, Tree, read_document, read_part

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
                left_out=read.left_out,
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


_DIALOGS = frozenset({"dialog", "alertdialog"})
_LAYERS = _DIALOGS | {"menu", "listbox", "tree", "grid"}
_MOST_OF_IT = 0.5


def remembering(old: Tree | None, new: Tree) -> Tree:
    """The new tree to keep: while a layer is open, with what it covers."""
    if old is None or old.main.document != new.main.document:
        return new
    if old.covered is not None and not is_under_another(old, new):
        if not has_closed(old.covered, new):
            return attrs.evolve(new, covered=old.covered)
        return remembering(old.covered.page, new)
    layer = opened_over(old, new)
    return new if layer is None else attrs.evolve(new, covered=Covered(_before(layer, old), layer))


def _before(layer: Key, old: Tree) -> Tree:
    """The page without the layer, which may have been there before it covered the rest."""
    view = old.frames.get(layer[0])
    if view is None or view.root is None or layer not in _keys(old):
        return old
    root = _without(view.root, layer[1])
    return attrs.evolve(old, frames={**old.frames, layer[0]: attrs.evolve(view, root=root)})


def has_closed(covered: Covered, new: Tree) -> bool:
    """Whether the layer is gone, or is only drawn until it has faded: the page behind it is shown again."""
    if new.path(covered.layer) is None:
        return True
    page, now = _keys(covered.page), _keys(new)
    return len(page & now) > _MOST_OF_IT * len(page)


def without_layer(covered: Covered, new: Tree) -> Tree:
    """The new tree without the closed layer, which may be drawn until it has faded."""
    path = new.path(covered.layer)
    if path is None:
        return new
    page = _keys(covered.page)
    frame, top = next(((frame, node) for frame, node in path if (frame, node.ref) not in page), path[-1])
    view = new.frames[frame]
    assert view.root is not None  # noqa: S101  it holds the layer
    return Tree({**new.frames, frame: attrs.evolve(view, root=_without(view.root, top.ref))})


def _without(node: Node, ref: int) -> Node:
    kept = [child for child in node.children if isinstance(child, str) or child.ref != ref]
    return node.with_children(tuple(child if isinstance(child, str) else _without(child, ref) for child in kept))


def is_under_another(old: Tree, new: Tree) -> bool:
    """Whether another layer has opened over the one that covered the old page."""
    if old.covered is None:
        return False
    layer = opened_over(old, new)
    if layer is None or layer in _keys(old.covered.page):
        return False  # a layer that another had covered comes back
    now = _keys(new)
    page, gone = _keys(old.covered.page) - now, _keys(old) - now
    return _behind(new) - len(page) > _MOST_OF_IT * len(gone)


def opened_over(old: Tree, new: Tree) -> Key | None:
    """The dialog or layer that covers most of the old page, having opened or just before; None if there is none."""
    if old == new:
        return None
    were = _keys(old)
    gone = were - _keys(new)
    if len(gone) <= _MOST_OF_IT * len(were):
        return None
    opened = [(frame, node) for frame, node in new.walk() if (frame, node.ref) not in were]
    dialogs = [one for one in opened if one[1].role in _DIALOGS]
    if not dialogs and _behind(new) > _MOST_OF_IT * len(gone):
        dialogs = [one for one in new.walk() if one[1].role in _DIALOGS][-1:]
    if dialogs:
        frame, node = dialogs[0]
    elif opened and _behind(new) > _MOST_OF_IT * len(gone):
        frame, node = next((one for one in opened if one[1].role in _LAYERS), max(opened, key=_size))
    else:
        return None
    return frame, node.ref


def _behind(tree: Tree) -> int:
    return sum(view.behind for view in tree.frames.values())


def _keys(tree: Tree) -> set[Key]:
    return {(frame, node.ref) for frame, node in tree.walk()}


def _size(one: tuple[str, Node]) -> int:
    return sum(1 for _ in one[1].nodes())
