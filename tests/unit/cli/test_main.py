from __future__ import annotations

import gc
import sys

import pytest

from kapture.__main__ import main


def test_the_bridge_collects_its_garbage_after_a_start_without_collections(monkeypatch: pytest.MonkeyPatch) -> None:
    collecting = []
    monkeypatch.setattr("kapture.client.bridge.serve_stdio", lambda query: collecting.append(gc.isenabled()))
    monkeypatch.setattr(sys, "argv", ["kapture", "mcp"])
    try:
        main()
    finally:
        gc.unfreeze()
    assert collecting == [True]
