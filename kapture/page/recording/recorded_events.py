"""What happens on a page while it is recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import attrs

from kapture.page.dialogs import Dialog


@attrs.frozen(kw_only=True)
class CapturedAction:
    """A person's action, as the equivalent command. Ids are unique; a later message may replace the `value` of the
    action with this `id`, or set `secretValue` instead. `secret` is the kind of secret that is typed; such an action
    has no value. `at`: where in the element it was pressed, in CSS pixels from its upper left corner. `onto`: `targets`
    and `element` of what something is dropped on. `replaces`: the id of an action that turned out to be this one.
    `withdrawn`: the action with this `id` turned out to be none. `origin` is that of its document, which `document`
    tells from others; the hub sets both.
    """

    id: str
    command: str = ""
    arguments: dict[str, Any] = attrs.field(factory=dict)
    targets: list[dict[str, Any]] = attrs.field(factory=list)
    element: dict[str, Any] | None = None
    at: list[float] | None = None
    onto: dict[str, Any] | None = None
    secret: str | None = None
    replaces: str | None = None
    withdrawn: bool = False
    value: str | None = None
    secretValue: str | None = attrs.field(default=None, repr=False)  # noqa: N815  as the agent writes it
    origin: str = ""
    document: str = ""


@attrs.frozen(kw_only=True)
class Navigation:
    """The main frame's URL changed. `cause`: the page, by itself or after an action; or the person, with the browser's
    own controls."""

    url: str
    cause: Literal["page", "address", "reload"]
    same_document: bool = False


@attrs.frozen(kw_only=True)
class AnsweredDialog:
    """A dialog that the person has answered. `text` is the answer to a prompt."""

    dialog: Dialog
    accepted: bool
    text: str | None = None


@attrs.frozen(kw_only=True)
class RanCommand:
    """A command that a client has run. `at`, `onto`: see `CapturedAction`. `secret_value` is a secret that is left out
    of the arguments; `origin` is that of the document it was typed into, which `document` tells from others. `click`:
    of a mouse button that is pressed, the click that it becomes if it is released in the same place."""

    command: str
    arguments: Mapping[str, Any]
    targets: Sequence[Mapping[str, Any]] = ()
    element: Mapping[str, Any] | None = None
    at: Sequence[float] | None = None
    onto: Mapping[str, Any] | None = None
    secret: str | None = None
    secret_value: str | None = attrs.field(default=None, repr=False)
    origin: str = ""
    document: str = ""
    click: RanCommand | None = None


@attrs.frozen(kw_only=True)
class OpenedTab:
    """The page has opened a tab, which is connected now."""

    tab_id: str


RecordedEvent: TypeAlias = CapturedAction | Navigation | AnsweredDialog | RanCommand | OpenedTab
