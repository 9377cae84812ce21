# Everything runs in .venv, which is made on first use and again when pyproject.toml changes.
PYTHON ?= python3
BIN := .venv/bin

# What has to come before the tests is done two at a time.
MAKEFLAGS += --jobs=2

.PHONY: demo test bench bench-huge docs lint types kernels browser clean

demo: .venv/ready
	$(BIN)/tlogic demo

test: lint types kernels browser
	$(BIN)/pytest --numprocesses=logical --maxprocesses=4 --dist=worksteal

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready
	$(BIN)/mypy

# The tests run side by side, and find the kernels compiled.
kernels: .venv/ready
	$(BIN)/python -m tests.kernels

# The page is tested in Chromium, which is installed where that can be done; the other tests run without it.
browser:
	@{ command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null \
	|| { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq \
	     && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y chromium >/dev/null; } \
	|| echo "Chromium is missing and cannot be installed here, so the tests of the page are not run."

docs: .venv/ready
	$(BIN)/mkdocs build --quiet
	@echo "Open site/index.html."

bench: .venv/ready
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.reading
	$(BIN)/python -m benchmarks.explaining
	$(BIN)/python -m benchmarks.models
	$(BIN)/python -m benchmarks.serving
	$(BIN)/python -m benchmarks.growth 1e5 1e6

# Takes ten minutes and 5 GB.
bench-huge: .venv/ready
	$(BIN)/python -m benchmarks.growth 1e6 5e6 20e6

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache site
