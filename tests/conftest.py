"""What holds for every test."""

from __future__ import annotations

from hypothesis import settings

# How long an example takes says nothing about the code on a machine that runs other things beside.
settings.register_profile("kapture", deadline=None)
settings.load_profile("kapture")
