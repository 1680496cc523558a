"""The browser's events about its targets, checked before they are used: whatever is attached to may send anything."""

from __future__ import annotations

import msgspec


class TargetInfo(msgspec.Struct, rename="camel"):
    """`Target.TargetInfo`, as far as it is used."""

    target_id: str
    url: str
    title: str = ""
    subtype: str = ""
    opener_id: str | None = None
    browser_context_id: str | None = None


class AttachedToTarget(msgspec.Struct, rename="camel"):
    """`Target.attachedToTarget`."""

    session_id: str
    target_info: TargetInfo


class DetachedFromTarget(msgspec.Struct, rename="camel"):
    """`Target.detachedFromTarget`."""

    session_id: str


class TargetInfoChanged(msgspec.Struct, rename="camel"):
    """`Target.targetInfoChanged`."""

    target_info: TargetInfo


class TargetDestroyed(msgspec.Struct, rename="camel"):
    """`Target.targetDestroyed`."""

    target_id: str
