# Roteiro from a clone. `make serve` is the one to start with; `make help` lists the rest.
#
#   make serve [REPO=path] [YES=1] [GPU=cuda|metal|vulkan] [LOCAL=0] [UPSTREAM=url]
#
# Needs Python 3.11 or newer and git. With a C++ compiler the local engine is built once, without one it is left out.

REPO     ?= $(CURDIR)
YES      ?=
GPU      ?=
LOCAL    ?= 1
UPSTREAM ?=
ARGS     ?=

# The first interpreter that is new enough; `make PYTHON=/path/to/python` names another one.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3.14 python3 python; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && \
	{ command -v $$p; break; }; done)

VENV := .venv
BIN  := $(VENV)/bin
ENV  := YES='$(YES)' GPU='$(GPU)' LOCAL='$(LOCAL)'

UNIT := not (model or native or client or browser or index or slow or exhaustive)

.DEFAULT_GOAL := help
.PHONY: help serve install dev test test-slow test-all lint docs clean

help: ## Show what there is
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1  \2/p' $(MAKEFILE_LIST) | awk '{printf "  %-5s %-10s", $$1, $$2; $$1=$$2=""; print}'

serve: install ## Install, offer a model, build the graph of REPO and serve it on 127.0.0.1:8017
	@$(if $(UPSTREAM),:,$(BIN)/roteiro model pull --optional $(if $(YES),--yes))
	@exec $(BIN)/roteiro serve --root '$(REPO)' $(if $(UPSTREAM),--upstream '$(UPSTREAM)') $(ARGS)

install: ## Make .venv with Roteiro and, where a compiler is, the local engine
	@$(if $(PYTHON),,echo 'roteiro: no Python 3.11 or newer was found. Install one, or run make PYTHON=/path/to/python.' >&2; exit 1)
	@$(ENV) $(PYTHON) -I roteiro/setup_env.py $(VENV)

dev:
	@$(if $(PYTHON),,echo 'roteiro: no Python 3.11 or newer was found. Install one, or run make PYTHON=/path/to/python.' >&2; exit 1)
	@$(ENV) $(PYTHON) -I roteiro/setup_env.py $(VENV) --dev --no-local

test: dev ## Run the unit tests (no network, no model)
	$(BIN)/pytest -q -n auto -m '$(UNIT)' $(ARGS)

test-slow: dev ## Run the tests that take minutes: long histories, large inputs, many mutations
	$(BIN)/pytest -q -n auto -m 'slow and not exhaustive' --durations=10 $(ARGS)

test-all: dev ## Run every test that this machine can run
	$(BIN)/pytest -q $(ARGS)

lint: dev ## Run the linters and type checkers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports
	$(BIN)/python -m roteiro.reference --check

docs: dev ## Write the reference pages from the code, and check every link and command of the docs
	$(BIN)/python -m roteiro.reference
	$(BIN)/pytest -q tests/roteiro/test_docs.py

clean: ## Remove what was built here; models and settings of yours stay
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
