"""The folder of scenario files: `<name>.json`, one each, in the data folder.

The folder is the list: files that are put there or removed by hand count. Files are written atomically, and names that
could lead out of the folder are invalid (`kapture.scenarios.model.NAME_PATTERN`).
"""

from __future__ import annotations

import difflib
import re
from pathlib import Path

from kapture.errors import ErrorCode, KaptureError
from kapture.private_files import private_folder, write_private_file
from kapture.scenarios.files.decode import MAX_FILE_BYTES, decode, encode, invalid
from kapture.scenarios.model import NAME_PATTERN, Scenario

FOLDER = "scenarios"
_SUFFIX = ".json"
_NAME = re.compile(NAME_PATTERN)


class ScenarioFolder:
    """The scenarios of one data folder. Its methods touch the disk: call them in a thread."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = home / FOLDER

    def names(self) -> list[str]:
        """The names of all scenarios, in alphabetical order."""
        if not self.folder.is_dir():
            return []
        return sorted(path.stem for path in self.folder.glob(f"*{_SUFFIX}") if _NAME.match(path.stem))

    def load(self, name: str) -> Scenario:
        """One scenario; `SCENARIO_INVALID` if it does not exist, with the closest names, or the file is invalid."""
        path = self.path(name)
        try:
            if path.exists() and not path.is_file():
                raise invalid(path.name, "it is not a regular file.")  # a pipe would never end
            with path.open("rb") as file:
                content = file.read(MAX_FILE_BYTES + 1)
        except FileNotFoundError as error:
            raise self._unknown(name) from error
        except OSError as error:
            raise invalid(path.name, f"it cannot be read: {error.strerror or error}.") from error
        scenario = decode(content, source=path.name)
        if scenario.name != name:
            raise invalid(path.name, f"its name is {scenario.name!r}: rename the file, or change the field.", "name")
        return scenario

    def save(self, scenario: Scenario, *, replace: bool = True) -> Path:
        """Write it; `SCENARIO_INVALID` if it is invalid or, without `replace`, if the name is taken."""
        content = self.check(scenario, replace=replace)
        private_folder(self.folder.parent)
        private_folder(self.folder)
        path = self.path(scenario.name)
        write_private_file(path, content)
        return path

    def check(self, scenario: Scenario, *, replace: bool) -> bytes:
        """The file's content if `save` would write it; raises its error otherwise."""
        content = encode(scenario)
        decode(content, source=scenario.name)  # scenarios made in memory must satisfy the same rules
        path = self.path(scenario.name)
        if not replace and path.exists():
            raise KaptureError(
                ErrorCode.SCENARIO_INVALID,
                f"There is a scenario {scenario.name!r} already.",
                hint="Choose another name, or replace it.",
                data={"name": scenario.name},
            )
        return content

    def check_known(self, name: str) -> None:
        """`SCENARIO_INVALID` if there is no file with this name."""
        if not self.path(name).exists():
            raise self._unknown(name)

    def delete(self, name: str) -> None:
        """Delete a scenario; `SCENARIO_INVALID` if it does not exist."""
        try:
            self.path(name).unlink()
        except FileNotFoundError as error:
            raise self._unknown(name) from error

    def path(self, name: str) -> Path:
        """Where a scenario's file is; `SCENARIO_INVALID` if the name is not valid."""
        if not _NAME.match(name):
            raise KaptureError(
                ErrorCode.SCENARIO_INVALID,
                f"{name[:100]!r} is not a valid name for a scenario.",
                hint="Use letters, digits, _ and -, at most 100, the first a letter or digit.",
            )
        return self.folder / f"{name}{_SUFFIX}"

    def _unknown(self, name: str) -> KaptureError:
        close = difflib.get_close_matches(name, self.names(), n=3, cutoff=0.5)
        return KaptureError(
            ErrorCode.SCENARIO_INVALID,
            f"There is no scenario {name!r}.",
            hint=f"Did you mean {', '.join(close)}?" if close else "List the scenarios to see what there is.",
            data={"name": name, "suggestions": close},
        )
