"""The options of one MCP client: profile, toolsets, structured answers, plain answers, the name of its session.

They are in the query of `/mcp` (none is secret), so that the bridge, a WebSocket client and an HTTP client choose them
in the same way.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args
from urllib.parse import parse_qsl, urlencode

import attrs

from kapture.errors import ErrorCode, KaptureError

PROFILES = ("kapture", "minimal", "chrome", "browser")
TOOLSETS = ("core", "tabs", "more", "network", "files", "state", "scenarios", "raw")
DEFAULT_TOOLSETS = ("core", "tabs")

PageToolsMode: TypeAlias = Literal["commands", "dynamic"]
PAGE_TOOLS: tuple[PageToolsMode, ...] = get_args(PageToolsMode)

_MOST_NAME = 100

_TRUE = frozenset({"", "1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


@attrs.frozen(kw_only=True)
class Options:
    """The options of one client.

    `toolsets` applies only to the `kapture` profile; the others have a fixed list. `plain_answers`: no marks around
    text of a page, so that an answer can be parsed as a whole. `page_tools`: tools that pages declare are called
    through two commands, or (`dynamic`) each is also a tool of its own. `keep`: the client's tab and snapshots outlive
    a WebSocket connection, for the next one that names the same client. `name`: of the session, for people. `browser`:
    the name of the one browser profile whose tabs the client sees. `share`: through which the client comes, `carries`:
    whether it carries files; no options of its own.
    """

    profile: str = "kapture"
    toolsets: tuple[str, ...] = DEFAULT_TOOLSETS
    structured: bool = False
    plain_answers: bool = False
    page_tools: PageToolsMode = "commands"
    keep: bool = False
    name: str = ""
    share: str = ""
    carries: bool = False
    browser: str = ""

    def query(self) -> str:
        """The options as the query of `/mcp`; empty for the defaults."""
        pairs = []
        if self.profile != "kapture":
            pairs.append(("profile", self.profile))
        if self.toolsets != DEFAULT_TOOLSETS:
            pairs.append(("toolsets", ",".join(self.toolsets)))
        if self.structured:
            pairs.append(("structured", "1"))
        if self.plain_answers:
            pairs.append(("plain_answers", "1"))
        if self.page_tools != "commands":
            pairs.append(("page_tools", self.page_tools))
        if self.keep:
            pairs.append(("keep", "1"))
        if self.name:
            pairs.append(("name", self.name))
        if self.browser:
            pairs.append(("browser", self.browser))
        return urlencode(pairs, safe=",")


def parse_options(query: str) -> Options:
    """Parse a query string; `INVALID_PARAMS` for an unknown option or an invalid value."""
    options = Options()
    for key, value in parse_qsl(query, keep_blank_values=True):
        if key == "profile":
            options = attrs.evolve(options, profile=check_profile(value))
        elif key == "toolsets":
            options = attrs.evolve(options, toolsets=parse_toolsets(value))
        elif key == "structured":
            options = attrs.evolve(options, structured=_flag(key, value))
        elif key == "plain_answers":
            options = attrs.evolve(options, plain_answers=_flag(key, value))
        elif key == "keep":
            options = attrs.evolve(options, keep=_flag(key, value))
        elif key == "page_tools":
            options = attrs.evolve(options, page_tools=check_page_tools(value))
        elif key == "name":
            options = attrs.evolve(options, name=value[:_MOST_NAME])
        elif key == "browser":
            options = attrs.evolve(options, browser=value[:_MOST_NAME])
        else:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"/mcp has no option {key!r}.",
                hint="It takes profile, toolsets, structured, plain_answers, page_tools, keep, name and browser.",
            )
    return options


def check_profile(name: str) -> str:
    """Return the name of an existing profile; `INVALID_PARAMS` for any other."""
    if name not in PROFILES:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS, f"There is no profile {name!r}.", hint=f"Profiles: {', '.join(PROFILES)}."
        )
    return name


def check_page_tools(name: str) -> PageToolsMode:
    """Return a valid value of `page_tools`; `INVALID_PARAMS` for any other."""
    for mode in PAGE_TOOLS:
        if name == mode:
            return mode
    raise KaptureError(
        ErrorCode.INVALID_PARAMS, f"page_tools is {name!r}.", hint=f"It must be {' or '.join(PAGE_TOOLS)}."
    )


def parse_toolsets(text: str) -> tuple[str, ...]:
    """`core,tabs` → the toolsets, in the order of declaration; `all` means every toolset."""
    names = {name.strip() for name in text.split(",") if name.strip()}
    if "all" in names:
        return TOOLSETS
    unknown = sorted(names - set(TOOLSETS))
    if unknown or not names:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"There is no toolset {unknown[0]!r}." if unknown else "The list of toolsets is empty.",
            hint=f"Toolsets: {', '.join(TOOLSETS)}, or all.",
        )
    return tuple(name for name in TOOLSETS if name in names)


def _flag(key: str, value: str) -> bool:
    if value.lower() in _TRUE:
        return True
    if value.lower() in _FALSE:
        return False
    raise KaptureError(ErrorCode.INVALID_PARAMS, f"{key} is {value!r}; it must be 1 or 0.")
