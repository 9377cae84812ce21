"""Rule and model files carry a checksum: damage is noticed before anything of the file is used."""

from pathlib import Path

import pytest

import tlogic
from tests.cli.running import assert_refused, run
from tests.damage import flipped
from tlogic import InputError, Model, Rule, RuleSet

RULES = RuleSet(
    tuple(Rule("consult", (f"meet {i}", "visit^-1"), (0, 1, 0), i, 2 * i + 1) for i in range(20)),
    {"walks": 200, "seed": 12},
    {"facts": 1234, "until": "2031-02-10"},
)


def test_a_flipped_bit_in_a_rule_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "some.rules"
    RULES.save(path)
    for content in flipped(path.read_bytes()):
        path.write_bytes(content)
        with pytest.raises(InputError):
            tlogic.load(path)


def test_truncated_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.rules"
    RULES.save(path)
    content = path.read_bytes()
    for length in range(1, len(content) - 1, 97):
        path.write_bytes(content[:length])
        with pytest.raises(InputError):
            RuleSet.load(path)


def test_an_edited_rule_file_is_sealed_by_command(tmp_path: Path) -> None:
    path = tmp_path / "edited.rules"
    RULES.save(path)
    path.write_text(path.read_text(encoding="utf-8").replace('"meet 3"', '"phone"'), encoding="utf-8")
    refused = run("rules", path)
    assert_refused(refused, "does not match its checksum")
    assert f"tlogic rules {path} --seal" in refused.stderr.replace("\n", " ").replace("  ", " ")
    sealed = run("rules", path, "--seal")
    assert (sealed.returncode, sealed.stdout) == (0, "")
    assert "edited.rules has a new checksum" in sealed.stderr.replace("\n", " ")
    assert RuleSet.load(path)[3].body == ("phone", "visit^-1")
    assert RuleSet.load(path).settings == RULES.settings


def test_text_needs_no_checksum(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("57/100 consult(X, Y, T2) <- meet(X, Y, T1)\n")
    assert RuleSet.load(path)[0].confidence == 0.57
    assert_refused(run("rules", path, "--seal"), "need no checksum")


def test_a_rule_file_keeps_its_checksum_with_other_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "windows.rules"
    path.write_bytes(b"\xef\xbb\xbf" + RULES.to_json().replace("\n", "\r\n").encode())
    assert RuleSet.load(path) == RULES


def test_an_edited_model_is_sealed(tmp_path: Path) -> None:
    path = tmp_path / "edited.model"
    model = tlogic.fit(tlogic.sample(days=60), evidence=["popularity"])
    path.write_text(model.to_json().replace('"seed": 12', '"seed": 13'), encoding="utf-8")
    with pytest.raises(InputError, match=r"does not match its checksum.*tlogic fit"):
        Model.load(path)
    assert isinstance(tlogic.seal(path), Model)
    assert Model.load(path).to_json() != model.to_json()
