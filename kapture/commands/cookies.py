"""Cookies of a page and its frames."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import attrs
import toons
from msgspec import Meta

from kapture.commands.core.answer import Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.params import missing_parameter
from kapture.commands.core.registry import Access, command
from kapture.errors import ErrorCode, KaptureError
from kapture.page.network.routes import domain_granted


@attrs.frozen(kw_only=True)
class CookieJar(Answer):
    """Cookies read, or how many were changed."""

    action: str
    cookies: list[dict[str, Any]] = attrs.field(factory=list)
    changed: int = 0

    def text(self) -> str:
        """A TOON table of cookies, or one line on what was changed."""
        if self.action == "get":
            return toons.dumps({"cookies": self.cookies}) if self.cookies else "No cookies."
        done = {"set": "set", "delete": "deleted", "clear": "cleared"}[self.action]
        return f"{done} {self.changed} cookie{'' if self.changed == 1 else 's'}"


@attrs.frozen(kw_only=True)
class Cookies:
    """Read, set, delete or clear the cookies of the tab's page and its frames, of granted sites only."""

    action: Literal["get", "set", "delete", "clear"] = "get"
    name: Annotated[str | None, Meta(description="Cookie to set or delete; get: only this one.")] = None
    value: Annotated[str | None, Meta(description="For set.")] = None
    domain: Annotated[str | None, Meta(description="Default: the page's host only.")] = None
    path: Annotated[str | None, Meta(description="Default: / for set, any for delete.")] = None
    expires: Annotated[float | None, Meta(description="Seconds since the epoch; default: with the session.")] = None
    http_only: bool = False
    secure: Annotated[bool | None, Meta(description="Default: whether the page uses https.")] = None
    same_site: Literal["Strict", "Lax", "None"] | None = None


@command("cookies", access=Access.FULL, toolset="state", destructive=True, long=True)
async def cookies(tab: TabContext, params: Cookies) -> CookieJar:
    """Read or change the cookies of granted sites that the tab's documents have."""
    if params.action in ("set", "delete") and not params.name:
        raise missing_parameter("name", f"{params.action} a cookie")
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
    return [cookie for cookie in found["cookies"] if domain_granted(cookie["domain"], tab.page.gate)]


async def _set_cookie(tab: TabContext, params: Cookies) -> CookieJar:
    tab.page.frames.main.check_granted()  # it may have gone elsewhere since the call was admitted
    url = tab.page.url
    if not _is_web(url):
        raise KaptureError(
            ErrorCode.INVALID_PARAMS, "This page cannot have cookies.", hint="Navigate to a web page first."
        )
    if params.domain is not None and not domain_granted(params.domain, tab.page.gate):
        raise KaptureError(
            ErrorCode.POLICY_DENIED,
            f"A cookie for {params.domain} would reach sites outside this tab's grant.",
            hint="Leave domain out, or ask the person to add that site to the tab's grant.",
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
            hint="The domain must match the page's host, and same_site None requires secure.",
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


def _is_web(url: str) -> bool:
    return url.startswith(("http://", "https://"))
