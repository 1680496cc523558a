"""Emulation of devices, media settings, locales and locations."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from typing import Annotated, Any, Literal, TypeAlias
from weakref import WeakKeyDictionary

import attrs
from msgspec import UNSET, Meta, UnsetType

from kapture.cdp import CdpError, CdpSession, PendingReply
from kapture.commands.core.answer import Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import Access, command
from kapture.errors import Detached, ErrorCode, ExecutionFailed, KaptureError
from kapture.page import Page


@attrs.frozen(kw_only=True)
class Geolocation:
    """Degrees, and metres of accuracy."""

    latitude: Annotated[float, Meta(ge=-90, le=90)]
    longitude: Annotated[float, Meta(ge=-180, le=180)]
    accuracy: Annotated[float, Meta(ge=0)] = 10.0


@attrs.frozen(kw_only=True)
class Emulated(Answer):
    """Everything that is emulated now."""

    viewport: tuple[int, int] | None = None
    device_scale: float | None = None
    mobile: bool = False
    touch: bool = False
    color_scheme: str | None = None
    reduced_motion: bool = False
    media: str | None = None
    locale: str | None = None
    timezone: str | None = None
    geolocation: Geolocation | None = None
    user_agent: str | None = None
    cpu_slowdown: float = 1.0

    def text(self) -> str:
        """Only what differs from the browser's own."""
        nothing = Emulated()
        parts = []
        for field in attrs.fields(Emulated):
            value = getattr(self, field.name)
            if value == getattr(nothing, field.name):
                continue
            if field.name == "viewport":
                value = "{}x{}".format(*value)
            elif field.name == "geolocation":
                value = f"{value.latitude:g}, {value.longitude:g}"
            parts.append(f"{field.name} {value}" if value is not True else field.name)
        return f"emulating {', '.join(parts)}" if parts else "Nothing is emulated."


@attrs.frozen(kw_only=True)
class Viewport:
    """Size in CSS pixels."""

    width: Annotated[int, Meta(ge=1, le=10_000)]
    height: Annotated[int, Meta(ge=1, le=10_000)]


Calls: TypeAlias = list[tuple[str, dict[str, Any]]]
Device = Literal["phone", "tablet", "laptop", "desktop"]
_METRICS = ("viewport", "device_scale", "mobile")
_IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/18.0 Mobile/15E148 Safari/604.1"
)
_IPAD = _IPHONE.replace("iPhone; CPU iPhone OS", "iPad; CPU OS")
_DEVICES: Mapping[Device, dict[str, Any]] = {
    "phone": {"viewport": (390, 844), "device_scale": 3.0, "mobile": True, "touch": True, "user_agent": _IPHONE},
    "tablet": {"viewport": (820, 1180), "device_scale": 2.0, "mobile": True, "touch": True, "user_agent": _IPAD},
    "laptop": {"viewport": (1366, 768), "device_scale": 1.0, "mobile": False, "touch": False, "user_agent": None},
    "desktop": {"viewport": (1920, 1080), "device_scale": 1.0, "mobile": False, "touch": False, "user_agent": None},
}


@attrs.frozen(kw_only=True)
class Emulate:
    """Emulate a device, media settings, locale or location until reset. Parameters left out keep their values."""

    device: Annotated[Device | UnsetType, Meta(description="Sets viewport, scale, touch and user agent at once.")] = (
        UNSET
    )
    viewport: Viewport | UnsetType | None = UNSET
    device_scale: Annotated[float, Meta(gt=0, le=10)] | UnsetType | None = UNSET
    mobile: Annotated[bool | UnsetType, Meta(description="Mobile layout of the viewport.")] = UNSET
    touch: bool | UnsetType = UNSET
    color_scheme: Literal["light", "dark"] | UnsetType | None = UNSET
    reduced_motion: bool | UnsetType = UNSET
    media: Literal["screen", "print"] | UnsetType | None = UNSET
    locale: Annotated[str, Meta(max_length=100, description="Such as de-DE.")] | UnsetType | None = UNSET
    timezone: Annotated[str, Meta(max_length=100, description="Such as Europe/Berlin.")] | UnsetType | None = UNSET
    geolocation: Geolocation | UnsetType | None = UNSET
    user_agent: Annotated[str, Meta(max_length=2_000)] | UnsetType | None = UNSET
    cpu_slowdown: Annotated[float, Meta(ge=1, le=100)] | UnsetType = UNSET
    reset: Annotated[bool, Meta(description="Undo everything first.")] = False


@attrs.define(eq=False)
class _Emulation:
    """The emulation of one page. `user_agent` is the browser's own; `own` is what the page last said of its viewport
    without a device."""

    user_agent: str
    now: Emulated = attrs.field(factory=Emulated)
    own: Mapping[str, Any] = attrs.field(factory=dict)


_emulations: WeakKeyDictionary[Page, _Emulation] = WeakKeyDictionary()


def is_emulated(page: Page) -> bool:
    """Whether anything is emulated for the page."""
    return (emulation := _emulations.get(page)) is not None and emulation.now != Emulated()


@command("emulate", access=Access.FULL, toolset="state", acts=True, idempotent=True)
async def emulate(tab: TabContext, params: Emulate) -> Emulated:
    """Change the tab's emulation; sessions of frames that attach later get it too."""
    page = tab.page
    emulation = _emulations.get(page)
    if emulation is None:
        own = await page.frames.main.call("userAgent")
        emulation = _emulations[page] = _Emulation(own)
        page.on_session(_for_new_sessions(page, emulation))
    wanted = _wanted(Emulated() if params.reset else emulation.now, params)
    await _check_known(page, wanted)
    resizes = any(getattr(wanted, part) != getattr(emulation.now, part) for part in _METRICS)
    before = emulation.now
    was = await page.frames.main.call("documentState") if resizes else None
    if was is not None and not any(getattr(before, part) != getattr(Emulated(), part) for part in _METRICS):
        emulation.own = was
    try:
        await _change(page, emulation, wanted)
    except CdpError as error:
        if emulation.now is wanted:  # undo what was accepted before the error, so that nothing is half done
            with suppress(ExecutionFailed, Detached):
                await _change(page, emulation, before)
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"The browser refused these settings: {error.reason}.",
            hint="Nothing was changed.",
            data=error.data,
        ) from error
    if was is not None:  # wait for the page's new layout
        await page.frames.main.call("viewportChange", {"was": was, **_effects(before, wanted, was, emulation.own)})
    return wanted


def end_emulation(page: Page) -> None:
    """End what is emulated at once, without waiting: the grant does not cover it any more."""
    if (emulation := _emulations.get(page)) is not None:
        _submit(page, emulation, Emulated())


async def _change(page: Page, emulation: _Emulation, wanted: Emulated) -> None:
    """Send the changes to all sessions; raises what the tab's own refuses."""
    own, others = _submit(page, emulation, wanted)
    for reply in own:
        await reply.wait()
    await _wait_leniently(others)


def _submit(page: Page, emulation: _Emulation, wanted: Emulated) -> tuple[list[PendingReply], list[PendingReply]]:
    """Send the changes to all sessions without waiting, and note them: they may be in force from now on, whether or not
    somebody still waits for the replies. Returns those of the tab's own session, and those of the others."""
    was, emulation.now = emulation.now, wanted
    metrics = _changes(Emulated(), wanted, emulation.user_agent, root=True)
    page.device_metrics = next((given for name, given in metrics if name.endswith("setDeviceMetricsOverride")), None)
    own: list[PendingReply] = []
    others: list[PendingReply] = []
    for session in page.sessions:
        is_root = session is page.connection.root
        replies = own if is_root else others
        for method, params in _changes(was, wanted, emulation.user_agent, root=is_root):
            replies.append(session.submit(method, params))
    return own, others


def _effects(before: Emulated, after: Emulated, was: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, bool]:
    """Whether a change gives the page a new size, and a new scale: it gets them one after the other."""
    size, scale = after.viewport or own["viewport"], after.device_scale or own["deviceScale"]
    return {
        "size": after.viewport != before.viewport and [*size] != was["viewport"],
        "scale": after.device_scale != before.device_scale and scale != was["deviceScale"],
    }


async def _wait_leniently(replies: Iterable[PendingReply]) -> None:
    """Wait for replies, ignoring the errors of frames in a process that has been configured already."""
    for reply in replies:
        with suppress(ExecutionFailed, Detached):
            await reply.wait()


def _for_new_sessions(page: Page, emulation: _Emulation) -> Callable[[CdpSession], Awaitable[None]]:
    """An observer that configures the sessions of frames that attach later."""
    root = page.connection.root

    async def configure(session: CdpSession) -> None:
        if session is not root:
            calls = _changes(Emulated(), emulation.now, emulation.user_agent, root=False)
            await _wait_leniently([session.submit(method, params) for method, params in calls])

    return configure


async def _check_known(page: Page, wanted: Emulated) -> None:
    """Check names: the browser accepts any time zone, and uses UTC for an unknown one; Chromium 150 any locale too."""
    names = {"timezone": wanted.timezone or None, "locale": wanted.locale or None}
    knows = await page.frames.main.call("knowsLocale", names) if any(names.values()) else {}
    for parameter, what, example in (("timezone", "time zone", "Europe/Berlin"), ("locale", "locale", "de-DE")):
        if not knows.get(parameter, True):
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"The browser does not know the {what} {names[parameter]!r}.",
                hint=f"Names look like {example}. Nothing was changed.",
                data={"parameter": parameter},
            )


def _wanted(now: Emulated, params: Emulate) -> Emulated:
    changes: dict[str, Any] = {}
    if params.device is not UNSET:
        changes.update(_DEVICES[params.device])
    for field in attrs.fields(Emulated):
        value = getattr(params, field.name)
        if value is UNSET:
            continue
        if isinstance(value, Viewport):
            value = (value.width, value.height)
        changes[field.name] = value
    return attrs.evolve(now, **changes)


def _changes(before: Emulated, after: Emulated, own_agent: str, *, root: bool) -> Calls:
    """The CDP calls that change one state to the other. Metrics and location are for the tab's root session only."""
    calls: Calls = []

    def differs(*names: str) -> bool:
        return any(getattr(before, name) != getattr(after, name) for name in names)

    if root and differs(*_METRICS):
        if after.viewport is None and after.device_scale is None and not after.mobile:
            calls.append(("Emulation.clearDeviceMetricsOverride", {}))
        else:
            width, height = after.viewport or (0, 0)  # 0: the window's size
            calls.append(
                (
                    "Emulation.setDeviceMetricsOverride",
                    {
                        "width": width,
                        "height": height,
                        "deviceScaleFactor": after.device_scale or 0,
                        "mobile": after.mobile,
                    },
                )
            )
    if differs("touch"):
        calls.append(("Emulation.setTouchEmulationEnabled", {"enabled": after.touch}))
    if differs("color_scheme", "reduced_motion", "media"):
        values = {
            "prefers-color-scheme": after.color_scheme,
            "prefers-reduced-motion": "reduce" if after.reduced_motion else None,
        }
        features = [{"name": name, "value": value} for name, value in values.items() if value]
        calls.append(("Emulation.setEmulatedMedia", {"media": after.media or "", "features": features}))
    if differs("locale"):
        calls.append(("Emulation.setLocaleOverride", {"locale": after.locale} if after.locale else {}))
    if differs("timezone"):
        calls.append(("Emulation.setTimezoneOverride", {"timezoneId": after.timezone or ""}))
    if differs("locale", "user_agent"):
        agent = after.user_agent or (own_agent if after.locale else "")
        override = {"userAgent": agent, **({"acceptLanguage": after.locale} if after.locale else {})}
        calls.append(("Emulation.setUserAgentOverride", override))
    if root and differs("geolocation"):
        if after.geolocation is None:
            calls.append(("Emulation.clearGeolocationOverride", {}))
        else:
            calls.append(("Emulation.setGeolocationOverride", attrs.asdict(after.geolocation)))
    if root and differs("cpu_slowdown"):
        calls.append(("Emulation.setCPUThrottlingRate", {"rate": after.cpu_slowdown}))
    return calls
