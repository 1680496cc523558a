"""Files between an agent's machine and the one with the tab: those that a pending call names, by the policy there."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from kapture.errors import KaptureError
from kapture.hub.carried_files import CarriedFiles
from kapture.wire.files import FILES_A_CALL
from tests.unit.group.machines import Machine, two


async def test_files_that_a_pending_call_names_are_carried(tmp_path: Path) -> None:
    async with two(tmp_path) as (_, laptop, devhost):
        tab = await laptop.tab("tab1")
        uploads = tmp_path / "devhost" / "uploads"
        uploads.mkdir()
        given, secret = uploads / "given.bin", tmp_path / "secret.txt"
        given.write_bytes(bytes(range(256)) * 5_000)
        (uploads / "other.txt").write_text("other")
        secret.write_text("secret")
        call = devhost.world.start(devhost.call("t_echo", "tab1", word=str(given), selector=str(secret)))
        command = await tab.receive("command")
        files = carried(laptop)
        here = await files.take(str(given))
        assert here.read_bytes() == given.read_bytes()
        assert here.is_relative_to(tmp_path / "laptop" / "shared-files" / "devhost (team)")
        for path, why in ((uploads / "other.txt", "no call of the agent names"), (secret, "none of the folders")):
            with pytest.raises(KaptureError, match=why):
                await files.take(str(path))
        made = tmp_path / "made.bin"
        made.write_bytes(b"made" * 400_000)
        there = Path(await files.hand(made))
        assert there.parent == tmp_path / "devhost" / "downloads"
        assert await trio.Path(there).read_bytes() == b"made" * 400_000
        assert not made.exists()
        for _ in range(FILES_A_CALL - 1):
            made.write_bytes(b"made")
            await files.hand(made)
        made.write_bytes(b"made")
        with pytest.raises(KaptureError, match="more than"):
            await files.hand(made)
        await tab.answer(command)
        await call.wait()


def carried(laptop: Machine) -> CarriedFiles:
    """The files of the agent that has called."""
    state = laptop.hub.state
    (remote,) = [client for client in state.clients if client.from_group]
    assert remote.carrier is not None
    rules = state.consent.policy.files(remote.name)
    return CarriedFiles(rules=rules, carrier=remote.carrier, uploads=state.carried[remote.share])
