"""How a request's time was spent, in the phases of HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/)."""

from __future__ import annotations

from collections.abc import Mapping

_CONNECTION = (("dns", "dnsStart", "dnsEnd"), ("connect", "connectStart", "connectEnd"), ("ssl", "sslStart", "sslEnd"))


def phases(timing: Mapping[str, float], begun: float, total_ms: float) -> dict[str, float]:
    """Milliseconds by phase: `blocked`, `dns`, `connect` (`ssl` is a part of it), `send`, `wait`, `receive`. All but
    `ssl` add up to the total. Phases that did not occur are left out; empty if the browser has measured nothing.

    `timing` is CDP's `Network.ResourceTiming`: milliseconds after its `requestTime`, -1 for what did not occur; `begun`
    is when the request began and `requestTime` when it was sent, in seconds of the same clock.
    """
    sent, answered = timing.get("sendEnd", -1), timing.get("receiveHeadersEnd", -1)
    if sent < 0 or answered < 0:
        return {}
    held = max(0.0, (timing.get("requestTime", begun) - begun) * 1_000)
    sending = max(0.0, timing.get("sendStart", sent))
    connection = {name: timing[end] - timing[start] for name, start, end in _CONNECTION if timing.get(start, -1) >= 0}
    found = {
        "blocked": held + sending - connection.get("dns", 0.0) - connection.get("connect", 0.0),
        **connection,
        "send": sent - sending,
        "wait": answered - sent,
        "receive": total_ms - held - answered,
    }
    return {name: round(max(0.0, ms), 3) for name, ms in found.items()}
