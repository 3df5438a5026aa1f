# Two commands: make demo, make test. Both install into .venv first; nothing else is needed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NATIVE := CMakeLists.txt $(shell find native -type f)

.DEFAULT_GOAL := help
.PHONY: help install develop demo test test-all check format docs bench sanitize stubs clean

help: ## Show this help
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "postil needs Python 3.11 or newer: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Installed in place: Python sources are read from src/, native ones are built here.
$(VENV)/installed: $(BIN)/python pyproject.toml $(NATIVE)
	@echo "installing into $(VENV), this takes a minute or two"
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/developed: $(BIN)/python pyproject.toml $(NATIVE)
	@echo "installing with the tools of developers into $(VENV), this takes some minutes"
	$(BIN)/python -m pip install --quiet --editable '.[test,check,bench]'
	@touch $(VENV)/installed $@

install: $(VENV)/installed ## Install postil into .venv

develop: $(VENV)/developed ## Install postil and the tools of developers into .venv

demo: install ## Train, test and explain a categorizer on the embedded corpus
	@$(BIN)/postil demo

test: develop ## Run the tests
	$(BIN)/python -m pytest -n auto --dist worksteal

test-all: develop ## Run all tests: every combination of loss, prior and solver, the papers' tables
	POSTIL_FULL=all $(BIN)/python -m pytest -n auto --dist worksteal -m ""

check: develop ## Check style, types, layers, stubs and generated tables
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/check_style.py
	$(BIN)/python tools/check_stubs.py
	$(BIN)/python tools/generate_unicode.py --check

format: develop ## Format the Python sources
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: develop ## Run the examples of README and docs, and write their output
	$(BIN)/python tools/documents.py --write

stubs: develop ## Write src/postil/_native.pyi
	$(BIN)/python tools/check_stubs.py --write

bench: develop ## Measure against the peers, side by side
	$(BIN)/python -m pip install --quiet 'liblinear-official>=2.47' || \
	  echo "LIBLINEAR could not be installed: its comparisons are left out"
	$(BIN)/python -m pip install --quiet 'fasttext>=0.9.3' || \
	  echo "fastText could not be installed: its comparisons are left out"
	$(BIN)/python -m benchmarks

# The CMake of the system comes first, so that the driver can be built before .venv is there.
build/sanitize/postil_fuzz: $(NATIVE)
	PATH="$$PATH:$(CURDIR)/$(BIN)" cmake -S . -B build/sanitize -DPOSTIL_MODULE=OFF -DPOSTIL_FUZZ=ON -DCMAKE_BUILD_TYPE=Debug
	PATH="$$PATH:$(CURDIR)/$(BIN)" cmake --build build/sanitize --parallel
	@touch $@

sanitize: develop build/sanitize/postil_fuzz ## Check and fuzz the core under ASan and UBSan
	build/sanitize/postil_fuzz --seconds 20

clean: ## Remove what was built
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src -name '*.so' -delete
