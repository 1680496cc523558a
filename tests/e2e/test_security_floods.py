"""Pages that start more than can be followed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.granted_tab import Site, granted
from tests.support.patience import until
from tests.support.site import serving

pytestmark = pytest.mark.e2e

STARTED = 200
HEARD_AT_LEAST = 25

PAGE = f"""<title>none</title><script>
let running = 0;
const said = URL.createObjectURL(new Blob(["postMessage(0); onmessage = () => console.log('heard')"]));
const workers = Array.from({{ length: {STARTED} }}, () => new Worker(said));
for (const worker of workers) worker.onmessage = () => {{ document.title = ++running; }};
</script><button onclick="for (const worker of workers) worker.postMessage(0)">Speak</button>"""


async def test_workers_beyond_what_can_be_followed_run_unwatched_and_are_counted(tmp_path: Path) -> None:
    with serving({"/": "<title>mine</title>", "/flood": PAGE}) as site:
        async with granted(tmp_path, Site(site.port, [])) as tab:
            await tab.call("navigate", url=site.url("/flood"))

            async def all_run() -> bool:
                return f"'{STARTED}'" in await tab.call("tab_info")

            await until(all_run, "all workers to run")
            let_go = sum(map(int, re.findall(r"(\d+) dropped", await tab.call("logs", max=1_000, max_chars=100_000))))
            assert let_go > 0

            async def heard() -> bool:
                await tab.call("click", selector="button")  # again, since nothing is carried just after the flood
                shown = await tab.call("logs", max=1_000, text="heard", max_chars=100_000)
                return shown.count(" heard") >= HEARD_AT_LEAST

            await until(heard, "what the workers that are followed say")
