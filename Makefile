# Every target sets up .venv when it is missing, so each works on a fresh machine.
#
#   make run      both questions for real: a small model is pulled, asked nine tasks and five cases of the watch, and the site is built
#   make quick    what a contributor runs: lint, types, imports, and the tests not marked slow (see pyproject.toml)
#   make test     what CI runs; installs Chromium where there is none and it may (see `browser`)
#   make soak     what is long by nature: simulations, long kill loops, every page at every width; before a release
#   make fuzz     mutated answers, replies and folders for MINUTES=30; findings and the tally are kept (tests/fuzz)
#   make bench    measurements; nothing fails when a machine is slow
#   make hooks    lint, types and imports before every commit, by pre-commit
#   make clean    removes .venv and what the tools keep
#
# Parts of test and quick, one by one: make lint, make types, make imports, make tests, make quick-tests.
#
#   make test BROWSER=no                        no browser is installed or started; the tests that need one are skipped
#   make test PROBATIO_CHROMIUM=/path/to/one    this browser is taken
#   make test WORKERS=4                         so many tests at a time; three, unless told otherwise: many of them wait
#
# Tests that are skipped are counted at the end, each with its reason.

PYTHON ?= python3
WORKERS ?= 3
BROWSER ?= yes
MINUTES ?= 30
BIN := .venv/bin
READY := .venv/.ready
RUNS := .venv/.runs
CODE := src tests bench tools examples

# The tests of one file stay together: they share what is costly to make, such as a built site or a recorded day.
# They are taken in the order of tests/conftest.py, slow ones first, not by their number.
# BROWSER=no names a browser that does not exist, so that the tests which need one skip with this name as their reason.
PYTEST := $(if $(filter no,$(BROWSER)),PROBATIO_CHROMIUM=no-browser-wanted )$(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

ifdef PROBATIO_CHROMIUM
export PROBATIO_CHROMIUM
endif

# The tests start hundreds of Pythons: each would compile everything anew where bytecode may not be kept.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test quick soak fuzz lint types imports tests quick-tests browser bench hooks clean

run: $(RUNS)
	$(BIN)/probatio trial --category declarations --context minimal --n-shot 3
	$(BIN)/probatio daily --form first
	$(BIN)/probatio verdict
	$(BIN)/probatio site build --out results/site

# Types take a core for as long as lint and imports take another; then the tests.
test: $(READY)
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target types lint imports
	@$(MAKE) --no-print-directory tests

# Two at a time: types are checked while tests run.
quick: $(READY)
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target quick-tests lint types imports

soak: $(READY) browser
	$(PYTEST) -m soak

fuzz: $(READY) browser
	cd tests && ../$(BIN)/python -m fuzz --minutes $(MINUTES) --jobs 2 --keep

lint: $(READY)
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)

types: $(READY)
	$(BIN)/mypy

imports: $(READY)
	$(BIN)/lint-imports

tests: $(READY) browser
	$(PYTEST)

quick-tests: $(READY)
	$(BIN)/pytest -n $(WORKERS) --dist loadfile -m 'not slow and not soak'

# Without a browser the tests go on, and skip what needs one.
browser: $(READY)
	@$(BIN)/python tools/install_browser.py $(BROWSER)

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
