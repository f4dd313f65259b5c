"""The test suite: it mirrors the package, and adds real kernels and a real browser."""
