"""A wheel of this Kapture for another machine: packed from the files that are installed, or built from the checkout."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import subprocess
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from kapture.__about__ import DISTRIBUTION
from kapture.errors import ErrorCode, KaptureError

_OF_THE_INSTALLER = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")


def own_wheel(folder: Path) -> Path:
    """Make it in this folder; returns its path. `UNSUPPORTED` if that is not possible."""
    try:
        found = distribution(DISTRIBUTION)
    except PackageNotFoundError as error:
        raise _impossible("it is not installed as a package") from error
    if any(str(file) == "kapture/__init__.py" for file in found.files or ()):
        return packed(found, folder)
    return _built(Path(__file__).resolve().parents[2], folder)


def packed(found: Distribution, folder: Path) -> Path:
    """Pack an installed distribution again, as its wheel was; the same files always give the same bytes."""
    name, record = f"{DISTRIBUTION.replace('-', '_')}-{found.version}", io.StringIO()
    lines = csv.writer(record, lineterminator="\n")
    path = folder / f"{name}-py3-none-any.whl"
    files = {file.as_posix(): Path(str(file.locate())) for file in found.files or () if _belongs(file.parts)}
    with ZipFile(path, "w", ZIP_DEFLATED) as wheel:
        for inside, file in sorted(files.items()):
            content = file.read_bytes()
            wheel.writestr(ZipInfo(inside), content, ZIP_DEFLATED)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            lines.writerow([inside, f"sha256={digest}", len(content)])
        inside = f"{name}.dist-info/RECORD"
        lines.writerow([inside, "", ""])
        wheel.writestr(ZipInfo(inside), record.getvalue(), ZIP_DEFLATED)
    return path


def _belongs(parts: tuple[str, ...]) -> bool:
    made = parts[0].endswith(".dist-info") and parts[-1] in _OF_THE_INSTALLER
    return ".." not in parts and "__pycache__" not in parts and not made


def _built(checkout: Path, folder: Path) -> Path:
    command = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(folder), str(checkout)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["no reason given"]
        raise _impossible(f"it could not be built from {checkout}: {lines[-1][:300]}")
    return next(folder.glob("*.whl"))


def _impossible(why: str) -> KaptureError:
    return KaptureError(
        ErrorCode.UNSUPPORTED,
        f"There is no wheel of this Kapture to copy: {why}.",
        hint=f"Install it there yourself: `pip install {DISTRIBUTION}`, then share without --install.",
    )
