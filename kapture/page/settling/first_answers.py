"""What a new document asks for: a page that shows data is empty before it has that."""

from __future__ import annotations

from itertools import takewhile

import trio

from kapture.page.network.network_log import NetworkLog
from kapture.page.settling.settle import REQUESTS_BOUND_S

_OF_SCRIPTS = frozenset({"fetch", "xhr"})


async def first_answers(network: NetworkLog, before: int) -> int:
    """Wait, for a short time, until what scripts of the new document have asked for is answered.

    Returns how many of these requests have no answer. `before`: the cursor when the document was asked for.
    """

    def unanswered() -> int:
        asked = takewhile(lambda request: request.seq > before, network.newest_first())
        return sum(one.type in _OF_SCRIPTS and not one.finished and not one.is_stream for one in asked)

    now = trio.current_time()
    with trio.move_on_at(min(now + REQUESTS_BOUND_S, (now + trio.current_effective_deadline()) / 2)):
        while unanswered():
            await network.changed.wait()
    return unanswered()


def without_answer(requests: int) -> str | None:
    """In words; None if there are none."""
    return f"{requests} request{' has' if requests == 1 else 's have'} no answer yet" if requests else None
