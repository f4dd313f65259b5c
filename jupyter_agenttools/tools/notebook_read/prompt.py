"""What the model is told of NotebookRead."""

from __future__ import annotations

DESCRIPTION = "Read cells of a notebook with their outputs, as it is open now."

PROMPT = """\
- Without notebook_path it reads the notebook that you work in, where that is known. An open document is shown as it is,
  with what is not saved; the result says so.
- cells chooses some: ids, numbers from 1 and ranges, separated by commas ("2-5, abc123, 9-"). Left out: all of them.
- outputs: "all" (sources and outputs), "only" (outputs without sources), "none" (sources alone). Long outputs are cut;
  a cell that is read alone shows more of them.
- Images among the outputs are shown. Use this instead of asking the person what a cell printed, and before
  NotebookEdit."""
