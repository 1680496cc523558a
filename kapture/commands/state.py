"""What a site keeps in the browser: cookies, storage, permissions."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias, get_args

import attrs
import toons
from msgspec import Meta

from kapture.commands.core.answer import Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import Access, command
from kapture.errors import ErrorCode, KaptureError

MAX_STORAGE_CHARS = 100_000


@attrs.frozen(kw_only=True)
class Cookies:
    """Read, set, delete or clear cookies that the tab's page and its frames are sent."""

    action: Literal["get", "set", "delete", "clear"] = "get"
    name: Annotated[str | None, Meta(description="Cookie to set or delete; get: only this one.")] = None
    value: Annotated[str | None, Meta(description="For set.")] = None
    domain: Annotated[str | None, Meta(description="Default: the page's host only.")] = None
    path: Annotated[str | None, Meta(description="Default: / for set, any for delete.")] = None
    expires: Annotated[float | None, Meta(description="Seconds since the epoch; default: with the session.")] = None
    http_only: bool = False
    secure: Annotated[bool | None, Meta(description="Default: when the page came by https.")] = None
    same_site: Literal["Strict", "Lax", "None"] | None = None


@attrs.frozen(kw_only=True)
class CookieJar(Answer):
    """Cookies read, or how many were changed."""

    action: str
    cookies: list[dict[str, Any]] = attrs.field(factory=list)
    changed: int = 0

    def text(self) -> str:
        """A TOON table of cookies, or one line on what was done."""
        if self.action == "get":
            return toons.dumps({"cookies": self.cookies}) if self.cookies else "no cookies"
        done = {"set": "set", "delete": "deleted", "clear": "cleared"}[self.action]
        return f"{done} {self.changed} cookie{'' if self.changed == 1 else 's'}"


@command("cookies", access=Access.FULL, acts=False, toolset="state", destructive=True)
async def cookies(tab: TabContext, params: Cookies) -> CookieJar:
    """Work on the cookies of the documents that the tab shows and that are granted."""
    if params.action in ("set", "delete") and not params.name:
        raise _needs("name", f"{params.action} a cookie")
    if params.action == "set":
        return await _set_cookie(tab, params)
    found = await _cookies(tab)
    chosen = [
        cookie
        for cookie in found
        if (params.name is None or cookie["name"] == params.name)
        and (params.domain is None or cookie["domain"].lstrip(".") == params.domain.lstrip("."))
        and (params.path is None or cookie["path"] == params.path)
    ]
    if params.action == "get":
        return CookieJar(action="get", cookies=[_shown(cookie) for cookie in chosen])
    session = tab.page.connection.root
    await session.send_all(
        [
            (
                "Network.deleteCookies",
                {
                    **{key: cookie[key] for key in ("name", "domain", "path")},
                    **({"partitionKey": cookie["partitionKey"]} if "partitionKey" in cookie else {}),
                },
            )
            for cookie in chosen
        ]
    )
    return CookieJar(action=params.action, changed=len(chosen))


async def _cookies(tab: TabContext) -> list[dict[str, Any]]:
    urls = list(dict.fromkeys(frame.url for frame in tab.page.frames.all() if frame.granted))
    found = await tab.page.connection.root.send("Network.getCookies", {"urls": [u for u in urls if _is_web(u)]})
    return list(found["cookies"])


async def _set_cookie(tab: TabContext, params: Cookies) -> CookieJar:
    url = tab.page.url
    if not _is_web(url):
        raise KaptureError(
            ErrorCode.INVALID_PARAMS, "This page has no site that could keep a cookie.", hint="Navigate to one first."
        )
    if params.domain is not None and not tab.page.gate(f"https://{params.domain.lstrip('.')}/"):
        raise KaptureError(
            ErrorCode.POLICY_DENIED,
            f"A cookie for {params.domain} would reach sites outside what this tab is granted.",
            hint="Leave domain out, or ask the person to grant that site.",
        )
    cookie: dict[str, Any] = {
        "name": params.name,
        "value": params.value or "",
        "url": url,
        "path": params.path or "/",
        "httpOnly": params.http_only,
        "secure": url.startswith("https:") if params.secure is None else params.secure,
    }
    given = {"domain": params.domain, "expires": params.expires, "sameSite": params.same_site}
    cookie.update({key: value for key, value in given.items() if value is not None})
    answer = await tab.page.connection.root.send("Network.setCookie", cookie)
    if not answer.get("success", True):
        raise KaptureError(
            ErrorCode.EXECUTION_ERROR,
            f"The browser refused the cookie {params.name!r}.",
            hint="Check domain against the page's host, and that same_site None goes with secure.",
        )
    return CookieJar(action="set", changed=1)


def _shown(cookie: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": cookie["name"],
        "value": cookie["value"],
        "domain": cookie["domain"],
        "path": cookie["path"],
        "expires": None if cookie.get("session") else cookie.get("expires"),
        "http_only": cookie.get("httpOnly", False),
        "secure": cookie.get("secure", False),
        "same_site": cookie.get("sameSite", ""),
    }


@attrs.frozen(kw_only=True)
class Storage:
    """Read, set, remove or clear what the page keeps in localStorage or sessionStorage."""

    action: Literal["get", "set", "remove", "clear"] = "get"
    area: Literal["local", "session"] = "local"
    key: Annotated[str | None, Meta(description="get without it: every key.")] = None
    value: Annotated[str | None, Meta(description="For set.")] = None
    frame: Annotated[str | None, Meta(description="Frame whose site is meant: f2, or part of its URL.")] = None


@attrs.frozen(kw_only=True)
class Stored(Answer):
    """Entries read, or how many were changed. `cut` counts characters left out of long values."""

    action: str
    origin: str
    entries: dict[str, str] | None = None
    changed: int = 0
    cut: int = 0

    def text(self) -> str:
        """A line an entry, or one line on what was done."""
        if self.entries is not None:
            lines = [f"{key}: {value}" for key, value in self.entries.items()] or [f"nothing kept for {self.origin}"]
            return "\n".join(lines) + (f"\n({self.cut} characters left out)" if self.cut else "")
        done = {"set": "set", "remove": "removed", "clear": "cleared"}[self.action]
        return f"{done} {self.changed} entr{'y' if self.changed == 1 else 'ies'} of {self.origin}"


@command("storage", access=Access.FULL, toolset="state", destructive=True)
async def storage(tab: TabContext, params: Storage) -> Stored:
    """Work on the storage of one frame's origin."""
    if params.action in ("set", "remove") and params.key is None:
        raise _needs("key", f"{params.action} an entry")
    if params.action == "set" and params.value is None:
        raise _needs("value", "set an entry")
    frame = tab.page.frames.main if params.frame is None else tab.page.frames.find(params.frame)
    found = await frame.call(
        "storage",
        {
            "action": params.action,
            "area": params.area,
            "key": params.key,
            "value": params.value,
            "limit": MAX_STORAGE_CHARS,
        },
    )
    return Stored(
        action=params.action,
        origin=found["origin"],
        entries=found.get("entries"),
        changed=found.get("changed", 0),
        cut=found.get("cut", 0),
    )


PermissionName: TypeAlias = Literal["geolocation", "notifications", "camera", "microphone", "clipboard-read"]


@attrs.frozen(kw_only=True)
class Permissions:
    """Tell what the page's site may use, or set one permission for it."""

    name: Annotated[PermissionName | None, Meta(description="To set; without it all are told.")] = None
    setting: Annotated[Literal["allow", "block", "ask"] | None, Meta(description="ask: as usual.")] = None


@attrs.frozen(kw_only=True)
class PermissionStates(Answer):
    """Each permission as the page sees it: "granted", "denied" or "prompt"."""

    origin: str
    states: dict[str, str]
    changed: PermissionName | None = None

    def text(self) -> str:
        """A line a permission."""
        lines = [f"{name}: {state}" for name, state in self.states.items()]
        if self.changed is not None:
            lines.append(f"(set for {self.origin} in this browser, until {self.changed} is set to ask)")
        return "\n".join(lines)


@command("permissions", access=Access.FULL, toolset="state", idempotent=True)
async def permissions(tab: TabContext, params: Permissions) -> PermissionStates:
    """Ask the page's own Permissions API, after setting what is to be set."""
    if (params.name is None) is not (params.setting is None):
        raise _needs("setting" if params.setting is None else "name", "set a permission")
    if params.name is not None and params.setting is not None:
        await tab.browser.permission(params.name, params.setting)
    names = list(get_args(PermissionName))
    found = await tab.page.frames.main.call("permissionStates", {"names": names})
    return PermissionStates(origin=found["origin"], states=found["states"], changed=params.name)


def _needs(parameter: str, to: str) -> KaptureError:
    return KaptureError(ErrorCode.INVALID_PARAMS, f"To {to}, {parameter} must be given.", data={"missing": parameter})


def _is_web(url: str) -> bool:
    return url.startswith(("http://", "https://"))
