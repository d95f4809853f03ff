# Two commands: `make run` runs the main job for real, `make test` proves the tree. Both set up .venv on a fresh machine.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: run test lint types imports tests quick bench clean

run: $(READY)
	$(BIN)/probatio trial --category declarations --context minimal --n-shot 3

test: lint types imports tests

lint: $(READY)
	$(BIN)/ruff check src tests bench
	$(BIN)/ruff format --check src tests bench

types: $(READY)
	$(BIN)/mypy

imports: $(READY)
	$(BIN)/lint-imports

tests: $(READY)
	$(BIN)/pytest

quick: $(READY)
	$(BIN)/pytest -m 'not slow'

bench: $(READY)
	@for file in bench/*.py; do echo "## $$file"; $(BIN)/python $$file; done

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
