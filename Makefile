# Two commands: make demo, make test. Both install into .venv first; nothing else is needed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NATIVE := CMakeLists.txt $(shell find native -type f)

.DEFAULT_GOAL := help
.PHONY: help install demo test check format docs bench sanitize stubs clean

help: ## Show this help
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "postil needs Python 3.11 or newer: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Installed in place: Python sources are read from src/, native ones are built here.
$(VENV)/installed: $(BIN)/python pyproject.toml $(NATIVE)
	@echo "installing into $(VENV), this takes some minutes"
	$(BIN)/python -m pip install --quiet --editable '.[test,check,bench]'
	@touch $@

install: $(VENV)/installed ## Install postil and its tools into .venv

demo: install ## Learn, test and explain the embedded corpus
	@$(BIN)/postil demo

test: install ## Run the tests
	$(BIN)/python -m pytest -n auto --dist loadgroup

check: install ## Lint, types, layers, stubs, generated tables
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/check_stubs.py
	$(BIN)/python tools/generate_unicode.py --check

format: install ## Format the Python sources
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: install ## Run what README and docs show, and write what happened
	$(BIN)/python tools/documents.py --write

stubs: install ## Write src/postil/_native.pyi anew
	$(BIN)/python tools/check_stubs.py --write

bench: install ## Measure against the peers, side by side
	$(BIN)/python -m pip install --quiet 'liblinear-official>=2.47' || \
	  echo "LIBLINEAR could not be installed: its comparisons are left out"
	$(BIN)/python -m benchmarks

sanitize: install ## The core under ASan and UBSan: native checks and a bounded fuzz run
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake -S . -B build/sanitize -DPOSTIL_MODULE=OFF -DPOSTIL_FUZZ=ON -DCMAKE_BUILD_TYPE=Debug
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake --build build/sanitize --parallel
	build/sanitize/postil_fuzz --seconds 30

clean: ## Remove everything that was built
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src -name '*.so' -delete
