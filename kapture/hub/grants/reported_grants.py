"""The grants that tabs report, when they register and later, and those of tabs that register without one."""

from __future__ import annotations

from kapture.policy.grant import ANY_SITE, FILES, Grant
from kapture.wire import messages

EVERYTHING = Grant.make([ANY_SITE, FILES], "full")
"""The grant of a tab that executes commands itself and registers without one: it can refuse each command itself."""

EVERY_SITE = Grant.make([ANY_SITE], "full")
"""That of a tab that carries CDP and registers without one on the open port of `--no-pairing`."""


def grant_of(register: messages.Register, *, open_port: bool) -> Grant | None:
    """The grant that a tab registers with; None without one. `open_port`: what needs no proof needs no grant either.

    A grant that the tab reports as revoked later is None in any case.
    """
    if register.grant is not None:
        return reported_grant(register.grant)
    if "cdp" not in register.capabilities:
        return EVERYTHING
    return EVERY_SITE if open_port else None


def reported_grant(grant: messages.WireGrant | None) -> Grant | None:
    """The grant that a tab reports; `INVALID_PARAMS` if it is none."""
    return None if grant is None else Grant.make(grant.sites, grant.level)
