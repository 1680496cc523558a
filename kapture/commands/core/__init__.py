"""What a command is: registry, parameters, answer, context, and running one. No command is declared here."""
