# Two commands on a fresh machine: `make demo` and `make test`.
# Needs Python 3.10–3.13, make and a package index; pip is used as this machine has configured it.

PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3.10 python3; do \
	"$$p" -c 'import sys; sys.exit(not (3,10) <= sys.version_info < (3,14))' 2>/dev/null && { echo "$$p"; break; }; done)
VENV ?= .venv
BIN := $(VENV)/bin
SOURCES := src tests examples bench

# A stamp carries the content of pyproject.toml in its name: a second run has nothing to do, and a fresh
# checkout of the same file neither.
SUM := $(shell cksum < pyproject.toml | tr ' ' '-')
DEMO_STAMP := $(VENV)/.demo-$(SUM)
DEV_STAMP := $(VENV)/.dev-$(SUM)

.PHONY: help demo test lint quick system soak bench compat caches clean
help:
	@echo "make demo    install and profile examples/digits_fit.py"
	@echo "make test    lint, types, layers and a fast part of every suite"
	@echo "make lint    only ruff, mypy and import-linter"
	@echo "make soak    every suite, whole"
	@echo "make bench   what we claim, measured (writes docs/benchmarks.md)"
	@echo "make compat  the quick suites on TensorFlow $(COMPAT), the caches on Keras $(COMPAT_KERAS)"

demo: $(DEMO_STAMP)
	$(BIN)/headstart profile examples/digits_fit.py

test: lint quick

# Two at a time, but for suites that measure: those run after the others, one by one.
PYTEST := $(BIN)/python -m pytest --durations=15
SIDE_BY_SIDE := --numprocesses=2 --dist=worksteal
quick: $(DEV_STAMP) system
	$(PYTEST) -m "not soak and not alone" $(SIDE_BY_SIDE)
	$(PYTEST) -m "not soak and alone"

# A browser and PostgreSQL for their tests; says so where they cannot be had.
system:
	@scripts/system.sh

lint: $(DEV_STAMP)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

soak: $(DEV_STAMP) system
	$(PYTEST) -m "not alone" $(SIDE_BY_SIDE)
	$(PYTEST) -m "alone"

bench: $(DEV_STAMP)
	$(BIN)/python -m pip install --quiet -e ".[bench]"
	$(BIN)/python -m bench

COMPAT ?= 2.16 2.18 2.20 2.21
COMPAT_KERAS ?= 3.12 3.13 3.14
compat: $(COMPAT:%=compat-%) $(COMPAT_KERAS:%=compat-keras-%)
compat-%:
	$(MAKE) VENV=.venv-tf$* TENSORFLOW="tensorflow-cpu==$*.*" quick
# Not "keras" in the name: TensorFlow shows its own frames in messages where the path of its files has that.
compat-keras-%:
	$(MAKE) VENV=.venv-k$* TENSORFLOW="keras==$*.*" caches
caches: $(DEV_STAMP)
	$(PYTEST) tests/accelerate/cache tests/cli/test_cache.py -m "not soak" $(SIDE_BY_SIDE)

# The interpreter of the environment; Debian splits venv from Python, virtualenv does as well.
$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "headstart needs Python 3.10 to 3.13: make PYTHON=/path/to/python"; exit 1; }
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); $(PYTHON) -m virtualenv $(VENV); }
	@# The `headstart` command that an old pip writes imports `re`: 8 ms of every run, more than all the rest of it.
	$(BIN)/python -m pip install --quiet --upgrade pip

$(DEMO_STAMP): | $(BIN)/python
	$(BIN)/python -m pip install --quiet -e ".[tensorflow,examples]" $(TENSORFLOW)
	$(BIN)/python -m compileall -q src
	@touch $@

$(DEV_STAMP): | $(BIN)/python
	$(BIN)/python -m pip install --quiet -e ".[tensorflow,dev]" $(TENSORFLOW)
	$(BIN)/python -m compileall -q src
	@touch $@ $(DEMO_STAMP)

clean:
	rm -rf .venv-tf* .venv-k* build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
