"""Downloads of a tab: what is kept of each."""

from __future__ import annotations

from kapture.page.downloads import Downloads
from tests.unit.page.frame_world import World


def test_a_download_of_a_long_data_url_keeps_only_its_beginning() -> None:
    world = World()
    downloads = Downloads(world.tree)
    downloads.observe(world.connection.root)
    url = "data:text/csv;base64," + "QUJD" * 500_000
    world.event("Page.downloadWillBegin", guid="1", url=url, frameId="M", suggestedFilename="rows.csv")
    (download,) = downloads
    assert len(download.url) < 5_000
    assert download.url.startswith("data:text/csv;base64,QUJD")
    assert download.filename == "rows.csv"
