"""The half that runs in a process of its own. Of this project it imports only ``limits``, ``kinds`` and ``frames``."""
