"""Which frame a client means by a name."""

from __future__ import annotations

from collections.abc import Sequence

from kapture.errors import ErrorCode, KaptureError
from kapture.page.documents.frame import Frame


def frame_named(name: str, frames: Sequence[Frame]) -> Frame:
    """The one of these frames with this key, or else this name, or else a URL that contains it.

    Raises `ELEMENT_AMBIGUOUS` or `ELEMENT_NOT_FOUND` with the frames that there are. Names and URLs outside the grant
    are not compared: whether one matches would tell what it is.
    """
    keyed = [frame for frame in frames if frame.key == name]
    granted = [frame for frame in frames if frame.granted] if not keyed else []
    for matches in (
        keyed,
        [frame for frame in granted if frame.name == name],
        [frame for frame in granted if frame.parent and name in frame.url],
    ):
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise KaptureError(
                ErrorCode.ELEMENT_AMBIGUOUS,
                f"{len(matches)} frames match {name!r}: {', '.join(frame.key for frame in matches[:10])}.",
                hint="Name the frame by its key.",
                data={"frames": [{"frame": frame.key, "url": frame.url} for frame in matches[:10]]},
            )
    keys = [frame.key for frame in frames if frame.key]
    outside = " Frames outside the grant are named by their keys alone." if len(granted) < len(frames) else ""
    raise KaptureError(
        ErrorCode.ELEMENT_NOT_FOUND,
        f"No frame matches {name!r}.",
        hint=f"Frames on the page: {', '.join(keys[:20])}.{outside}" if keys else "The page has no frames.",
        data={"frames": keys[:20]},
    )
