"""A browser with a relay extension that was written for these tests from the specification."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from kapture.backends.chromium.launch import Launch
from kapture.backends.chromium.process import BrowserProcess, running

EXTENSION = Path(__file__).parent / "relay_extension"


@asynccontextmanager
async def relay_browser(
    folder: Path, port: int, url: str = "about:blank", beside: Sequence[Path] = (), extra: Sequence[str] = ()
) -> AsyncIterator[BrowserProcess]:
    """A headless browser whose relay extension looks for its server on this port. `beside`: other extensions; `extra`:
    further flags."""
    extension = folder / "extension"
    shutil.copytree(EXTENSION, extension)
    worker = extension / "worker.js"
    worker.write_text(worker.read_text().replace("const PORT = 23001;", f"const PORT = {port};"))
    loaded = f"--load-extension={','.join(map(str, (extension, *beside)))}"
    launch = Launch(profile=folder / "profile", headless=True, extra=(loaded, *extra), urls=(url,))
    async with running(launch) as process:
        yield process
