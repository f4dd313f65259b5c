"""The tools, a folder each: ``tool.py`` the logic, ``prompt.py`` what a model reads, ``view.py`` what a person sees."""
