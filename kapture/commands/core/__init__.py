"""What a command is: registry, parameters, answer, context, and how one is run. No command is declared here."""
