"""Tools that pages declare for agents (WebMCP), and calling one."""
