"""Which CDP commands a client may send, by `kapture.cdp.rules` and the documents that they address."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from kapture.cdp.rules import MethodRule, ParamKind, cdp_rules
from kapture.errors import ErrorCode, KaptureError
from kapture.page.network.routes import domain_granted, set_cookie_granted

_ANY_SITE_HINT = (
    "Kapture's own commands leave out what is not granted: use them, or ask the person to connect the tab for any site."
)
# Parameters that name a site or a file, in methods that the table does not list.
_SITES = ("url", "urls", "origin", "storageKey", "securityOrigin", "domain")
_FILES = ("files", "downloadPath")
_SET_COOKIES = ("blockedCookies", "exemptedCookies")
_ARGUMENT = frozenset({"value", "unserializableValue", "objectId"})


class Documents(Protocol):
    """The part of `kapture.page.documents.frames.SessionDocuments` that is needed here."""

    @property
    def any_site(self) -> bool:
        """Whether the tab is granted any site, and policy closes none."""

    @property
    def top_granted(self) -> bool:
        """Whether the outermost document of the session is granted."""

    def covers(self, url: str) -> bool:
        """Whether the grant covers a URL."""

    def frame_granted(self, frame_id: object) -> bool:
        """Whether the document of a frame is granted."""

    def context_granted(self, context: object) -> bool:
        """Whether an execution context is the main world of a granted document."""

    def unique_context(self, context: object | None) -> str | None:
        """The unique id of an execution context, or of the outermost document's main world; None if there is none."""

    def object_granted(self, object_id: object) -> bool:
        """Whether a remote object belongs to the main world of a granted document."""


def check_command(
    method: str, params: Mapping[str, Any], documents: Documents, check_upload: Callable[[Path], Path]
) -> dict[str, Any]:
    """The parameters to send; `POLICY_DENIED` for a command beyond the grant.

    Files must always pass the rules for uploads. On a grant of named sites code is bound to the execution context that
    was checked: a context's number, or none, can mean another document by the time the browser runs it.
    """
    rule = cdp_rules().method(method)
    if rule.level == "never":
        raise KaptureError(
            ErrorCode.POLICY_DENIED,
            f"{method} reaches beyond this tab.",
            hint="Use the commands for tabs: list_tabs, tab_new, tab_close, tab_activate.",
        )
    for path in _strings(params, _FILES):
        check_upload(Path(path))
    if documents.any_site:
        for url in _sites(params):
            if not documents.covers(url):
                raise _outside(method, url)
        return dict(params)
    if rule.named != "client":
        raise KaptureError(
            ErrorCode.POLICY_DENIED,
            f"{method} can reach documents outside the sites that this tab is granted.",
            hint=_ANY_SITE_HINT,
            data={"span": rule.span},
        )
    _check_params(method, params, rule, documents)
    return _bound(method, params, rule, documents)


def visible_result(method: str, result: dict[str, Any], documents: Documents) -> dict[str, Any]:
    """The result without what it reveals about other sites."""
    naming = cdp_rules().method(method).result
    if not naming or documents.any_site:
        return result
    for key, kind in naming.items():
        if kind == "cookies":
            result = {**result, key: [one for one in result.get(key, ()) if cookie_granted(one, documents)]}
    return result


def cookie_granted(cookie: Mapping[str, Any], documents: Documents) -> bool:
    """Whether a cookie belongs to a granted site."""
    return domain_granted(cookie.get("domain"), documents.covers)


def without_other_cookies(method: str, params: dict[str, Any], documents: Documents) -> dict[str, Any]:
    """The headers in an event of a granted request without the cookies of sites that are not granted."""

    def mine(associated: Mapping[str, Any]) -> bool:
        return cookie_granted(associated.get("cookie") or {}, documents)

    match method:
        case "Network.requestWillBeSentExtraInfo":
            cookies = [one for one in params.get("associatedCookies", ()) if mine(one)]
            used = [one["cookie"] for one in cookies if not one.get("blockedReasons")]
            sent = "; ".join(f"{one.get('name')}={one.get('value')}" for one in used)
            return {**params, "associatedCookies": cookies, "headers": _with_cookies(params.get("headers"), sent)}
        case "Network.responseReceivedExtraInfo":
            shown = {key: [one for one in params[key] if mine(one)] for key in _SET_COOKIES if key in params}
            return {**_without_text(params), **shown, "headers": _with_set_cookies(params.get("headers"), documents)}
        case "Network.webSocketWillSendHandshakeRequest":
            request = params["request"]
            return {**params, "request": {**request, "headers": _with_cookies(request.get("headers"), "")}}
        case "Network.webSocketHandshakeResponseReceived":
            response = _without_text(params["response"])
            headers = _with_set_cookies(response.get("headers"), documents)
            sent_headers = {"requestHeaders": _with_cookies(response.get("requestHeaders"), "")}
            return {**params, "response": {**response, **sent_headers, "headers": headers}}
    return params


def _without_text(params: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if name not in ("headersText", "requestHeadersText")}


def _with_cookies(headers: Mapping[str, str] | None, cookies: str) -> dict[str, str]:
    return {name: cookies if name.lower() == "cookie" else value for name, value in (headers or {}).items()}


def _with_set_cookies(headers: Mapping[str, str] | None, documents: Documents) -> dict[str, str]:
    def kept(value: str) -> str:
        return "\n".join(line for line in value.split("\n") if set_cookie_granted(line, documents.covers))

    return {name: kept(value) if name.lower() == "set-cookie" else value for name, value in (headers or {}).items()}


def _check_params(method: str, params: Mapping[str, Any], rule: MethodRule, documents: Documents) -> None:
    allowed = rule.params or {}
    for name in rule.required:
        if not params.get(name):
            raise KaptureError(
                ErrorCode.POLICY_DENIED,
                f"Without {name!r}, {method} also reveals other sites than the granted ones.",
                hint=f"Name what you mean with {name!r}, or ask the person to connect the tab for any site.",
            )
    kinds = {allowed.get(name) for name in params}
    for name, value in params.items():
        kind = allowed.get(name)
        if kind is None or kind == "engine":
            raise KaptureError(
                ErrorCode.POLICY_DENIED,
                f"{name!r} of {method} is not allowed on a tab whose grant names sites.",
                hint=f"Leave it out ({', '.join(allowed) or 'no parameter'} may be given), or ask the person to connect"
                " the tab for any site.",
            )
        if not _granted(kind, value, documents):
            raise _outside(method, value if kind in ("site", "domain") else f"{name} {value!r}")
    if not kinds & {"frame", "context", "object", "site", "domain", "cookies"} and not documents.top_granted:
        raise _outside(method, "the document of its session")


def _bound(method: str, params: Mapping[str, Any], rule: MethodRule, documents: Documents) -> dict[str, Any]:
    """The parameters, with the unique id of the execution context for its number or for none."""
    contexts = [name for name, kind in (rule.params or {}).items() if kind == "context"]
    if not contexts or "objectId" in params:  # a remote object belongs to one document
        return dict(params)
    unique = documents.unique_context(next((params[name] for name in contexts if name in params), None))
    if unique is None:
        raise KaptureError(
            ErrorCode.DETACHED,
            f"{method}: the page has no document in which code can run now.",
            hint="Send it again when the page has loaded.",
        )
    return {**{name: value for name, value in params.items() if name not in contexts}, "uniqueContextId": unique}


def _granted(kind: ParamKind, value: Any, documents: Documents) -> bool:
    match kind:
        case "plain":
            return True
        case "site":
            urls = value if isinstance(value, list) else [value]
            return bool(urls) and all(isinstance(url, str) and documents.covers(url) for url in urls)
        case "domain":
            return domain_granted(value, documents.covers)
        case "cookies":
            return isinstance(value, list) and all(_cookie_param_granted(one, documents) for one in value)
        case "frame":
            return documents.frame_granted(value)
        case "context":
            return documents.context_granted(value)
        case "object":
            return documents.object_granted(value)
        case "arguments":
            return isinstance(value, list) and all(_argument_granted(one, documents) for one in value)
    return False


def _cookie_param_granted(cookie: Any, documents: Documents) -> bool:
    kinds = cdp_rules().method("Network.setCookie").params or {}
    return (
        isinstance(cookie, dict)
        and ("url" in cookie or "domain" in cookie)
        and all(name in kinds and _granted(kinds[name], value, documents) for name, value in cookie.items())
    )


def _argument_granted(argument: Any, documents: Documents) -> bool:
    if not isinstance(argument, dict) or not argument.keys() <= _ARGUMENT:
        return False
    return "objectId" not in argument or documents.object_granted(argument["objectId"])


def _outside(method: str, what: object) -> KaptureError:
    return KaptureError(
        ErrorCode.POLICY_DENIED,
        f"{method} names {str(what)[:200]}, which is outside what this tab is granted.",
        hint="Ask the person to add that site to the tab's grant in the Kapture panel.",
    )


def _sites(params: Mapping[str, Any]) -> Iterator[str]:
    """URLs of the sites that parameters name."""
    for key in _SITES:
        given = params.get(key)
        for one in given if isinstance(given, list) else [given]:
            if not isinstance(one, str) or not one:
                continue
            if key == "domain":
                yield f"https://{one.lstrip('.')}/"
            elif one.startswith(("http://", "https://", "file:")):
                yield one
            elif one.startswith("blob:http"):
                yield one.removeprefix("blob:")


def _strings(value: Any, keys: Iterable[str], named: bool = False) -> Iterator[str]:
    """Every string under one of these keys, at any depth."""
    if isinstance(value, str):
        if named:
            yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _strings(inner, keys, named or key in keys)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner, keys, named)
