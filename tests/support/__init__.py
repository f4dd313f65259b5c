"""Drivers for what only real things can show: kernels, JupyterLab and a browser."""
