"""A search without ripgrep. It runs in a Python process of its own, so nothing in here imports beyond the standard
library: a process that a slow pattern keeps busy can be killed, and the kernel never waits for it."""
