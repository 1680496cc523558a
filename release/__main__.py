"""`python -m release`: builds what is published. `--write` renews the generated files of the repository instead,
`--check` builds and then proves, from what was built alone, that it can be installed and works."""

from __future__ import annotations

import argparse
from pathlib import Path

from release import manifests
from release.build import build
from release.manifests import ROOT


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="./dev release", description=__doc__)
    parser.add_argument("--write", action="store_true", help="renew the generated files of the repository")
    parser.add_argument("--check", action="store_true", help="build, and prove that it works")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where to build (default: dist/)")
    given = parser.parse_args()
    if given.write:
        for path, text in manifests.committed().items():
            file = ROOT / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
        return
    if stale := stale_files():
        raise SystemExit(f"Stale: {', '.join(stale)}. Run `./dev release --write`, and commit what it changes.")
    build(given.out)
    for file in sorted(given.out.iterdir()):
        print(f"{file.stat().st_size:>9,}  {file.name}")
    if given.check:
        from release.check import check

        check(given.out)


def stale_files() -> list[str]:
    """Return the generated files of the repository that are not as they would be made now."""
    return [
        path
        for path, text in manifests.committed().items()
        if not (ROOT / path).is_file() or (ROOT / path).read_text("utf-8") != text
    ]


if __name__ == "__main__":
    main()
