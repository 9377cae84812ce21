# Everything runs in .venv, which is made on first use and again when pyproject.toml changes.
PYTHON ?= python3
BIN := .venv/bin
# One process more than cores, because some tests wait. Tests that share fixtures run in one process (tests/conftest.py).
PROCESSES := $(shell $(PYTHON) -c 'import os; print(min(os.cpu_count() + 1, 4))')
IN_PARALLEL := --numprocesses=$(PROCESSES) --dist=loadgroup --no-loadscope-reorder
PYTEST := $(BIN)/pytest $(IN_PARALLEL)
MINUTES ?= 60

# Every command starts a second sooner if Python may keep its byte code.
unexport PYTHONDONTWRITEBYTECODE

# What has to come before the tests is done two at a time.
MAKEFLAGS += --jobs=2

.PHONY: help demo test coverage quick lint types contracts kernels browser lowest wheel release audit soak docs bench \
    bench-huge bench-tgb clean
.DEFAULT_GOAL := help

help:  ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv/core  ## Show a tour of the sample world.
	$(BIN)/tlogic demo

test: lint types contracts kernels browser  ## Run linters, type checks, import contracts and all tests.
	$(PYTEST)

# Kernels are compiled by Numba, so coverage cannot trace them and leaves them out.
coverage: kernels browser  ## Run all tests and report which lines they execute.
	$(PYTEST) --cov --cov-report=term:skip-covered --cov-report=html
	@echo "Open htmlcov/index.html."

quick: kernels  ## Run the tests of the method that need no data, browser, server or cluster.
	$(PYTEST) -m "not benchmark_data and not browser and not postgres and not py_tgb" tests/events tests/graph tests/rules \
	    tests/learning tests/forecasting tests/evidence tests/models tests/explaining tests/evaluation

lint: .venv/ready  ## Check style and format.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready  ## Check types.
	$(BIN)/mypy

contracts: .venv/ready  ## Check that packages import only what lies below them.
	$(BIN)/lint-imports

# The tests run side by side, and find the kernels compiled.
kernels: kernels-rules kernels-models

kernels-%: .venv/ready
	$(BIN)/python -m tests.kernels $*

# The page is tested in Chromium. As root on Debian or Ubuntu it is installed; elsewhere these tests are skipped.
browser:
	@if { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "Chromium is missing: installing the system package chromium with apt-get for the tests of the page."; \
	    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y chromium >/dev/null; } \
	    || echo "Chromium could not be installed: the tests of the page are skipped."; \
	else \
	    echo "Chromium is missing: the tests of the page are skipped. Install chromium to run them."; \
	fi

# Needs uv. The tests that drive a browser, a cluster or the HTTP schema, or compare with py-tgb, need tools with higher
# bounds of their own, and pandas 2 words some errors in another way than pandas 3.
lowest:  ## Run the tests with the oldest dependencies that pyproject.toml allows.
	uv venv --quiet --clear --python 3.11 .venv-lowest
	uv pip install --quiet --python .venv-lowest --resolution lowest-direct \
	    --editable '.[boosted,databases,plots,serve,test,tune]'
	.venv-lowest/bin/python -m tests.kernels
	.venv-lowest/bin/pytest $(IN_PARALLEL) -m "not benchmark_data and not browser and not py_tgb" \
	    -k "not frames_that_hold_no_facts and not pandas_without_pyarrow" \
	    tests --ignore tests/serving/test_openapi.py --ignore tests/test_documents.py --ignore tests/test_cluster.py \
	    --ignore tests/test_parallel.py

wheel: .venv/ready  ## Build the wheel, install it in a clean environment and run it.
	rm -rf build/wheel && mkdir -p build/wheel
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir build/wheel .
	$(PYTHON) -m venv build/wheel/clean
	build/wheel/clean/bin/pip install --quiet build/wheel/*.whl
	cd build/wheel && clean/bin/tlogic --version && clean/bin/tlogic demo

release:  ## Check version, changelog and tag, build wheel and sdist, and run them in clean environments.
	$(PYTHON) -m tools.release

audit: .venv/ready  ## Compare the locked dependencies with the known vulnerabilities.
	$(PYTHON) -m venv build/audit
	build/audit/bin/pip install --quiet pip-audit
	$(BIN)/uv export --quiet --locked --all-extras --no-emit-project --output-file build/audit/requirements.txt
	build/audit/bin/pip-audit --strict --disable-pip --require-hashes --requirement build/audit/requirements.txt \
	    || { echo "The audit failed: a dependency is vulnerable, or could not be compared."; exit 1; }

soak: .venv/ready  ## Test the promises of docs/reliability.md for an hour (MINUTES=60) and write the page.
	$(BIN)/python -m benchmarks.soak --minutes $(MINUTES) --out docs/reliability.md

docs: .venv/ready  ## Build the documentation site.
	$(BIN)/mkdocs build --quiet
	@echo "Open site/index.html."

bench: .venv/ready  ## Measure speed and memory.
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.reading
	$(BIN)/python -m benchmarks.explaining
	$(BIN)/python -m benchmarks.first_use
	$(BIN)/python -m benchmarks.models
	$(BIN)/python -m benchmarks.serving
	$(BIN)/python -m benchmarks.serving icews14
	$(BIN)/python -m benchmarks.growth 1e5 1e6

bench-tgb: .venv/ready  ## Measure worlds of the sizes of TGB 2.0: hours, 8 GB.
	$(BIN)/python -m benchmarks.tgb

bench-huge: .venv/ready  ## Measure growth to 20 million facts: ten minutes, 5 GB.
	$(BIN)/python -m benchmarks.growth 1e6 5e6 20e6

# uv is faster than pip, but does not read pip's configuration, so pip is the fallback.
install = $(BIN)/uv pip install --quiet --compile-bytecode --system-certs --python $(BIN)/python --editable $(1) \
    || $(BIN)/pip install --quiet --editable $(1)

# What running needs, without the tools for tests and documentation.
.venv/core: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet uv || true
	$(call install,.)
	touch $@

.venv/ready: .venv/core
	$(call install,'.[dev]')
	touch $@

clean:  ## Remove environments, caches and build products.
	rm -rf .venv .venv-lowest .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .coverage* coverage.xml htmlcov \
	    build dist site
