"""Pages for tests of scripts, waits, state and batches."""

from __future__ import annotations

from tests.support.site import Page

HOME = """<title>Home</title><button id=b onclick="this.dataset.clicked = 1">Press</button>
<iframe src="/inner" name="inner"></iframe>"""

LATER = """<title>Later</title><p id=old>Old</p><p id=hid style="display:none">Shown later</p>
<iframe src="/inner"></iframe>
<script>
  addEventListener('message', () => {
    document.getElementById('old').remove();
    hid.style.display = 'block';
    document.body.insertAdjacentHTML('beforeend', '<p id=new>Brand   new</p>');
  });
</script>"""

PAGES: dict[str, Page | str] = {
    "/": HOME,
    "/inner": "<title>Inner</title><b id=deep>Deep</b>",
    "/later": LATER,
    "/moved": "<title>Moved</title><p id=there>there</p>",
    "/file": Page("abc" * 100, headers={"Content-Disposition": "attachment; filename=a.bin"}),
}
