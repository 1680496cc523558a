"""Whether tests of appearance save pictures: `./dev pictures` asks for them, for people to look at."""

from __future__ import annotations

import os

SAVES_PICTURES = os.environ.get("KAPTURE_PICTURES") == "1"
