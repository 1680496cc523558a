"""The `kapture` command.

`kapture mcp` without options, as most MCP clients start it, does not import click: start-up time is import time.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the subcommand that `sys.argv` names."""
    if sys.argv[1:] == ["mcp"]:
        from kapture.client.bridge import serve_stdio

        serve_stdio(query="")
    else:
        from kapture.cli import main as command

        command(prog_name="kapture")


if __name__ == "__main__":
    main()
