"""`kapture audit`: what it shows of the log."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from kapture.cli.audit import audit_command
from kapture.policy.audit import AuditLog

CLIENT = {"id": "c1", "name": "claude", "kind": "stdio"}


async def test_the_command_shows_and_filters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAPTURE_HOME", str(tmp_path))
    async with AuditLog.open(tmp_path) as log:
        log.command(client=CLIENT, command="click", outcome="ok", duration_ms=3.25, tab_id="T1", url="https://a.test/")
        log.decision(
            client=CLIENT, command="evaluate", allowed=False, rule="level: read", tab_id="T2", url="https://b.test/"
        )
        log.command(
            client={"name": "x\x1b]0;pwned\x07\u202e"}, command="hover", outcome="COMMAND_TIMEOUT", duration_ms=1
        )

    def lines(*arguments: str) -> list[str]:
        done = CliRunner().invoke(audit_command, arguments)
        assert done.exit_code == 0, done.output
        printed = done.stdout.splitlines()
        if printed and "--json" not in arguments:
            assert printed.pop(0).split() == [
                "TIME",
                "(UTC)",
                "EVENT",
                "OUTCOME",
                "COMMAND",
                "TAB",
                "SITE",
                "AND",
                "DETAILS",
            ]
        return printed

    assert len(lines()) == 3
    assert all(line.isprintable() for line in lines())
    assert [json.loads(line)["command"] for line in lines("--json", "--client", "claude")] == ["click", "evaluate"]
    assert len(lines("--denied")) == 1
    assert len(lines("--tab", "T1")) == 1
    assert len(lines("--site", "b.test")) == 1
    assert len(lines("--outcome", "timeout")) == 1
    assert len(lines("-n", "1")) == 1
    assert len(lines("--since", "1h")) == 3
    assert lines("--since", "2999-01-01") == []
    for nonsense in ("soon", "999999d", "0001-01-01T00:00+14:00"):
        refused = CliRunner().invoke(audit_command, ["--since", nonsense])
        assert refused.exit_code == 2
        assert f"Invalid value for '--since': '{nonsense}' is neither an age" in refused.output
