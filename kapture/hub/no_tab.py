"""Why no tab is connected, and what to do about it, in words for models and for people."""

from __future__ import annotations

import datetime
from typing import Any, Literal, TypeAlias

import attrs

from kapture.data_folder import REMOTE
from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.hub.client import Client
from kapture.hub.state import HubState
from kapture.pairing import key_file
from kapture.settings import Settings

State: TypeAlias = Literal[
    "extension_never_seen", "not_paired", "attach_away", "launch_away", "browser_away", "no_tab_connected"
]

_OWN_BROWSER = "`kapture launch` starts a browser of its own instead."
_LAUNCHES = "The next call that needs a tab launches a browser for it."
_CRASHED = "An extension that has crashed comes back within 30 s by itself, or else with Reload in chrome://extensions."
_RELAY = "A browser with the relay extension connects by itself when it is started."


@attrs.frozen(kw_only=True)
class NoTab:
    """There is no tab to work on. `hint` says to an agent what to do next, `advice` to the person."""

    state: State
    message: str
    hint: str | Wording
    advice: str
    data: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """The object that `list_tabs` and `status` answer with."""
        words = {"state": self.state, "message": self.message, "hint": str(self.hint), "advice": self.advice}
        return {**words, **self.data}

    def error(self) -> KaptureError:
        """The error for a call that needs a tab."""
        return KaptureError(ErrorCode.NO_BACKEND, self.message, hint=self.hint, data={"state": self.state, **self.data})


def why_no_tab(state: HubState, client: Client | None = None) -> NoTab:
    """Why no tab is connected, judged by what the hub has seen. Call it only while none is. `client`: who asks, by
    default the client in progress: to one on another machine, this machine's other machines are not named."""
    found, client = _why_here(state), client or state.consent.client
    if client is None or client.share:
        return found
    if shared := sorted(file.parent.name for file in state.settings.home.glob(f"{REMOTE}/*/{key_file.FILE_NAME}")):
        names = f"{', '.join(shared)}: start `kapture mcp` or `kapture call` with --hub {shared[0]} to use their tabs."
        found = attrs.evolve(found, message=f"{found.message} Shared with this machine: {names}")
    if (elsewhere := state.group.elsewhere) is None:
        return found
    away = elsewhere.status()["away"]
    there = (
        f"There is no connection to the server of the group {elsewhere.name}; `kapture status` says why."
        if away
        else f"Tabs of other machines are listed once their persons let the group {elsewhere.name} use them."
    )
    return attrs.evolve(found, message=f"{found.message} {there}")


def _why_here(state: HubState) -> NoTab:
    browsers = [
        f"{extension.browser.name} {extension.browser.version}".strip()
        for extension in state.extensions.connected.values()
    ]
    if browsers:
        return NoTab(
            state="no_tab_connected",
            message=f"No tab is connected. {' and '.join(browsers)} with the Kapture extension is ready.",
            hint=Wording(
                "{request_tab} asks the person for one.",
                "Or ask them to press Connect in the Kapture popup or DevTools panel of the tab.",
            ),
            advice="Press Connect in the Kapture popup or DevTools panel of the tab that an agent may use.",
            data={"browsers": browsers},
        )
    if endpoints := sorted(set(state.lost_endpoints.values())):
        return NoTab(
            state="attach_away",
            message=f"No tab is connected. The connection to the browser at {' and '.join(endpoints)} was lost, and is "
            "being made again.",
            hint="Try again in a moment: its tabs keep their ids. Should it stay away, ask the person to look at what "
            "`kapture attach` says.",
            advice="Wait, or look at what `kapture attach` says.",
            data={"endpoints": endpoints},
        )
    if state.extensions.unproven:
        return NoTab(
            state="not_paired",
            message="No tab is connected. A Kapture extension tried to connect, without the key of this hub.",
            hint="Ask the person to run `kapture setup` once, which pairs the browser with the hub.",
            advice="Run `kapture setup` once, which pairs the browser with the hub.",
            data={},
        )
    seen, launched = state.last_seen.extension, state.last_seen.launched
    instead = _instead(state.settings)
    if seen is None and launched is not None:
        return NoTab(
            state="launch_away",
            message=f"No tab is connected. The extension was last seen in {launched.browser or 'a browser'}, "
            f"which a program launched, {_ago(launched.at)}.",
            hint=f"{_CRASHED} {instead}",
            advice=f"{_CRASHED} {instead}",
            data={"lastSeen": attrs.asdict(launched)},
        )
    if seen is None:
        return NoTab(
            state="extension_never_seen",
            message="No tab is connected. No browser with the Kapture extension has ever connected.",
            hint=f"Ask the person to run `kapture setup`, which leads through the installation. {instead}",
            advice=f"Run `kapture setup`, which leads through the installation. {instead}",
            data={},
        )
    return NoTab(
        state="browser_away",
        message=f"No tab is connected. The extension was last seen in {seen.browser or 'a browser'}, {_ago(seen.at)}.",
        hint=Wording(
            "Ask the person to start that browser, with the Kapture extension switched on.",
            "{request_tab} waits for it.",
            f"{_CRASHED} {instead}",
        ),
        advice=f"Start that browser, and see on its page of extensions that Kapture is switched on. {_CRASHED}",
        data={"lastSeen": attrs.asdict(seen)},
    )


def _instead(settings: Settings) -> str:
    """How a tab comes without the extension."""
    ways = (_LAUNCHES if settings.fallback == "launch" else "", _RELAY if settings.relay else "")
    return " ".join(filter(None, ways)) or _OWN_BROWSER


def _ago(at: str) -> str:
    try:
        seconds = (datetime.datetime.now(datetime.UTC) - datetime.datetime.fromisoformat(at)).total_seconds()
    except (ValueError, TypeError):
        return "at an unknown time"
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if (count := int(seconds // size)) > 0:
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"
