"""Random command lines: whatever is allowed without asking is run, cut off from everything, and looked after."""
