"""A page script that logs the events of its fields."""

from __future__ import annotations

# Writes every event that a field sends, with the value that it has then.
LOG = """<script>
window.logged = [];
for (const kind of ['focus', 'beforeinput', 'input', 'change'])
  document.addEventListener(kind, (e) => logged.push([kind, e.target.id, e.target.value, e.isTrusted]), true);
</script>"""
