# Everything runs in .venv, which is made on first use and again when pyproject.toml changes.
PYTHON ?= python3
BIN := .venv/bin

# What has to come before the tests is done two at a time.
MAKEFLAGS += --jobs=2

.PHONY: demo test bench docs lint types kernels clean

demo: .venv/ready
	$(BIN)/tlogic demo

test: lint types kernels
	$(BIN)/pytest --numprocesses=logical --maxprocesses=4 --dist=worksteal

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready
	$(BIN)/mypy

# The tests run side by side, and find the kernels compiled.
kernels: .venv/ready
	$(BIN)/python -m tests.kernels

docs: .venv/ready
	$(BIN)/mkdocs build --quiet
	@echo "Open site/index.html."

bench: .venv/ready
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.reading
	$(BIN)/python -m benchmarks.explaining
	$(BIN)/python -m benchmarks.models

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache site
