"""What is served to browsers: health, and the Console with its content policy."""

from __future__ import annotations

import json
from pathlib import Path

from tests.unit.server.served import served, status


async def test_health_names_the_hub_and_nothing_secret(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        answer = await there.get("/health")
        assert status(answer) == 200
        health = json.loads(answer.partition(b"\r\n\r\n")[2])
        assert set(health) == {"kapture", "pid"}
        for secret in (there.token, there.secrets.key):
            assert secret.encode() not in answer


async def test_the_console_is_served_with_a_strict_content_policy(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        answer = await there.get("/console/demo/")
        head = answer.partition(b"\r\n\r\n")[0].lower()
        assert b"content-security-policy: default-src 'none'; script-src 'self'; style-src 'self';" in head
        assert b"frame-ancestors 'none'" in head
        assert b"x-content-type-options: nosniff" in head
        assert status(await there.get("/console/../../pyproject.toml")) in (404, 400)
        assert status(await there.get("/console/%2e%2e/%2e%2e/pyproject.toml")) == 404


async def test_the_console_has_the_shared_views_and_nothing_else_of_the_extension(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        assert status(await there.get("/console/ui/tokens.css")) == 200
        assert status(await there.get("/console/ui/options.html")) == 404
        assert status(await there.get("/console/ui/components/../options.html")) in (404, 400)
        assert status(await there.get("/console/manifest.json")) == 404


async def test_only_the_console_itself_gets_its_live_stream(tmp_path: Path) -> None:
    upgrade = ("Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13")
    async with served(tmp_path) as there:
        lines = ["GET /console/live HTTP/1.1", f"Host: 127.0.0.1:{there.port}", "Connection: Upgrade", *upgrade, "", ""]
        assert status(await there.raw("\r\n".join(lines).encode())) == 403
