# Everything installs into the checkout: .venv and pi-extension/node_modules.

BIN := .venv/bin
PI := pi-extension/node_modules
# Pi needs a newer Node than many systems have; it comes with Pi, and goes first.
WITH_PI := PATH="$(CURDIR)/$(PI)/.bin:$$PATH"
NEWEST := python3 python3.14 python3.13 python3.12 python3.11
FIND_PYTHON = for python in $(NEWEST); do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break; \
	done || { echo 'Tank needs Python 3.11 or newer' >&2; exit 1; }

.PHONY: setup demo test check bench traces picture schema

setup: .venv/ready $(PI)/ready
	@:

.venv/ready: pyproject.toml
	@echo 'Setting up .venv'
	@$(FIND_PYTHON); test -x $(BIN)/python || $$python -m venv .venv
	@$(BIN)/python -m pip install -qq --disable-pip-version-check 'pip>=25.1'
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --editable . --group dev
	@touch $@

$(PI)/ready: pi-extension/package.json pi-extension/package-lock.json
	@test ! -L $(PI) || { echo '$(PI) is a link, and npm would empty what it points to: remove it' >&2; exit 1; }
	@echo 'Installing Pi and its Node'
	@cd pi-extension && npm ci --no-audit --no-fund --no-update-notifier --loglevel=error
	@touch $@

demo: setup
	@$(BIN)/python -m demo

test: setup
	$(BIN)/pytest -q
	cd pi-extension && $(WITH_PI) node --test 'test/*.test.ts'

check: setup
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --quiet
	$(BIN)/mypy
	$(WITH_PI) tsc --project pi-extension
	$(WITH_PI) tsc --project tests/support/extensions

bench: setup
	@$(BIN)/python -m bench

# Plays the scenarios on real Pi and stores what changed: make traces ONLY="plain_run reload"
traces: setup
	@$(BIN)/python -m tests.traces.record $(ONLY)

# README's pictures of the board, and what it says of keys and statuses.
picture: setup
	@$(BIN)/python -m tests.support.readme

schema: setup
	@$(BIN)/python -m tank.programs.schema schema
