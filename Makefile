# What there is to make. Every target sets up .venv first where it is missing, so each works on a fresh machine.
#
#   make run      the main job for real: a small model is pulled, asked nine tasks, and the site is built
#   make quick    what a contributor runs: lint, types, imports, and the tests not marked slow (see pyproject.toml)
#   make test     everything, as CI runs it; installs Chromium where there is none and it may (see `browser`)
#   make bench    measurements; nothing fails when a machine is slow
#   make hooks    lint, types and imports before every commit, by pre-commit
#   make clean    removes .venv and what the tools keep
#
# Parts of test and quick, one by one: make lint, make types, make imports, make tests, make quick-tests.
#
#   make test BROWSER=no                        no browser is installed or started; the tests that need one are skipped
#   make test PROBATIO_CHROMIUM=/path/to/one    this browser is taken
#   make test WORKERS=4                         so many tests at a time; three, unless told otherwise: many of them wait

PYTHON ?= python3
WORKERS ?= 3
BROWSER ?= yes
BIN := .venv/bin
READY := .venv/.ready
RUNS := .venv/.runs

# The tests of one file stay together: they share what is costly to make, such as a built site or a recorded day.
# They are taken in the order of tests/conftest.py, slow ones first, not by their number.
PYTEST := $(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

ifdef PROBATIO_CHROMIUM
export PROBATIO_CHROMIUM
endif

.PHONY: run test quick lint types imports tests quick-tests browser bench hooks clean

run: $(RUNS)
	$(BIN)/probatio trial --category declarations --context minimal --n-shot 3
	$(BIN)/probatio site build --out results/site

test: lint types imports tests

quick: lint types imports quick-tests

lint: $(READY)
	$(BIN)/ruff check src tests bench config
	$(BIN)/ruff format --check src tests bench config

types: $(READY)
	$(BIN)/mypy

imports: $(READY)
	$(BIN)/lint-imports

# One worker: a second would load everything a second time, and these tests hardly wait.
quick-tests: $(READY)
	$(BIN)/pytest -m 'not slow'

# BROWSER=no names a browser that does not exist, so that the tests which need one skip with this name as their reason.
tests: $(READY) browser
	$(if $(filter no,$(BROWSER)),PROBATIO_CHROMIUM=no-browser-wanted )$(PYTEST)

# Web pages are checked, and the site is tested, in a real Chromium. Its headless shell does all of it for half the CPU, so that
# is what is installed; a system that has no such package gets the whole browser. Installing takes root and apt-get; without them a
# sentence says so and the tests go on.
FIND_BROWSER := from probatio.browser.chromium import executable; executable()
CHROMIUM_FONTS := fonts-liberation fonts-dejavu-core
APT_INSTALL := apt-get install -y --no-install-recommends

browser: $(READY)
	@if [ "$(BROWSER)" = no ]; then \
	  echo "BROWSER=no: the tests that need a browser are skipped."; \
	elif $(BIN)/python -c '$(FIND_BROWSER)' 2>/dev/null; then \
	  :; \
	elif [ -n "$$PROBATIO_CHROMIUM" ]; then \
	  echo "PROBATIO_CHROMIUM names $$PROBATIO_CHROMIUM, which can't be executed: the tests that need a browser are skipped."; \
	elif [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then \
	  echo "No Chromium was found, and installing it takes root and apt-get: the tests that need a browser are skipped."; \
	else \
	  echo "No Chromium was found. Now installing it for the tests: apt-get install chromium-headless-shell $(CHROMIUM_FONTS) (290 MB and its libraries)."; \
	  echo "To avoid this, press Ctrl-C and run: make test PROBATIO_CHROMIUM=/path/to/chromium, or make test BROWSER=no"; \
	  { apt-get update && { $(APT_INSTALL) chromium-headless-shell $(CHROMIUM_FONTS) \
	    || $(APT_INSTALL) chromium $(CHROMIUM_FONTS); }; } >/dev/null 2>&1 \
	    || echo "Chromium could not be installed: the tests that need a browser are skipped."; \
	fi

bench: $(READY)
	@for file in bench/*.py; do echo "## $$file"; $(BIN)/python $$file; done

# pre-commit is a contributor's tool: it is installed here, not with what the tests need.
hooks: $(READY)
	$(BIN)/python -m pip install --quiet pre-commit
	$(BIN)/pre-commit install

# What a first run needs is a quarter of what the tests need.
$(RUNS): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[embedded,site,watch,charts,kcl]'
	touch $@

$(READY): $(RUNS)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
