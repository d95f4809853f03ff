# Two commands: `make run` runs the main job for real, `make test` proves the tree. Both set up .venv on a fresh machine.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: run test lint types imports tests quick bench browser clean

run: $(READY)
	$(BIN)/probatio trial --category declarations --context minimal --n-shot 3
	$(BIN)/probatio site build --out results/site

test: lint types imports tests

lint: $(READY)
	$(BIN)/ruff check src tests bench config
	$(BIN)/ruff format --check src tests bench config

types: $(READY)
	$(BIN)/mypy

imports: $(READY)
	$(BIN)/lint-imports

tests: $(READY) browser
	$(BIN)/pytest

# Web pages are checked, and the site is tested, in a real Chromium. Where it can't be installed those tests say so and are skipped.
browser:
	@for name in chromium chromium-browser google-chrome; do command -v $$name >/dev/null && exit 0; done; \
	echo "Installing Chromium for the tests"; \
	{ apt-get update && apt-get install -y --no-install-recommends chromium fonts-liberation fonts-dejavu-core; } \
	  >/dev/null 2>&1 || echo "Chromium could not be installed: tests that need it will be skipped."

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
