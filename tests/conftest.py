"""Settings for every test."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

from tests.support.examples import SEARCHING, examples

# How long an example takes says nothing about the code on a machine that runs other things beside.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=examples(100))
# The same examples each time, so that a result hangs on the change alone; KAPTURE_HYPOTHESIS=search looks for new ones.
settings.register_profile("kapture", _PATIENT, derandomize=not SEARCHING)
settings.load_profile("kapture")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing of modules and tests is garbage before the end, and looking for it takes seconds in each worker."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Three workers on two cores: with two, the cores were idle for 70 to 275 s of a run, while both waited."""
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return cores + cores // 2
