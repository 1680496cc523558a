"""The `kapture` command.

`kapture mcp` without options, as most MCP clients start it, does without click: they wait for every import.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run what the command line asks for."""
    if sys.argv[1:] == ["mcp"]:
        from kapture.client.bridge import serve_stdio

        serve_stdio(query="")
    else:
        from kapture.cli import main as command

        command(prog_name="kapture")


if __name__ == "__main__":
    main()
