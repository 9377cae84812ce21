import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rules.strategies import rules
from tlogic import InputError, Rule, RuleSet
from tlogic.rules import export_published, import_published

NAMES = ["Make_statement", "Return,_release_person(s)", "has relation"]
relations = st.sampled_from([*NAMES, *(f"{name}^-1" for name in NAMES)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "relation2id.json").write_text(json.dumps({name: id_ for id_, name in enumerate(NAMES)}), "utf-8")
    return tmp_path


@given(found=st.lists(rules(relations, unmeasured=False), max_size=6))
def test_rules_are_restored_from_the_published_format(
    tmp_path_factory: pytest.TempPathFactory, found: list[Rule]
) -> None:
    folder = tmp_path_factory.mktemp("published")
    (folder / "relation2id.txt").write_text("".join(f"{name}\t{id_}\n" for id_, name in enumerate(NAMES)), "utf-8")
    export_published(found, folder / "rules.json", folder)
    assert sorted(import_published(folder / "rules.json", folder)) == sorted(found)


def test_the_exact_published_format(folder: Path) -> None:
    rule = Rule(NAMES[0], (f"{NAMES[1]}^-1", NAMES[0], NAMES[2]), (0, 1, 0, 1), 1, 3)
    export_published([rule, rule._replace(head=f"{NAMES[0]}^-1", rule_support=2)], folder / "rules.json", folder)
    body = {"body_rels": [4, 0, 2], "var_constraints": [[0, 2], [1, 3]]}
    assert json.loads((folder / "rules.json").read_text("utf-8")) == {
        "0": [{"head_rel": 0, **body, "conf": 0.333333, "rule_supp": 1, "body_supp": 3}],
        "3": [{"head_rel": 3, **body, "conf": 0.666667, "rule_supp": 2, "body_supp": 3}],
    }


def test_constraints_with_one_position_have_no_effect(folder: Path) -> None:
    entry = {"head_rel": 0, "body_rels": [1, 4], "var_constraints": [[0, 2], [1]], "rule_supp": 1, "body_supp": 2}
    (folder / "rules.json").write_text(json.dumps({"0": [entry]}), "utf-8")
    assert import_published(folder / "rules.json", folder / "relation2id.json")[0].variables == (0, 1, 0)


GOOD = {"head_rel": 0, "body_rels": [1], "var_constraints": [], "conf": 0.5, "rule_supp": 1, "body_supp": 2}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("no json", "is not a rule file of the published code"),
        ("[]", "expected head ids with lists of rules"),
        ('{"format": "tlogic rules"}', "expected head ids with lists of rules"),
        (json.dumps({"0": [{"head_rel": 0}]}), "rule 1 cannot be read"),
        (json.dumps({"0": [GOOD, 5]}), "rule 2 cannot be read"),
        (json.dumps({"0": [GOOD | {"head_rel": "0"}]}), "rule 1 is invalid"),
        (json.dumps({"0": [GOOD | {"body_rels": []}]}), "rule 1 is invalid"),
        (json.dumps({"0": [GOOD | {"var_constraints": [[0, 2]]}]}), "rule 1 is invalid"),
        (json.dumps({"0": [GOOD | {"var_constraints": [[0, 1], [1, 0]]}]}), "rule 1 is invalid"),
        (json.dumps({"0": [GOOD | {"rule_supp": 3}]}), "rule 1 is invalid"),
        (
            json.dumps({"0": [GOOD | {"body_rels": [6]}]}),
            "rule 1 has the relation id 6, but 3 relations and their inverses have the ids 0 to 5",
        ),
    ],
)
def test_broken_rule_files_are_refused(folder: Path, content: str, message: str) -> None:
    (folder / "rules.json").write_text(content, "utf-8")
    with pytest.raises(InputError, match=message):
        import_published(folder / "rules.json", folder)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not JSON"),
        ('{"a": "0"}', "expected an integer id for 'a'; found '0'"),
        ('{"a": 0, "b": 0}', "expected relations with one id each; found 2 with 1 ids"),
        ('{"a": 0, "b": 2}', "expected the ids 0 to 1, one per relation; 1 is missing"),
        ("{}", "found 0 with 0 ids"),
        ("a 0\n", "line 1: expected a name, a tab and an integer id"),
    ],
)
def test_broken_ids_are_refused(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "ids").write_text(content, "utf-8")
    with pytest.raises(InputError, match=message):
        export_published([], tmp_path / "rules.json", tmp_path / "ids")


def test_missing_files_are_named(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(InputError, match=r"Cannot read the relation ids in .*none"):
        import_published("rules.json", tmp_path / "none")
    with pytest.raises(InputError, match="There is no rule file"):
        import_published(tmp_path / "none.json", folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"holds no relation2id.json or relation2id.txt"):
        import_published("rules.json", tmp_path / "empty")


def test_rules_that_cannot_be_exported_are_named(folder: Path) -> None:
    with pytest.raises(InputError, match=r"has no id for 'make_statement' of the rule .*did you mean 'Make_statement'"):
        export_published([Rule("has relation", ("make_statement",), (0, 1), 1, 2)], folder / "rules.json", folder)
    with pytest.raises(InputError, match="is unknown; `tlogic measure"):
        export_published(RuleSet((Rule("has relation", ("has relation",), (0, 1)),)), folder / "rules.json", folder)
    assert not (folder / "rules.json").exists()
