import json
from pathlib import Path

import pytest

from tests.cli.running import run, run_process
from tlogic import Rule, RuleSet
from tlogic.rules import import_published

CONSULT = Rule("Consult", ("Discuss_by_telephone",), (0, 1), 57, 100)
VISIT = Rule("Make_a_visit", ("Consult", "Host_a_visit^-1"), (0, 1, 2), 1, 4)
WRITTEN = Rule("Consult", ("Make_a_visit^-1",), (0, 1))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    RuleSet((CONSULT, VISIT, WRITTEN)).save(tmp_path / "some.rules")
    return tmp_path / "some.rules"


def show(*arguments: object) -> str:
    done = run("rules", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_rules_are_shown_in_logic_and_in_words(file: Path) -> None:
    assert show(file) == (
        f"57/100   {CONSULT}  # X consults Y after discussing by telephone with Y\n"
        f"1/4      {VISIT}  # X makes a visit to Z after X consults Y and then Z hosts a visit by Y\n"
        f"{WRITTEN}  # X consults Y after Y makes a visit to X\n"
    )
    assert show(file, "--logic", "--top", 1) == f"57/100   {CONSULT}\n"
    assert show(file, "--words").splitlines()[::2] == [
        "0.570    X consults Y after discussing by telephone with Y",
        "?        X consults Y after Y makes a visit to X",
    ]


def test_what_is_shown_is_a_rule_file(file: Path) -> None:
    copy = file.with_name("copy.txt")
    copy.write_text(show(file), "utf-8")
    assert RuleSet.load(copy) == RuleSet.load(file)


def test_rules_are_selected_and_sorted(file: Path) -> None:
    assert show(file, "--logic", "--head", "Consult", "--length", "1").count("\n") == 2
    assert show(file, "--logic", "--body", "Host_a_visit^-1", "--body", "Consult").count("\n") == 1
    assert show(file, "--logic", "--min-confidence", 0.3) == f"57/100   {CONSULT}\n"
    assert show(file, "--logic", "--min-support", 200) == ""
    assert show(file, "--logic", "--sort", "name").splitlines()[-1].startswith("1/4")


def test_rules_as_json(file: Path) -> None:
    found = json.loads(show(file, "--json", "--top", 1))
    assert (found["total"], found["selected"]) == (3, 3)
    (row,) = found["rules"]
    assert row["words"] == "X consults Y after discussing by telephone with Y"
    assert (row["head"], row["body"], row["confidence"]) == ("Consult", ["Discuss_by_telephone"], 0.57)


@pytest.mark.parametrize("name", ["new.rules", "new.txt", "new.csv", "new.parquet"])
def test_a_selection_is_written_by_suffix(file: Path, name: str) -> None:
    done = run("rules", file, "--head", "Consult", "--out", file.with_name(name))
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert "2 rules written" in done.stderr
    assert RuleSet.load(file.with_name(name)).rules == (CONSULT, WRITTEN)


def test_a_written_file_keeps_the_order_of_the_rules(file: Path) -> None:
    RuleSet((WRITTEN, VISIT, CONSULT)).save(file)
    new = file.with_name("new.txt")
    assert show(file, "--out", new) == ""
    assert RuleSet.load(new).rules == (WRITTEN, VISIT, CONSULT)
    assert show(file, "--out", new, "--top", 1) == ""
    assert RuleSet.load(new).rules == (CONSULT,)


def test_rule_files_are_compared(file: Path) -> None:
    other = file.with_name("other.txt")
    other.write_text(f"60/100 {CONSULT}\n{WRITTEN}\nVeto(X, Y, T2) <- Consult(X, Y, T1)\n", "utf-8")
    done = run_process("rules", file, "--compare", other)
    assert done.stdout == (
        f"- 1/4      {VISIT}\n+ ?        Veto(X, Y, T2) <- Consult(X, Y, T1)\n~ 57/100 -> 60/100  {CONSULT}\n"
    )
    assert "1 in both with different supports" in done.stderr
    assert "1 equal in both" in done.stderr
    found = json.loads(show(file, "--compare", other, "--json", "--head", "Veto"))
    assert [len(found[name]) for name in ("only_first", "only_second", "changed")] == [0, 1, 0]


def test_rule_files_are_merged(file: Path) -> None:
    other, merged = file.with_name("other.txt"), file.with_name("merged.rules")
    other.write_text(f"2/200 {CONSULT}\n1/3 {VISIT}\n0.5 Veto(X, Y, T2) <- Consult(X, Y, T1)\n", "utf-8")
    assert show(file, "--merge", other, "--out", merged) == ""
    assert [rule[3:] for rule in RuleSet.load(merged)] == [(2, 200), (0, 0), (1, 4), (50, 100)]


def test_rules_of_the_published_code_are_read_and_written(file: Path) -> None:
    ids = file.with_name("relation2id.json")
    names = ["Consult", "Discuss_by_telephone", "Make_a_visit", "Host_a_visit"]
    ids.write_text(json.dumps({name: id_ for id_, name in enumerate(names)}), "utf-8")
    published = file.with_name("published.json")
    assert show(file, "--min-support", 1, "--ids", ids, "--out", published) == ""
    assert sorted(import_published(published, ids)) == sorted((CONSULT, VISIT))
    assert show(published, "--ids", file.parent, "--logic", "--top", 1) == f"57/100   {CONSULT}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.rules"], "There is no rule file none.rules"),
        (["{file}", "--head", "konsult"], "No rule has the relation 'konsult'; did you mean 'Consult'?"),
        (["{file}", "--length", "one"], "integers separated"),
        (["{file}", "--logic", "--words"], "Found both --logic and --words"),
        (["{file}", "--compare", "{file}", "--out", "x.rules"], "Found both --compare and --out"),
        (["{file}", "--compare", "{file}", "--merge", "{file}"], "Found both --compare and --merge"),
        (["{file}", "--out", "{file}/no/x.txt"], "Cannot write"),
        (["{file}", "--out", "x.json", "--ids", "none.json"], "Cannot read the relation ids in none.json"),
    ],
)
def test_bad_input_ends_with_one_message(file: Path, arguments: list[str], message: str) -> None:
    done = run("rules", *(argument.format(file=file) for argument in arguments))
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_hand_written_rules_are_measured_and_applied(tmp_path: Path) -> None:
    world, mine, measured = tmp_path / "world", tmp_path / "mine.txt", tmp_path / "mine.rules"
    assert run("sample", "--out", world).returncode == 0
    written = "sue(X, Y, T2) <- bid_for(Y, X, T1)\nfine(X, Y, T3) <- twin_with(X, X, T1), fine(X, Y, T2)\n"
    mine.write_text(written, "utf-8")

    refused = run("evaluate", world, "--rules", mine)
    assert refused.returncode == 2
    assert "The confidence of sue(X, Y, T2) <- bid_for^-1(X, Y, T1) is unknown" in refused.stderr

    done = run("measure", world, "--rules", mine, "--out", measured)
    assert done.returncode == 0, done.stderr
    assert "1 rules measured" in done.stderr
    assert "Skipped, because its body never occurs: fine(X, Y, T3) <- twin_with(X, X, T1)" in done.stderr
    assert RuleSet.load(measured)[0].confidence > 0.3
    assert run("evaluate", world, "--rules", measured, "--json").returncode == 0

    mine.write_text("sues(X, Y, T2) <- bid_for(Y, X, T1)\n", "utf-8")
    unknown = run("measure", world, "--rules", mine, "--out", measured)
    assert unknown.returncode == 2
    assert "relation 'sues'; did you mean 'sue'" in unknown.stderr
