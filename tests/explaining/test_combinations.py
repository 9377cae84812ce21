"""Sentences about pairs of kinds of evidence fit the sum of their tables."""

import pytest

from tlogic.evidence.registry import FAMILIES
from tlogic.explaining.combinations import combination_sentence, kind_in_words

KINDS = [(("pair", "age"), ("chains", "sum")), (("recurrence", "count 0"), ("habits", "pace"))]


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([0.3, -0.4], "how often the same event happened before and how strongly Bo fits what Ann usually does: "),
        (
            [0.5, -0.4],
            "how recently Ann and Bo had events in common and how strongly chains of two events lead to Bo: ",
        ),
        (
            [-0.5, 0.4],
            "how recently Ann and Bo had events in common and how strongly chains of two events lead to Bo: ",
        ),
    ],
)
def test_the_strongest_table_with_the_sign_of_the_sum_is_described(weights: list[float], sentence: str) -> None:
    manner = "more" if sum(weights) > 0 else "less"
    assert combination_sentence(KINDS, weights, "Ann", "Bo") == f"{sentence}together {manner} than each alone"


def test_a_table_that_is_the_strongest_but_has_the_other_sign_is_not_described() -> None:
    weights = [0.5, 0.4, -0.6]
    sentence = combination_sentence(
        [*KINDS, (("names", "place"), ("paths", "common partners 0"))], weights, "Ann", "Bo"
    )
    assert sentence.startswith("how recently Ann and Bo")
    assert sentence.endswith("together more than each alone")


def test_tables_that_add_nothing_are_neither_more_nor_less() -> None:
    sentence = combination_sentence(KINDS, [0.0, 0.0], "Ann", "Bo")
    assert sentence == "no two kinds of evidence say more or less together than each alone"


@pytest.mark.parametrize("family", FAMILIES)
def test_clauses_name_the_two(family: str) -> None:
    words = kind_in_words((family, "age"), "Ann", "Bo")
    assert words.startswith("how recently ")
    assert family == "recurrence" or "Bo" in words
    assert not {"it", "candidate", "subject"} & set(words.split())
