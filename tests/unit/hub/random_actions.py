"""Random actions of callers and tabs on a router."""

from __future__ import annotations

from typing import Literal

import attrs
from hypothesis import strategies as st

UNRULY = ("one", "two")
"""Tabs that do everything wrong."""
CALM = "calm"

Reaction = Literal["now", "late", "twice", "never", "garbage", "error", "stray", "vanish", "hold"]


@attrs.frozen(kw_only=True)
class DoCall:
    tab: str
    client: int
    control: bool
    timeout_ms: int
    reaction: Reaction
    seconds: float  # of delay, or until a vanished tab is back; above 20: never
    cancel_after: float | None


@attrs.frozen
class DoSleep:
    seconds: float


@attrs.frozen
class DoVanish:
    tab: str
    seconds: float


@attrs.frozen
class DoNoise:
    tab: str
    frame: str


@attrs.frozen
class DoTakeOver:
    tab: str
    same_browser: bool


_seconds = st.sampled_from([0.1, 1.0, 4.0, 5.5, 12.0, 40.0])
_calls = st.builds(
    DoCall,
    tab=st.sampled_from(UNRULY),
    client=st.integers(0, 2),
    control=st.sampled_from([False, False, False, True]),
    timeout_ms=st.sampled_from([500, 3_000, 30_000]),
    reaction=st.sampled_from(Reaction.__args__),  # type: ignore[attr-defined]
    seconds=_seconds,
    cancel_after=st.sampled_from([None, None, None, 0.0, 0.5, 2.0]),
)
_calm_calls = st.builds(
    DoCall,
    tab=st.just(CALM),
    client=st.integers(0, 2),
    control=st.booleans(),
    timeout_ms=st.just(30_000),
    reaction=st.just("now"),
    seconds=st.just(0.1),
    cancel_after=st.none(),
)
_noise = st.sampled_from(
    [
        "",
        "[]",
        '{"type":"x"}',
        '{"type":"response","id":"c88888","success":true}',
        '{"type":"response","id":"x","success":true}',
    ]
)
ACTIONS = st.lists(
    _calls
    | _calls
    | _calls
    | _calm_calls
    | st.builds(DoSleep, st.sampled_from([0.1, 1.0, 3.0, 6.0]))
    | st.builds(DoVanish, st.sampled_from(UNRULY), _seconds)
    | st.builds(DoNoise, st.sampled_from(UNRULY), _noise)
    | st.builds(DoTakeOver, st.sampled_from(UNRULY), st.booleans()),
    min_size=1,
    max_size=40,
)
