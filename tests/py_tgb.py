"""The package py-tgb of TGB 2.0, whose evaluator is compared with ours."""

import os
from importlib import import_module
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def py_tgb() -> ModuleType:
    """The datasets of py-tgb; where it is missing the tests are skipped, but not in CI."""
    try:
        return import_module("tgb.linkproppred.dataset")
    except ImportError as error:
        reason = f"py-tgb is missing ({error}); install it with pip install '.[dev]'"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
