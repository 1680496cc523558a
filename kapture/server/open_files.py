"""How many files this process may have open: every connection needs one."""

from __future__ import annotations

import sys

from kapture.settings import Limits

_OTHER_FILES = 256
"""Reserved for logs, keys, browsers that the hub has started, libraries."""


def allow_open_files(limits: Limits) -> int | None:
    """Raise this process's limit to what the connections need; returns how many connections fit, if fewer do."""
    if sys.platform == "win32":
        return None  # no such limit on this platform
    import resource

    wanted = limits.connections + limits.unproven_connections + _OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return None
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return None if allowed >= wanted else max(0, allowed - limits.unproven_connections - _OTHER_FILES)
