"""Which frame a client means by a name."""

from __future__ import annotations

from collections.abc import Sequence

from kapture.errors import ErrorCode, KaptureError
from kapture.page.documents.frame import Frame


def frame_named(name: str, frames: Sequence[Frame]) -> Frame:
    """The one of these frames with this key, or else this name, or else a URL that contains it.

    Raises `ELEMENT_AMBIGUOUS` or `ELEMENT_NOT_FOUND` with the frames that there are. URLs outside the grant are not
    compared.
    """
    for matches in (
        [frame for frame in frames if frame.key == name],
        [frame for frame in frames if frame.name == name],
        [frame for frame in frames if frame.parent and frame.granted and name in frame.url],
    ):
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise KaptureError(
                ErrorCode.ELEMENT_AMBIGUOUS,
                f"{len(matches)} frames match {name!r}: {', '.join(frame.key for frame in matches[:10])}.",
                hint="Name the frame by its key.",
                data={"frames": [_shown(frame) for frame in matches[:10]]},
            )
    keys = [frame.key for frame in frames if frame.key]
    raise KaptureError(
        ErrorCode.ELEMENT_NOT_FOUND,
        f"No frame matches {name!r}.",
        hint=f"Frames on the page: {', '.join(keys[:20])}." if keys else "The page has no frames.",
        data={"frames": keys[:20]},
    )


def _shown(frame: Frame) -> dict[str, str]:
    return {"frame": frame.key, "url": frame.url if frame.granted else frame.origin}
