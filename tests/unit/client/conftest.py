from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio

from kapture.client import bridge as bridge_module
from kapture.client.connection import HubAbsentError, connect
from kapture.client.session_proof import SessionProof
from kapture.errors import ErrorCode, KaptureError
from tests.support.fake_hub import FakeHub


@pytest.fixture
def hub() -> FakeHub:
    return FakeHub()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def no_hub_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bridge that finds no hub cannot start one."""

    async def refuse(nursery: trio.Nursery, home: Path, query: str = "", session: SessionProof | None = None) -> Any:
        try:
            return await connect(nursery, home, query, session=session)
        except HubAbsentError as error:
            raise KaptureError(ErrorCode.NO_BACKEND, "The hub ended at once.", hint="Run kapture doctor.") from error

    monkeypatch.setattr(bridge_module, "connect_or_start", refuse)
