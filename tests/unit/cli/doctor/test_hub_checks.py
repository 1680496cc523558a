"""What the status of a running hub says of what is wrong with it."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from kapture.cli.doctor.hub_checks import changed_policy, written
from kapture.settings import Settings


def test_what_the_hub_could_not_write_is_found() -> None:
    assert list(written(None)) == []
    assert list(written({"auditFailure": None, "dataFolderFailure": None})) == []
    (finding,) = written({"auditFailure": "audit.jsonl could not be written: No space left on device."})
    assert (finding.what, finding.state) == ("audit log", "bad")
    assert "No space left" in finding.detail


def test_a_policy_file_that_has_changed_since_the_hub_read_it_is_found(tmp_path: Path) -> None:
    def found(started: str, file: Path | None) -> list[str]:
        status = {"hub": {"startedAt": started, "pid": 7}, "policy": {"file": str(file) if file else None}}
        return [finding.fix for finding in changed_policy(Settings(home=tmp_path), status)]

    early, late = "2026-01-01T10:00:00.000Z", "2026-01-01T12:00:00.000Z"
    policy = tmp_path / "policy.toml"
    assert found(early, None) == []
    assert found(early, policy)  # it is gone
    policy.write_text('level = "read"\n')
    os.utime(policy, times=(datetime(2026, 1, 1, 11, tzinfo=UTC).timestamp(),) * 2)
    assert found(late, policy) == []
    assert len(found(early, policy)) == len(found(early, None)) == 1
    assert list(changed_policy(Settings(home=tmp_path), None)) == []
