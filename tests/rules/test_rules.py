import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tlogic
from tests.rules.strategies import rules
from tlogic import InputError, Rule, RuleSet


@given(st.lists(rules(), max_size=5))
def test_rules_are_restored_from_their_file(tmp_path_factory: pytest.TempPathFactory, found: list[Rule]) -> None:
    path = tmp_path_factory.mktemp("rules") / "some.rules"
    written = RuleSet(tuple(found), {"walks": 200}, {"fingerprint": "f"})
    written.save(path)
    assert RuleSet.load(path) == written


def test_the_file_is_json_with_one_rule_per_line(tmp_path: Path) -> None:
    path = tmp_path / "some.rules"
    RuleSet((Rule('say "hi"', ("a", "b^-1"), (0, 1, 0), 1, 2),) * 3).save(path)
    assert json.loads(path.read_text(encoding="utf-8"))["rules"][2]["head"] == 'say "hi"'
    assert sum("body_support" in line for line in path.read_text(encoding="utf-8").splitlines()) == 3


def test_a_rule_set_is_shown_in_a_line() -> None:
    rules = RuleSet((Rule("r", ("r",), (0, 1), 1, 1),) * 1200 + (Rule("r", ("r", "s"), (0, 1, 2), 1, 1),))
    assert repr(rules) == "RuleSet(1,201 rules: 1,200 of length 1, 1 of length 2)"
    assert repr(RuleSet(())) == "RuleSet(0 rules)"


def test_a_failed_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "some.rules"
    RuleSet(()).save(path)
    before = path.read_bytes()

    def no_space(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", no_space)
    with pytest.raises(InputError, match="No space left"):
        RuleSet((Rule("r", ("r",), (0, 1), 1, 1),)).save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("not json", "line 1: Expected an atom"),
        ("{not json", "is not a rule file"),
        ('{"3": [], "4": []}', "published TLogic code, which needs --ids relation2id.json"),
        ('{"format": "tlogic rules", "version": 1, "rules": {}}', "settings and data are JSON objects, rules a list"),
        ('{"rules": []}', "expected JSON with the format"),
        ('{"format": "tlogic rules", "version": 99}', "reads version 2"),
        ('{"format": "tlogic rules", "version": 1, "rules": [{"head": "r"}]}', "line 1: rule 1 cannot be read"),
        (
            '{"format": "tlogic rules", "version": 1, "rules": [{"head": "r", "body": ["r"], "variables": [0, 1], '
            '"rule_support": null, "body_support": 1}]}',
            "line 1: rule 1 is invalid.* integers 0 <= rule_support",
        ),
        (
            '{"format": "tlogic rules", "version": 1, "rules": [{"head": "r", "body": ["r"], "variables": [0, 1], '
            '"rule_support": NaN, "body_support": NaN}]}',
            "line 1: rule 1 is invalid.* integers 0 <= rule_support",
        ),
        (
            '{"format": "tlogic rules", "version": 1, "rules": [{"head": "r", "body": ["r"], "variables": [0, 1], '
            '"rule_support": 0.5, "body_support": 1}]}',
            "line 1: rule 1 is invalid.* integers 0 <= rule_support",
        ),
        (
            '{"format": "tlogic rules", "version": 1, "rules": [{"head": "r", "body": ["r"], "variables": [0, 1], '
            '"rule_support": 1, "body_support": 1e400}]}',
            "line 1: rule 1 is invalid.* integers 0 <= rule_support",
        ),
        (
            '{"format": "tlogic rules", "version": 1, "rules": [{"head": "r", "body": ["r"], "variables": [0], '
            '"rule_support": 1, "body_support": 1}]}',
            "rule 1 is invalid",
        ),
        (
            '{"format": "tlogic rules", "version": 1, "rules": [{"head": "r", "body": ["r"], "variables": [0, 2], '
            '"rule_support": 1, "body_support": 1}]}',
            "numbered by first appearance",
        ),
        (
            '{"format": "tlogic rules", "version": 1, "rules": [{"head": 5, "body": ["r"], "variables": [0, 1], '
            '"rule_support": 1, "body_support": 1}]}',
            "line 1: rule 1 cannot be read",
        ),
    ],
)
def test_broken_rule_files_are_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "broken.rules"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        RuleSet.load(path)


def test_rule_files_of_version_1_have_no_checksum(tmp_path: Path) -> None:
    path = tmp_path / "old.rules"
    path.write_text(
        '{"format": "tlogic rules", "version": 1, "rules": [\n'
        '{"head": "r", "body": ["s"], "variables": [0, 1], "rule_support": 1, "body_support": 2}]}'
    )
    assert RuleSet.load(path).rules == (Rule("r", ("s",), (0, 1), 1, 2),)


def test_contradictory_supports_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "edited.rules"
    RuleSet((Rule("a", ("b",), (0, 1), 3, 4), Rule("a", ("c",), (0, 1), 3, 4)), {"walks": 1}, {"facts": 2}).save(path)
    lines = path.read_text(encoding="utf-8").split("\n")
    number = next(number for number, line in enumerate(lines, 1) if '"c"' in line)
    edited = "\n".join(lines).replace(
        '["c"], "variables": [0, 1], "rule_support": 3', '["c"], "variables": [0, 1], "rule_support": 5'
    )
    path.write_text(edited, encoding="utf-8")
    with pytest.raises(InputError, match=f"edited.rules line {number}: rule 2 is invalid"):
        tlogic.seal(path)
    assert path.read_text(encoding="utf-8") == edited


def test_a_missing_rule_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="tlogic learn"):
        RuleSet.load(tmp_path / "none.rules")


def test_binary_files_are_rejected(tmp_path: Path) -> None:
    path = tmp_path / "some.rules"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not a rule file"):
        RuleSet.load(path)
    with pytest.raises(InputError, match="is not a rule file"):
        RuleSet.load(tmp_path)
