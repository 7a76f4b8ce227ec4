# foible: `make demo` and `make test` set up what they need in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := core/Cargo.toml
SOURCES := $(shell find core/src python -name '*.rs' -o -name '*.py' -o -name '*.pyi' -o -name '*.toml' -o -name '*.gz') \
	core/Cargo.toml core/Cargo.lock pyproject.toml README.md
PAGE := python/foible/interfaces/web/page/index.html
PAGE_SOURCES := $(shell find web -path web/node_modules -prune -o -type f -print)

# Two at a time: much of the work has one thread, or waits for the network.
MAKEFLAGS += --jobs=2
# Cargo would look for the job server, which make keeps to itself, and warn.
unexport MAKEFLAGS

.DEFAULT_GOAL := help
.PHONY: help demo test lint lint-rust lint-python docs rust bench build clean

help: ## Show this list.
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/installed ## Play a match of a minute that shows what foible is about: who won, and who lost how much.
	$(BIN)/foible demo

# The demo is no prerequisite here: it measures the machine, on which nothing else should run meanwhile.
test: lint docs rust ## Lint, check types, build, write the documents, play the demo, and run all tests against the installed package.
	$(BIN)/foible demo
	$(BIN)/pytest

lint: lint-rust lint-python ## Formatters, linters, type checkers, import layers.

lint-rust:
	cargo fmt --manifest-path $(CORE) --check
	cargo clippy --manifest-path $(CORE) --all-targets --quiet -- -D warnings

rust: lint-rust  # cargo does one thing at a time
	cargo test --manifest-path $(CORE) --no-default-features --quiet

lint-python: $(VENV)/installed $(VENV)/train $(VENV)/docs
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/stubtest foible._core --concise
	$(BIN)/lint-imports

# A part of `make test`, since it takes about a minute: a broken link or docstring is an error.
docs: $(VENV)/installed $(VENV)/train $(VENV)/docs ## Write the documents as a site with search into site/: begin with site/index.html.
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --jobs auto --doctree-dir $(VENV)/doctrees docs site

bench: $(VENV)/installed ## Measure nets, search, tree and PGN streaming on this machine.
	for what in nets search tree pgn; do $(BIN)/foible bench $$what || exit; done

build: dist/built ## Build the wheel into dist/.

dist/built: $(SOURCES) $(PAGE) $(VENV)/tools
	rm -rf dist
	$(BIN)/maturin build --release --locked --out dist
	touch $@

# What `foible web` serves: users need no Node, the wheel brings it.
$(PAGE): $(PAGE_SOURCES)
	cd web && npm ci --silent --no-audit --no-fund && npm run --silent build
	touch $@

$(VENV)/tools: requirements.lock
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	touch $@

# PyTorch and what it brings along: some 3 GB, for training and its tests alone.
$(VENV)/train: requirements-train.lock $(VENV)/tools
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-train.lock
	touch $@

$(VENV)/docs: requirements-docs.lock $(VENV)/train
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-docs.lock
	touch $@

# The wheel, not the source tree: what is tested is what is installed.
$(VENV)/installed: dist/built
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps dist/*.whl
	touch $@

clean: ## Remove everything that was built.
	rm -rf $(VENV) dist site docs/reference/commands docs/reference/python core/target web/node_modules $(dir $(PAGE))
