from __future__ import annotations

import sys
from typing import Any

import pytest

from kapture.server.connections import allow_open_files
from kapture.settings import Limits

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has no such limit")


class System:
    def __init__(self, monkeypatch: pytest.MonkeyPatch, soft: int, hard: int) -> None:
        import resource

        self.set: list[tuple[int, int]] = []
        monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
        monkeypatch.setattr(resource, "setrlimit", lambda _, limits: self.set.append(limits))


@pytest.mark.parametrize(
    ("soft", "hard", "connections", "then", "fit"),
    [
        (1_024, 1_048_576, 512, [], None),
        (1_024, 1_048_576, 5_000, [(5_320, 1_048_576)], None),
        (256, -1, 512, [(832, -1)], None),
        (1_024, 2_048, 5_000, [(2_048, 2_048)], 1_728),
    ],
)
def test_as_many_files_may_be_open_as_the_connections_need(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, connections: int, then: list[Any], fit: int | None
) -> None:
    system = System(monkeypatch, soft, hard)
    assert allow_open_files(Limits(connections=connections)) == fit
    assert system.set == then
