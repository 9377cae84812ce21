"""NameIndex: finds names from what people type, the busiest first, in lists that grow and have any names."""

import re
from threading import Thread
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tlogic.name_search import NameIndex

NAMES = [
    "U.S. Federal Reserve",
    "Federal Reserve Bank of Boston",
    "Goldman Sachs",
    "World_Trade_Organization",
    "Federal Bureau of Investigation",
    "Government_(India)",
    "Angela Merkel",
    "Łódź Straßenbahn",
    "AT&T",
    "O'Hare International",
    "東京都庁",
    "中国外交部",
    "وزارة الخارجية",
    "🚀 Launch 👩‍👩‍👧",
    "***",
]


def found(text: str, limit: int = 10, names: list[str] = NAMES, counts: list[int] | None = None) -> list[str]:
    return [names[number] for number in NameIndex(names).search(text, limit, counts)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("goldman", "Goldman Sachs"),
        ("sachs goldman", "Goldman Sachs"),
        ("us fed", "U.S. Federal Reserve"),
        ("u.s. fed", "U.S. Federal Reserve"),
        ("FED RES BOS", "Federal Reserve Bank of Boston"),
        ("wto", "World_Trade_Organization"),
        ("W.T.O.", "World_Trade_Organization"),
        ("fbi", "Federal Bureau of Investigation"),
        ("govt india", "Government_(India)"),
        ("goldmn sacks", "Goldman Sachs"),
        ("sacks goldmn", "Goldman Sachs"),
        ("gold man sachs", "Goldman Sachs"),
        ("goldmansachs", "Goldman Sachs"),
        ("goldman sachs group", "Goldman Sachs"),
        ("angela merkle", "Angela Merkel"),
        ("investgati", "Federal Bureau of Investigation"),
        ("rkel", "Angela Merkel"),
        ("lodz", "Łódź Straßenbahn"),
        ("STRASSENBAHN", "Łódź Straßenbahn"),
        ("at&t", "AT&T"),
        ("att", "AT&T"),
        ("ohare", "O'Hare International"),
        ("o’hare intl", "O'Hare International"),
        ("京都", "東京都庁"),
        ("外交 中国", "中国外交部"),
        ("خارجية", "وزارة الخارجية"),
        ("🚀", "🚀 Launch 👩‍👩‍👧"),
        ("👩", "🚀 Launch 👩‍👩‍👧"),
        ("**", "***"),
    ],
)
def test_finds_what_people_type(text: str, name: str) -> None:
    assert found(text)[0] == name


@pytest.mark.parametrize("text", ["qwertz", "Zanzibar Ferry Company", "1234", "不", "☂"])
def test_finds_nothing_that_is_not_there(text: str) -> None:
    assert found(text) == []


def test_the_busiest_of_equal_matches_comes_first() -> None:
    names = ["Federal Reserve Bank of Boston", "U.S. Federal Reserve", "Federal Reserve Notes"]
    assert found("federal reserve", names=names, counts=[3, 900, 70]) == [names[1], names[2], names[0]]
    assert found("", 2, names, [3, 900, 70]) == [names[1], names[2]]
    assert found("reserve federal", names=names) == sorted(names, key=len)


def test_the_same_name_comes_before_busier_ones_and_other_spellings_come_last() -> None:
    names = ["Nigeria", "Niger", "Police (Niger)", "Tiger"]
    assert found("niger", names=names, counts=[900, 5, 70, 10_000]) == ["Niger", "Nigeria", "Police (Niger)", "Tiger"]


def test_names_without_a_count_are_left_out() -> None:
    assert found("ann", names=["Ann", "Anna"], counts=[1]) == ["Ann"]


def test_appended_names_are_found_like_others() -> None:
    names: list[str] = []
    index = NameIndex(names)
    for number in range(100):
        names.append(f"Name {number:03} of {'even' if number % 2 == 0 else 'odd'}")
        assert index.search(f"{number:03} name", 1) == [number]
    for text in ("name od", "evn", "name 01", ""):
        assert index.search(text, 200) == NameIndex(names).search(text, 200)


def test_names_are_found_while_others_are_appended() -> None:
    names, wrong = ["First Name"], list[object]()
    index = NameIndex(names)

    def search() -> None:
        for _ in range(300):
            if index.search("first name", 1) != [0]:
                wrong.append(len(names))

    threads = [Thread(target=search) for _ in range(2)]
    for thread in threads:
        thread.start()
    for number in range(3000):
        names.append(f"Other {number}")
    for thread in threads:
        thread.join()
    assert not wrong
    assert index.search("other 2999", 1) == [3000]


HOSTILE = [
    "",
    " ",
    "\0",
    "\n",
    "\u200b",
    "´",
    "\ud800",
    "x" * 10_000,
    "a " * 5000,
    "(" * 50,
    "[^\n]*\\",
    "\u202eback",
    "a\nb",
]


def test_hostile_names_and_texts_do_no_harm() -> None:
    names = [*HOSTILE, "Ann Lee"]
    index = NameIndex(names)
    for text in HOSTILE:
        assert all(0 <= number < len(names) for number in index.search(text, 5))
        assert len(index.similar_to(text)) <= 3
    assert [names[number] for number in index.search("ann lee", 1)] == ["Ann Lee"]
    assert [names[number] for number in index.search("a b", 1)] == ["a\nb"]
    assert index.search("x" * 10_000, 1) == [HOSTILE.index("x" * 10_000)]
    assert NameIndex([]).search("ann", 5) == []
    assert index.similar_to("\u200b") == []


def test_the_work_for_a_long_text_is_bounded() -> None:
    index = NameIndex([f"Entity {number} {number * 7919 % 10_007}" for number in range(20_000)])
    index.search("", 1)
    start = monotonic()
    for text in (" ".join(f"wxyz{number}" for number in range(5000)), "q" * 10**6, "(" * 10**6):
        index.search(text, 10)
    assert monotonic() - start < 10


word = st.text("abc", min_size=1, max_size=4)


@given(
    st.lists(st.lists(word, min_size=1, max_size=3).map(" ".join), min_size=1, max_size=8), st.lists(word, max_size=2)
)
def test_names_with_all_words_come_first(names: list[str], typed: list[str]) -> None:
    """They are those that a loop over all names finds."""
    index = NameIndex(names)

    def has(name: str, prefix: str) -> bool:
        words = name.split()
        initials = "".join(each[0] for each in words if len(each) > 3), "".join(each[0] for each in words)
        return bool(re.search(rf"\b{prefix}", name)) or (len(prefix) > 1 and prefix in initials)

    expected = {number for number, name in enumerate(names) if all(has(name, prefix) for prefix in typed)}
    assert set(index.search(" ".join(typed), len(names))[: len(expected)]) == expected
