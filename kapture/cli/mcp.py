"""`kapture mcp`: the stdio MCP server."""

from __future__ import annotations

from typing import Any, Literal

import click

from kapture.cli import chrome_flags, completion


@click.command("mcp")
@completion.profile_option
@completion.toolsets_option
@click.option("--structured", is_flag=True, help="Answer with structuredContent and outputSchema too.")
@click.option(
    "--plain-answers",
    is_flag=True,
    help="Answer without marks around the page's words. Models may take those for Kapture's: see docs/CLIENTS.md.",
)
@click.option(
    "--page-tools",
    type=click.Choice(["commands", "dynamic"]),
    default="commands",
    help="Tools that pages declare: through two commands, or each as a tool page_<name> as well.",
)
@click.option(
    "--name",
    metavar="NAME",
    help="What people see of this session beside the client's name. Default: the folder's name.",
)
@completion.hub_option
@click.option(
    "--browser",
    metavar="NAME",
    default="",
    help="Use only the browser with this name, which its person gives it in the extension's options.",
)
@chrome_flags.chrome_flags
def mcp_command(
    profile: str | None,
    toolsets: str | None,
    structured: bool,
    plain_answers: bool,
    page_tools: Literal["commands", "dynamic"],
    name: str | None,
    hub: str | None,
    browser: str,
    **flags: Any,
) -> None:
    """Run the stdio MCP server that an MCP client starts.

    Starts the hub in the background when none runs. Writes nothing but MCP messages to stdout.
    """
    from kapture.client.bridge import serve_stdio
    from kapture.client.session_proof import folder_name
    from kapture.errors import KaptureError
    from kapture.mcp.options import DEFAULT_TOOLSETS, Options, check_profile, parse_toolsets

    if chrome_flags.apply(flags, profile=profile):
        return
    try:
        options = Options(
            profile=check_profile(profile) if profile is not None else "kapture",
            toolsets=parse_toolsets(toolsets) if toolsets is not None else DEFAULT_TOOLSETS,
            structured=structured,
            plain_answers=plain_answers,
            page_tools=page_tools,
            name=folder_name() if name is None else name,
            browser=browser,
        )
        serve_stdio(options.query(), options.name, hub)
    except KaptureError as error:
        raise click.UsageError(error.explanation) from error
