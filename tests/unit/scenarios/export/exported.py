"""Scenarios in memory, and what is exported of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kapture.scenarios.dependencies import resolve
from kapture.scenarios.export.export_batch import batch_arguments
from kapture.scenarios.export.export_playwright import playwright_test
from kapture.scenarios.files.decode import convert
from kapture.scenarios.model import Scenario


def loader(*known: Scenario) -> Callable[[str], Scenario]:
    return {one.name: one for one in known}.__getitem__


def scenario(*chain: dict[str, Any], name: str = "shop", **fields: Any) -> Scenario:
    return convert({"version": 1, "name": name, "chain": list(chain), **fields})


def playwright(root: Scenario, *others: Scenario, **values: Any) -> str:
    return playwright_test(root, resolve(root, loader(*others)), values)


def batch(root: Scenario, *others: Scenario, **values: Any) -> dict[str, Any]:
    return batch_arguments(root, resolve(root, loader(*others)), values)
