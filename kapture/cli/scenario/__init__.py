"""`kapture scenario` and its subcommands."""
