"""A release is refused with the reason, unless version, changelog and tag agree; an audit, unless it saw everything."""

import re

import pytest
from tools.release import ROOT, NotReadyError, check_agreement

CHANGELOG = "## [Unreleased]\n\n## [1.2.0] - 2030-01-02\n\n- New.\n\n## [1.1.0] - 2030-01-01\n"
READY = {"version": "1.2.0", "changelog": CHANGELOG, "tags": ["v1.2.0"], "changed": ""}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"version": "1.3.0"}, "version is 1.3.0, but the newest release in CHANGELOG.md is 1.2.0"),
        ({"changelog": CHANGELOG.replace("ed]\n", "ed]\n\n- More.\n", 1)}, "lines under Unreleased"),
        ({"tags": []}, "has no tag v1.2.0"),
        ({"changed": " M README.md"}, "not committed"),
    ],
)
def test_disagreement_is_named(change: dict[str, str], reason: str) -> None:
    check_agreement(**READY)  # type: ignore[arg-type]
    with pytest.raises(NotReadyError, match=reason):
        check_agreement(**(READY | change))  # type: ignore[arg-type]


@pytest.mark.parametrize("file", ["Makefile", ".github/workflows/ci.yml"])
def test_an_audit_fails_if_a_dependency_cannot_be_compared(file: str) -> None:
    calls = re.findall(r"pip-audit (-.*)", (ROOT / file).read_text("utf-8"))
    assert len(calls) == 1
    assert "--strict" in calls[0]
