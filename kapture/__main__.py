"""The `kapture` command.

`kapture mcp` without options, as most MCP clients start it, does not import click: start-up time is import time. Its
imports allocate much and leave no garbage: collecting it meanwhile took 7 % of the processor time of a start.
"""

from __future__ import annotations

import gc
import sys

_INTERRUPTED = 130  # as shells say it of SIGINT


def main() -> None:
    """Run the subcommand that `sys.argv` names. Ctrl-C is quiet while modules are imported, too."""
    try:
        _run()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


def mcp() -> None:
    """Run `kapture mcp`: the command `kapture-mcp`, by which `uvx kapture-mcp` is a whole server line."""
    sys.argv.insert(1, "mcp")
    main()


def _run() -> None:
    if sys.argv[1:] == ["mcp"]:
        gc.disable()
        from urllib.parse import urlencode

        from kapture.client.bridge import serve_stdio
        from kapture.client.session_proof import folder_name

        gc.freeze()
        gc.enable()
        name = folder_name()
        serve_stdio(urlencode({"name": name}) if name else "", name)
    else:
        from kapture.cli import main as command
        from kapture.cli.standard_streams import write_whole

        write_whole()
        command(prog_name="kapture")


if __name__ == "__main__":
    main()
