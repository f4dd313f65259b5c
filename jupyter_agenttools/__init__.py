"""A complete agent tool system inside your own Jupyter kernel."""
