# Everything that a developer runs. `make help` lists the targets.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
LOG ?= recordings/earlier-empty-in-view.jsonl

.DEFAULT_GOAL := help
.PHONY: help demo test test-models check lint types docs docs-check bench validity clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' \
		| while IFS="$$(printf '\t')" read -r name text; do printf '  %-12s %s\n' "$$name" "$$text"; done

$(VENV)/.installed: pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) not found; set PYTHON=…" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
	@touch $@

demo: $(VENV)/.installed ## Set up and explain a shipped recording (LOG=… for another)
	$(BIN)/agentprint explain $(LOG)

test: $(VENV)/.installed ## Set up and run the tests
	$(BIN)/python -m pytest -n 2

test-models: $(VENV)/.installed ## Run the tests that need PyTorch (installs a CPU build)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group torch-tests
	$(BIN)/python -m pytest tests/embedding/test_st_models.py

check: lint types test docs-check ## Lint, types, tests, generated docs up to date

lint: $(VENV)/.installed ## Lint and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed ## Types (mypy, strict)
	$(BIN)/mypy

docs: $(VENV)/.installed ## Write the generated docs again
	$(BIN)/python tools/generate_docs.py

docs-check: $(VENV)/.installed ## Fail when the generated docs are out of date
	$(BIN)/python tools/generate_docs.py --check

bench: $(VENV)/.installed ## Measure the product's figures (BENCH_MB=200 sets the log's size)
	$(BIN)/python -m bench

validity: $(VENV)/.installed ## Measure how well margins tell wrong choices (DATA=folder adds labelled sets)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group validity
	$(BIN)/python -m bench.validity $(if $(DATA),--data $(DATA)) $(if $(WRITE),--write $(WRITE)) \
		--embedder minilm --embedder bench.validity.static:make

clean: ## Remove what the other targets made
	rm -rf $(VENV) .bench .mypy_cache .ruff_cache .pytest_cache .hypothesis
