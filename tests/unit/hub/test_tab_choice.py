"""Which tab an id names that a client gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio

from kapture.errors import ErrorCode, KaptureError
from tests.unit.hub.simulated import world


async def test_the_number_of_a_tab_that_is_gone_never_leads_to_another_browsers_tab(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        one = await there.tab("101.aaaa")
        await there.tab("1011.aaaa")
        assert there.hub.choice.named("101") == "101.aaaa"
        await there.tab("101.bbbb")
        await one.close()
        await trio.sleep(10)
        assert "101.aaaa" not in there.hub.tabs
        with pytest.raises(KaptureError) as error:
            there.hub.choice.named("101")
        assert error.value.code is ErrorCode.INVALID_PARAMS
        assert error.value.data["tabs"] == ["101.bbbb", "101.aaaa"]


async def test_the_number_of_a_tab_that_is_gone_names_it(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        await (await there.tab("101.aaaa")).close()
        await trio.sleep(10)
        assert there.hub.choice.named("101") == "101.aaaa"
        assert there.hub.choice.named("102") == "102"
