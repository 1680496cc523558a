from __future__ import annotations

import pytest

from tests.support.fake_hub import FakeHub


@pytest.fixture
def hub() -> FakeHub:
    return FakeHub()
