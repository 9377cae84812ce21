"""A release is refused with the reason, unless version, changelog and tag agree."""

import pytest
from tools.release import NotReadyError, check_agreement

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
