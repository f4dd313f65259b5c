"""Shell commands: what one runs, whether it only reads, and whether a rule is about it."""
