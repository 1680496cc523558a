"""The methods that the hub answers itself, in place of the browser.

Methods that affect a whole browser are answered for the connected tabs, or refused with the reason and what to do
instead: the rest of the browser is private to the person.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeAlias

from kapture.cdp.target_filter import filter_of, passes
from kapture.endpoints.cdp.attachments import Attachments
from kapture.endpoints.cdp.downloads import ScriptDownloads
from kapture.endpoints.cdp.messages import BROWSER_TARGET_ID, PageTarget, browser_info
from kapture.endpoints.cdp.shown_tabs import ShownTabs
from kapture.errors import ErrorCode, KaptureError, PolicyDenied
from kapture.hub import Client, Hub

Json: TypeAlias = dict[str, Any]

_REFUSED = {
    "Target.createBrowserContext": "Tabs that a person has connected are in one browser context: use the default one.",
    "Target.disposeBrowserContext": "The browser context is the person's own, and stays.",
    "Target.exposeDevToolsProtocol": "No page may drive the browser.",
    "Target.sendMessageToTarget": "Use flat sessions: Target.attachToTarget with flatten: true.",
    "Target.autoAttachRelated": "Use Target.setAutoAttach.",
    "Browser.grantPermissions": "Use Kapture's command permissions for the tab's own site.",
    "Browser.setPermission": "Use Kapture's command permissions for the tab's own site.",
    "Browser.resetPermissions": "Permissions of other sites are the person's own.",
    "Browser.getWindowForTarget": "The window is the person's own. For the page: Emulation.setDeviceMetricsOverride.",
    "Storage.clearCookies": "It would sign the person out everywhere. Delete single ones: Network.deleteCookies.",
    "Tracing.start": "Start it on the session of a page.",
}
_UNANSWERED = "It reaches beyond the connected tabs, and they are all that a script can use through Kapture."


class Connection(Protocol):
    """The part of the script's connection that the methods need."""

    hub: Hub
    client: Client
    shown: ShownTabs
    attachments: Attachments
    downloads: ScriptDownloads
    discovering: dict[str | None, Any]

    def show_targets(self, session_id: str | None) -> None:
        """Announce every target on a session that discovers targets."""

    async def target_of(self, tab_id: str) -> PageTarget:
        """The target of a tab that was just opened, once it is shown to the script."""

    def leave(self) -> None:
        """End the connection."""


class BrowserMethods:
    """The methods, by name."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._methods: Mapping[str, Callable[[Json, str | None], Awaitable[Json]]] = {
            "Browser.getVersion": self._version,
            "Browser.setDownloadBehavior": self._download_behavior,
            "Page.setDownloadBehavior": self._download_behavior_of_page,
            "Browser.cancelDownload": self._cancel_download,
            "Browser.close": self._close,
            "Target.setDiscoverTargets": self._discover,
            "Target.setAutoAttach": self._auto_attach,
            "Target.getTargets": self._targets,
            "Target.getTargetInfo": self._target_info,
            "Target.getBrowserContexts": self._contexts,
            "Target.attachToTarget": self._attach,
            "Target.attachToBrowserTarget": self._attach_to_browser,
            "Target.detachFromTarget": self._detach,
            "Target.createTarget": self._create,
            "Target.closeTarget": self._close_target,
            "Target.activateTarget": self._activate,
            "Target.setRemoteLocations": self._nothing,
            "Storage.getCookies": self._cookies,
            "Storage.setCookies": self._set_cookies,
        }

    async def run(self, method: str, params: Json, session_id: str | None) -> Json:
        """Run one method for a session (None: the browser's own); raises `KaptureError` if it is refused."""
        known = self._methods.get(method)
        if known is not None:
            return await known(params, session_id)
        raise KaptureError(
            ErrorCode.POLICY_DENIED, f"{method} is not available here.", hint=_REFUSED.get(method, _UNANSWERED)
        )

    async def _nothing(self, params: Json, session_id: str | None) -> Json:
        return {}

    async def _version(self, params: Json, session_id: str | None) -> Json:
        return version(self._connection.hub, self._connection.client)

    async def _download_behavior(self, params: Json, session_id: str | None, *, by_library: bool = True) -> Json:
        connection = self._connection
        files = connection.hub.state.consent.policy.files()
        connection.downloads.set_behavior(params, session_id, files, by_library=by_library)
        return {}

    async def _download_behavior_of_page(self, params: Json, session_id: str | None) -> Json:
        return await self._download_behavior(params, session_id, by_library=False)

    async def _cancel_download(self, params: Json, session_id: str | None) -> Json:
        self._connection.downloads.cancel(params.get("guid"))
        return {}

    async def _close(self, params: Json, session_id: str | None) -> Json:
        """Disconnect the script: the browser is the person's, and stays open."""
        self._connection.leave()
        return {}

    async def _discover(self, params: Json, session_id: str | None) -> Json:
        discovering = self._connection.discovering
        if params.get("discover"):
            discovering[session_id] = filter_of(params)
            self._connection.show_targets(session_id)
        else:
            discovering.pop(session_id, None)
        return {}

    async def _auto_attach(self, params: Json, session_id: str | None) -> Json:
        attachments = self._connection.attachments
        if not params.get("autoAttach"):
            attachments.stop_auto_attach(session_id)
            return {}
        if not params.get("flatten"):
            raise KaptureError(ErrorCode.INVALID_PARAMS, "Only flat sessions are supported.", hint="Set flatten: true.")
        waits = params.get("waitForDebuggerOnStart") is True
        targets = list(self._connection.shown.targets.values())
        await attachments.auto_attach(session_id, filter_of(params), targets, waits=waits)
        return {}

    async def _targets(self, params: Json, session_id: str | None) -> Json:
        shown = self._connection.shown.targets.values()
        filters = filter_of(params) or [{"type": "tab", "exclude": True}, {}]
        infos = [
            target.info(kind, attached=self._connection.attachments.attached(target.id_of(kind)))
            for target in shown
            for kind in ("tab", "page")
            if passes(filters, kind)
        ]
        return {"targetInfos": infos}

    async def _target_info(self, params: Json, session_id: str | None) -> Json:
        target_id = params.get("targetId", BROWSER_TARGET_ID)
        if target_id == BROWSER_TARGET_ID:
            return {"targetInfo": browser_info()}
        target, kind = self._find(target_id)
        return {"targetInfo": target.info(kind, attached=self._connection.attachments.attached(target_id))}

    async def _contexts(self, params: Json, session_id: str | None) -> Json:
        return {"browserContextIds": []}  # the default context is in no such list

    async def _attach(self, params: Json, session_id: str | None) -> Json:
        if not params.get("flatten"):
            raise KaptureError(ErrorCode.INVALID_PARAMS, "Only flat sessions are supported.", hint="Set flatten: true.")
        if params.get("targetId") == BROWSER_TARGET_ID:
            return await self._attach_to_browser(params, session_id)
        target, kind = self._find(params.get("targetId"))
        return {"sessionId": await self._connection.attachments.attach(target, kind, session_id, wait=False)}

    async def _attach_to_browser(self, params: Json, session_id: str | None) -> Json:
        return {"sessionId": self._connection.attachments.attach_to_browser(session_id)}

    async def _detach(self, params: Json, session_id: str | None) -> Json:
        if not self._connection.attachments.detach(str(params.get("sessionId", session_id))):
            raise KaptureError(ErrorCode.INVALID_PARAMS, "No session with given id.")
        return {}

    async def _create(self, params: Json, session_id: str | None) -> Json:
        tab_id = await self._tab_new(str(params.get("url") or "about:blank"), active=not params.get("background"))
        return {"targetId": (await self._connection.target_of(tab_id)).target_id}

    async def _tab_new(self, url: str, *, active: bool) -> str:
        """Open a tab with the grant of one that the script holds, or else of any that it sees."""
        connection = self._connection
        arguments = {"url": url, "active": active}
        held = connection.attachments.any_held()
        if held is not None and held.hold is not None:
            answer = await held.hold.run("tab_new", arguments)
        else:
            beside = next(iter(connection.shown.targets.values()), None)
            if beside is None:
                raise KaptureError(
                    ErrorCode.NO_BACKEND,
                    "No connected tab is granted full, and a new one is opened with the grant of another.",
                    hint="Ask the person to connect a tab with the level full.",
                )
            answer = await connection.hub.call(connection.client, "tab_new", {**arguments, "tabId": beside.tab_id})
        return str(answer.data["tabId"])

    async def _close_target(self, params: Json, session_id: str | None) -> Json:
        await self._run_on(params, "tab_close")
        return {"success": True}

    async def _activate(self, params: Json, session_id: str | None) -> Json:
        await self._run_on(params, "tab_activate")
        return {}

    async def _run_on(self, params: Json, command: str) -> None:
        target, _ = self._find(params.get("targetId"))
        held = self._connection.attachments.held(target.tab_id)
        if held is not None and held.hold is not None:
            await held.hold.run(command, {})
        else:
            await self._connection.hub.call(self._connection.client, command, {"tabId": target.tab_id})

    async def _cookies(self, params: Json, session_id: str | None) -> Json:
        """The cookies of the sites that the held tabs show; of a page outside the grant, as of one that says why a page
        could not be loaded, none."""
        found: dict[tuple[object, ...], Json] = {}
        for session in self._connection.attachments.page_sessions():
            try:
                answer = await session.send("Network.getCookies", {"urls": [session.hold.tab_url]})
            except PolicyDenied:
                continue
            for cookie in answer.get("cookies", ()):
                found[cookie.get("name"), cookie.get("domain"), cookie.get("path")] = cookie
        return {"cookies": list(found.values())}

    async def _set_cookies(self, params: Json, session_id: str | None) -> Json:
        """Set cookies; like all that a script sets, each is judged by the site that it names."""
        sessions = self._connection.attachments.page_sessions()
        if not sessions:
            raise KaptureError(ErrorCode.NO_BACKEND, "No tab is attached.", hint="Attach to a page first.")
        return await sessions[0].send("Network.setCookies", {"cookies": params.get("cookies", [])})

    def _find(self, target_id: object) -> tuple[PageTarget, str]:
        for target in self._connection.shown.targets.values():
            for kind in ("page", "tab"):
                if target.id_of(kind) == target_id:
                    return target, kind
        raise KaptureError(
            ErrorCode.TAB_NOT_FOUND,
            "No target with given id found.",
            hint="Only connected tabs that are granted full are targets here.",
        )


def version(hub: Hub, client: Client) -> Json:
    """`Browser.getVersion`, of the browser with the first tab that the script may use."""
    tabs = [tab.backend.browser for tab in hub.holding.tabs(client) if tab.backend is not None]
    name, number = (tabs[0].name or "Chrome", tabs[0].version or "0") if tabs else ("Chrome", "0")
    product = f"{name.replace(' ', '')}/{number}"
    return {
        "protocolVersion": "1.3",
        "product": product,
        "revision": "",
        "userAgent": f"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko) {product} Safari/537.36",
        "jsVersion": "",
    }
