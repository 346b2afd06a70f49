# `make run` and `make test` are the two commands. Both build .venv first, and only when a lock or pyproject.toml changed.
# The stamps lie inside .venv, so that removing the folder is all it takes to start anew.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.NOTPARALLEL:
.DEFAULT_GOAL := help

PYTHON ?= python3
BIN := .venv/bin
UV := $(BIN)/uv
LOCK_FLAGS := --quiet --universal --python-version 3.11 --fork-strategy fewest --generate-hashes --no-header --no-annotate
INSTALL_SELF := $(UV) pip install --quiet --no-deps --no-build-isolation --editable .
# A file's tests stay together, for what they share.
PARALLEL := -n auto --dist loadfile
BENCHES = $(filter-out bench/citations.py bench/conflicts.py bench/quality.py bench/real_model.py bench/serving.py bench/serving_apps.py bench/spans.py,$(shell grep -lE '^main[[:punct:]]|^asyncio.run|^if __name__' bench/*.py))

export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1
export UV_NO_PROGRESS := 1
export VIRTUAL_ENV := $(CURDIR)/.venv

.PHONY: help run test check lint format bench bench-server bench-quality bench-citations bench-corpus verifier choice answerable lock lock-peers clean

help: ## say what can be made
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 22

run: .venv/run.stamp ## serve, with a sample collection; `make run ARGS="--port 9000"` passes options on
	@$(BIN)/pincite serve $(ARGS)

test: lint ## check everything and run every test and example
	$(BIN)/pytest $(PARALLEL)

check: lint ## the quick half of the checks: style, types, import rules, unit and contract tests
	$(BIN)/pytest $(PARALLEL) $(wildcard tests/house tests/unit tests/contracts)

lint: .venv/dev.stamp
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/lint-imports --no-logo
	$(BIN)/pyright

format: .venv/dev.stamp ## format the code and mend what can be mended
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: .venv/dev.stamp .venv/peers/parsing.stamp ## measure speed and memory
	@$(MAKE) --no-print-directory .venv/peers/search.stamp || echo "The engines that search is compared with can't be installed here: measuring without them."
	for file in $(BENCHES); do echo "== $$file"; $(BIN)/python "$$file"; done

bench-server: .venv/dev.stamp .venv/peers/serving.stamp ## measure streams beside other servers
	$(BIN)/python bench/serving.py

bench-quality: .venv/dev.stamp ## measure retrieval quality
	$(BIN)/python bench/quality.py

bench-citations: .venv/dev.stamp .venv/peers/training.stamp ## measure verdicts by folds, tampering, quotes, boxes, conflicts, receipts, cost
	PYTHONPATH=bench $(BIN)/python tools/train_verifier.py .venv/peers/training/bin/python --report
	$(BIN)/python bench/citations.py
	$(BIN)/python bench/conflicts.py
	$(BIN)/python bench/spans.py
	$(BIN)/python bench/receipts.py

verifier: .venv/dev.stamp .venv/peers/training.stamp ## train the verifier's weights anew (about ten minutes)
	PYTHONPATH=bench $(BIN)/python tools/train_verifier.py .venv/peers/training/bin/python

choice: .venv/dev.stamp .venv/peers/training.stamp ## train what chooses the sentences of an answer anew (some minutes)
	PYTHONPATH=bench $(BIN)/python tools/train_choice.py .venv/peers/training/bin/python

answerable: .venv/dev.stamp ## train what tells how likely an answer is anew, and measure it (about ten minutes the first time)
	PYTHONPATH=bench $(BIN)/python tools/train_answerable.py

bench-corpus: .venv/dev.stamp ## put real and hostile files in, and say what became of each
	$(BIN)/python bench/corpus.py
	$(BIN)/python bench/attacks.py

# The lock is made from a copy, since uv reads no groups of a project that it doesn't manage.
# `make lock ARGS=--upgrade` takes the newest versions.
lock: $(UV) ## pin the dependencies of pyproject.toml
	@scratch=$$(mktemp -d); trap 'rm -r "$$scratch"' EXIT; project="$$scratch/pyproject.toml"; \
	grep -v '^managed = ' pyproject.toml > "$$project"; \
	$(UV) pip compile $(LOCK_FLAGS) $(ARGS) --extra ocr --group "$$project:install" -o requirements.lock "$$project"; \
	$(UV) pip compile $(LOCK_FLAGS) $(ARGS) --extra ocr --group "$$project:install" --group "$$project:dev" \
	  -c requirements.lock -o requirements-dev.lock "$$project"

lock-peers: $(UV) ## pin what benches compare with
	for names in bench/peers/*.in; do $(UV) pip compile $(LOCK_FLAGS) $(ARGS) -o "$${names%.in}.lock" "$$names"; done

clean: ## remove the environment and every cache
	rm -rf .venv .pytest_cache .ruff_cache .import_linter_cache .hypothesis build dist
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# Run needs requirements.lock alone; requirements-dev.lock holds the same and what the checks need. Each sync removes
# what its lock doesn't name, so a run sync takes the dev stamp away and a dev sync renews the run stamp.
.venv/run.stamp: requirements.lock pyproject.toml | $(UV)
	@$(UV) pip sync --quiet --compile-bytecode --require-hashes requirements.lock
	@$(INSTALL_SELF)
	@$(BIN)/python -m compileall -q src/pincite
	@rm -f .venv/dev.stamp
	@touch $@

.venv/dev.stamp: requirements-dev.lock requirements.lock pyproject.toml | $(UV)
	@$(UV) pip sync --quiet --compile-bytecode --require-hashes requirements-dev.lock
	@$(INSTALL_SELF)
	@$(BIN)/python -m compileall -q src/pincite
	@touch .venv/run.stamp $@

# What benches compare with, each group in an environment of its own.
.venv/peers/%.stamp: bench/peers/%.lock | $(UV)
	@$(UV) venv --quiet --clear --python $(BIN)/python .venv/peers/$*
	@VIRTUAL_ENV=.venv/peers/$* $(UV) pip sync --quiet --compile-bytecode --require-hashes $<
	@touch $@

# pip fetches uv as the lock names it, hash and all, and is taken away again (24 MB): uv does the rest, its own updates too.
$(UV):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Pincite needs Python 3.11 or newer. Name one: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@echo "Building .venv (about a minute, once)."
	@$(PYTHON) -m venv --clear .venv
	@awk '/^uv==/ {on = 1} on {print} on && !/\\$$/ {exit}' requirements.lock > .venv/uv.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r .venv/uv.txt
	@$(UV) pip uninstall --quiet pip setuptools
