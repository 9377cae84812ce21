"""The page in a real browser."""

import csv
import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest
from nicegui import Client, background_tasks, core
from playwright.sync_api import Page, expect

import tlogic
from tests.serving.services import STILL_LOADING, Opened, sample_model
from tests.waiting import PATIENCE, wait_until
from tlogic.serving import schemas
from tlogic.serving.engine.live_store import LiveStore
from tlogic.serving.engine.service import Service
from tlogic.serving.engine.versions import VersionManager
from tlogic.serving.page import view_routes
from tlogic.serving.page.grounding_diagram import draw_grounding
from tlogic.serving.page.timeline_chart import draw_timeline
from tlogic.serving.page.view_urls import AskUrl, EntityUrl, PairUrl, RulesUrl, TripleUrl
from tlogic.serving.store.event_store import EventStore

ENTITY, RELATION = "Kite Aviation", "sue"
ASK = str(AskUrl(subject=ENTITY, relation=RELATION))
PAST = str(AskUrl(subject=ENTITY, relation=RELATION, at="2030-04-15"))
RULES = str(RulesUrl(words="sues"))
HOSTILE = (
    "<script>window.hacked = 1</script>",
    '<img src=x onerror="window.hacked = 1">',
    "\"'><svg onload=window.hacked=1>",
    "javascript:window.hacked=1",
    "{{ window.hacked = 1 }} ${window.hacked = 1} `",
    "شركة الطيران",
)
LONG = "Long " * 1_999 + "Names"
EXPECTED = "[aria-label='Likely next events'] > h2 ~ *"


def candidates(page: Page) -> list[tuple[str, str]]:
    """The names and scores of the candidates."""
    rows = page.get_by_role("table", name="Candidates").locator("tbody tr")
    expect(rows.first).to_be_visible()
    return [(row.locator("a").inner_text(), row.locator("td.number").last.inner_text()) for row in rows.all()]


def explanation(page: Page) -> str:
    """The heading of the explanation."""
    heading = page.locator("#why")
    expect(heading).to_be_visible()
    return heading.inner_text()


def wait_for_query(page: Page, **query: list[str]) -> None:
    """Wait until the URL has exactly these parameters."""
    page.wait_for_url(lambda url: parse_qs(urlsplit(url).query) == query)


def test_home_shows_the_data_and_frequent_entities(page: Page, service: Service) -> None:
    page.goto("/")
    health, data = service.health(), page.get_by_role("region", name="Data")
    for shown in (f"{health.events:,}", f"{health.entities:,}", f"{health.first} – {health.last}", "Rules in use"):
        expect(data).to_contain_text(shown)
    page.get_by_role("region", name="Entities with the most events").get_by_role("link").first.click()
    page.wait_for_url("/entity?*")
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_the_board_of_rules_says_how_to_get_probabilities(page: Page, service: Service) -> None:
    page.goto("/")
    likely = page.get_by_role("region", name="Likely next")
    expect(likely.locator("li")).to_have_count(8)
    expect(likely).to_contain_text("ranked by rules")
    expect(likely).not_to_contain_text("%")
    expect(page.get_by_role("region", name="Surprising")).to_contain_text("tlogic fit")
    expect(page.get_by_role("region", name="Changed").locator("li").first).to_be_visible()
    latest = service.latest_events(1).events[0]
    expect(page.get_by_role("region", name="Latest events").locator("li").first).to_contain_text(latest.object)


def test_a_misspelled_name_is_found_and_its_view_shows_past_and_next_events(page: Page) -> None:
    page.goto("/")
    page.get_by_label("Find an entity", exact=True).press_sequentially("kite aviaton")
    result = page.locator(".results a").first
    expect(result).to_contain_text(ENTITY)
    expect(result.locator(".number")).to_have_text(re.compile(r"^[\d,]+$"))
    result.click()
    expect(page.get_by_role("heading", name=ENTITY, level=1)).to_be_visible()
    expect(page).to_have_title(f"{ENTITY} · tlogic")
    expect(page.locator("svg.timeline circle").first).to_be_visible()
    expect(page.locator(".expected li").first).to_contain_text("%")
    first = page.locator(".facts li").first.inner_text()
    page.get_by_role("link", name="Next →").click()
    expect(page.locator(".pager")).to_contain_text("21–40")
    assert page.locator(".facts li").first.inner_text() != first


def test_an_expected_event_links_to_its_explanation(page: Page) -> None:
    page.goto(str(EntityUrl(name=ENTITY)))
    likely = page.locator(".expected a").first
    name = likely.inner_text()
    likely.click()
    assert explanation(page) == f"Why {name}?"


def test_search_while_typing_a_query(page: Page, service: Service) -> None:
    page.goto("/ask")
    page.get_by_label("Subject, or empty", exact=True).press_sequentially("kite av")
    page.locator(".results button").first.click()
    expect(page.get_by_label("Subject, or empty", exact=True)).to_have_value(ENTITY)
    page.get_by_label("Relation", exact=True).press_sequentially("Sue")
    page.get_by_label("Relation", exact=True).press("Enter")
    expect(page.get_by_label("Relation", exact=True)).to_have_value(RELATION)
    page.get_by_role("button", name="Ask").click()
    forecast = service.forecast(schemas.Query(subject=ENTITY, relation=RELATION))
    assert candidates(page) == [(each.name, f"{each.score:.4f}") for each in forecast.candidates]
    wait_for_query(page, subject=[ENTITY], relation=[RELATION])


def test_a_query_for_the_subject(page: Page, service: Service) -> None:
    page.goto(str(AskUrl(relation=RELATION, object=ENTITY)))
    forecast = service.forecast(schemas.Query(object=ENTITY, relation=RELATION))
    assert [name for name, _ in candidates(page)] == [each.name for each in forecast.candidates]


def test_a_query_about_the_past_shows_the_true_answers(page: Page, service: Service) -> None:
    done = next(event for event in service.events(ENTITY, None, 0, 100).events if event.subject == ENTITY)
    page.goto(str(AskUrl(subject=ENTITY, relation=done.relation, at=done.time)))
    forecast = service.forecast(schemas.Query(subject=ENTITY, relation=done.relation, at=done.time))
    assert len(candidates(page)) == len(forecast.candidates)
    expect(page.locator(".happened")).to_contain_text(done.object)
    true = [each.name for each in forecast.candidates if each.came_true]
    expect(page.locator(".came-true")).to_have_count(len(true))


def test_a_click_on_a_candidate_shows_its_explanation(page: Page, service: Service) -> None:
    page.goto(ASK)
    name = candidates(page)[0][0]
    page.get_by_role("table").get_by_role("link", name=name, exact=True).click()
    assert explanation(page) == f"Why {name}?"
    why = service.explain(schemas.Query(subject=ENTITY, relation=RELATION), name)
    reason = page.locator(".reason").first
    for shown in (why.reasons[0].rule.words, f"{why.reasons[0].score:.4f}", f"{why.reasons[0].score_without:.4f}"):
        expect(reason).to_contain_text(shown)
    for fact in why.reasons[0].groundings[0]:
        expect(reason.locator(".facts").first).to_contain_text(fact.time)
    expect(reason.locator("svg .forecast .head")).to_be_visible()
    expect(page).to_have_title(re.compile(f"Why {name}"))
    page.get_by_role("table").get_by_role("link").nth(1).click()
    expect(page.locator("#why")).not_to_contain_text(name)
    page.go_back()
    expect(page.locator("#why")).to_have_text(f"Why {name}?")


def test_the_relations_of_an_entity_are_offered(page: Page, service: Service) -> None:
    page.goto(str(EntityUrl(name=ENTITY)))
    page.get_by_role("link", name="Ask about this entity").click()
    picker = page.get_by_role("region", name="Relations of the entity")
    as_subject, as_object = service.relations_of(ENTITY)
    expect(picker.get_by_role("link").first).to_have_text(
        f"{as_subject[0].name}{as_subject[0].events}".replace("_", " ")
    )
    expect(picker.locator(".chip")).to_have_count(len(as_subject))
    expect(picker.get_by_role("link")).to_have_count(min(len(as_subject), 8))
    page.get_by_label("Subject, or empty", exact=True).fill("")
    expect(picker.get_by_role("link")).to_have_count(0)
    page.get_by_label("Object, or empty", exact=True).fill(ENTITY)
    expect(picker.locator(".chip")).to_have_count(len(as_object))
    picker.get_by_role("link").first.click()
    wait_for_query(page, object=[ENTITY], relation=[as_object[0].name])
    assert candidates(page)


def test_examples_are_queries(page: Page, service: Service) -> None:
    page.goto("/ask")
    latest = service.latest_events(1).events[0]
    page.get_by_role("region", name="Examples").get_by_role("link").first.click()
    wait_for_query(page, subject=[latest.subject], relation=[latest.relation])


def test_a_pair_and_its_events(page: Page, service: Service) -> None:
    event = service.events(ENTITY, None, 0, 1).events[0]
    page.goto(str(EntityUrl(name=ENTITY)))
    page.locator(".facts li").first.get_by_role("link", name=event.relation.replace("_", " ")).click()
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text(event.object)
    times = [
        each.time
        for each in service.events(event.subject, event.object, 0, 100).events
        if (each.subject, each.relation) == (event.subject, event.relation)
    ]
    expect(page.locator(".title")).to_contain_text(f"happened {len(times)} time")
    past = page.get_by_role("region", name="Past events")
    expect(past.locator("li")).to_have_count(min(len(times), 20))
    assert explanation(page) == f"Why {event.object}?"
    page.get_by_role("link", name="All events of the two").click()
    expect(page).to_have_title(re.compile(f"{event.subject} and {event.object}"))
    total = service.events(event.subject, event.object, 0, 1).total
    expect(past.locator(".pager")).to_contain_text(f"of {total}")
    expect(page.get_by_role("region", name="Likely next events")).to_contain_text("ranked by rules")


def test_a_shared_url_shows_the_same_in_another_browser(page: Page, opened: Opened) -> None:
    page.goto(ASK)
    page.get_by_role("table").get_by_role("link").nth(1).click()
    shown = explanation(page), candidates(page), page.title()
    with opened() as other:
        other.goto(page.url)
        assert (explanation(other), candidates(other), other.title()) == shown


def test_switching_a_rule_off_and_on(page: Page, service: Service) -> None:
    page.goto(ASK)
    before = candidates(page)
    page.get_by_role("table").get_by_role("link").first.click()
    rule = service.explain(schemas.Query(subject=ENTITY, relation=RELATION), before[0][0]).reasons[0].rule
    page.locator(".reason").first.get_by_role("link", name="Switch off").click()
    expect(page.locator("section.chips .chip")).to_contain_text(rule.words)
    assert parse_qs(urlsplit(page.url).query)["without"] == [rule.id]
    less = service.forecast(schemas.Query(subject=ENTITY, relation=RELATION, without=[rule.id]))
    assert candidates(page) == [(each.name, f"{each.score:.4f}") for each in less.candidates]
    page.locator("section.chips .chip").click()
    expect(page.locator("section.chips .chip")).to_have_count(0)
    assert candidates(page) == before


def test_rules_are_filtered_and_stay_switched_off_in_other_views(page: Page) -> None:
    page.goto("/rules")
    page.get_by_label("Words in the rule").fill("sues")
    page.get_by_label("Words in the rule").press("Enter")
    wait_for_query(page, words=["sues"])
    expect(page.locator(".rules li").first).to_contain_text("sue")
    first = page.locator(".rules li").first
    words = first.locator(".rule-words span").first.inner_text()
    first.get_by_role("link", name="Switch off").click()
    expect(page.locator("section.chips .chip")).to_contain_text(words)
    expect(page.locator(".rules li.off")).to_have_count(1)
    page.get_by_role("link", name="Ask", exact=True).click()
    expect(page.locator("section.chips .chip")).to_contain_text(words)


def test_a_url_of_another_version_shows_a_warning(page: Page) -> None:
    page.goto(str(RulesUrl(without=("1",), version=99)))
    expect(page.locator("main")).to_contain_text("switched off in version 99")


def test_keyboard_navigation_from_search_to_explanation(page: Page) -> None:
    page.goto("/rules")
    expect(page.locator(".rules li").first).to_be_visible()
    keys = page.keyboard
    keys.press("/")
    expect(page.get_by_label("Find an entity", exact=True)).to_be_focused()
    keys.type("kite")
    expect(page.locator(".results a").first).to_be_visible()
    keys.press("ArrowDown")
    expect(page.locator(".results a").first).to_be_focused()
    keys.press("Enter")
    expect(page.get_by_role("heading", name=ENTITY, level=1)).to_be_visible()
    expect(page.locator(".expected a").first).to_be_visible()
    tab_to(page, ".expected a")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    keys.press("Enter")
    assert explanation(page)
    expect(page.locator("#why")).to_be_focused()
    tab_to(page, ".switch")


def tab_to(page: Page, selector: str) -> None:
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    pytest.fail(f"Tab does not reach {selector}")


def test_a_view_that_no_browser_comes_for_is_not_built(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[str] = []
    monkeypatch.setattr(view_routes, "_show", lambda *_: built.append("view"))
    assert httpx.get(site, timeout=PATIENCE).status_code == 200
    waiting = [client for client in Client.instances.values() if not client.has_socket_connection]
    assert waiting
    # What NiceGUI does once a minute with clients that never connected.
    assert core.loop is not None
    core.loop.call_soon_threadsafe(partial(Client.prune_instances, client_age_threshold=0.0))
    wait_until(lambda: not any("wait for result" in task.get_name() for task in background_tasks.running_tasks))
    assert not built


def test_landmarks_and_labels(page: Page) -> None:
    page.goto(ASK)
    assert candidates(page)
    for landmark in ("banner", "main", "search"):
        expect(page.get_by_role(landmark)).to_have_count(1)
    expect(page.get_by_role("navigation", name="Views")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    unlabelled = (
        "[...document.querySelectorAll('input')].filter(each => !each.ariaLabel && !each.labels?.length).length"
    )
    assert page.evaluate(unlabelled) == 0


@pytest.fixture(scope="module")
def phone(opened: Opened) -> Iterator[Page]:
    with opened(width=360, height=740) as page:
        yield page


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize(
    ("address", "last_element"),
    [
        ("/", "[aria-label=Changed] li"),
        (str(EntityUrl(name=ENTITY)), EXPECTED),
        (f"{ASK}&candidate=Cinder+Steel&without=3,17", ".reason"),
        (PAST, "tbody tr"),
        (RULES, ".rules li"),
        ("/ask", "form"),
        (str(PairUrl(entity=ENTITY, other=LONG)), ".facts li"),
        (str(TripleUrl(subject=ENTITY, relation="<b>hit</b>", object=LONG)), ".facts li"),
        ("/nowhere", "[role=alert]"),
        (str(EntityUrl(name=LONG)), EXPECTED),
        (str(EntityUrl(name=HOSTILE[0])), EXPECTED),
    ],
    ids=lambda value: value[:30],
)
def test_nothing_overflows_on_a_phone(phone: Page, address: str, last_element: str) -> None:
    phone.goto(address)
    expect(phone.locator(last_element).last).to_be_visible()
    assert phone.evaluate("document.fonts.ready.then(() => document.scrollingElement.scrollWidth <= innerWidth)")


def test_dark_mode_follows_the_system_and_the_switch(page: Page, opened: Opened) -> None:
    with opened(dark=True) as dark:
        dark.goto("/")
        expect(dark.locator("body")).to_have_class(re.compile("body--dark"))
    page.goto("/")
    light = background(page)
    switch = page.get_by_role("button", name="Light or dark")
    switch.click()
    expect(page.locator("body")).to_have_class(re.compile("body--dark"))
    assert background(page) != light
    page.goto("/rules")
    expect(page.locator("body")).to_have_class(re.compile("body--dark"))
    switch.click()
    expect(page.locator("body")).to_have_class(re.compile("body--light"))
    assert page.evaluate("localStorage.length") == 0


def test_later_updates_keep_the_chosen_theme(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Light or dark").click()
    page.get_by_role("textbox", name="Find an entity").fill(ENTITY[:4])
    expect(page.locator(".results a").first).to_be_visible()
    expect(page.locator("body")).to_have_class(re.compile("body--dark"))


def background(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


@pytest.fixture(scope="module")
def hostile(service: Service) -> None:
    """Add events with names that would do harm if they were inserted as HTML, scripts or URLs."""
    last = service.health().last or ""
    names = [*HOSTILE, LONG]
    # A rule predicts that the target of a bid sues the bidder.
    service.add([schemas.Event(subject=each, relation="bid_for", object=ENTITY, time=last) for each in names])
    service.add([schemas.Event(subject=ENTITY, relation="<b>hit</b>", object=each, time=last) for each in names])


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_shown_as_text(page: Page, name: str) -> None:
    page.goto("/")
    page.get_by_label("Find an entity", exact=True).fill(name)
    expect(page.locator(".results a").first).to_contain_text(name)
    page.locator(".results a").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    expect(page.locator(".expected a, .expected ~ *").first).to_be_visible()
    for relation, picture in ((RELATION, 1), ("<b>hit</b>", 0)):
        page.goto(str(AskUrl(subject=ENTITY, relation=relation, candidate=name)))
        assert explanation(page) == f"Why {name}?"
        expect(page.locator(".reason svg > title", has_text=name)).to_have_count(picture)
        assert page.evaluate("window.hacked") is None
        assert page.locator("main b, main script, main img").count() == 0


@pytest.mark.usefixtures("hostile")
def test_a_long_name_is_shortened_with_a_tooltip(page: Page) -> None:
    page.goto(str(EntityUrl(name=LONG)))
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_attribute("title", LONG)
    assert len(heading.inner_text()) == 120
    expect(heading).to_contain_text(re.compile("^Long .*….* Names$"))


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("/entity?name=Kite+Aviatoin", "Unknown entity 'Kite Aviatoin'."),
        ("/entity", "Unknown entity ''"),
        (f"{ASK}&at=soon", "soon"),
        (f"{ASK}&at=1999-01-01", "There are no facts before 1999-01-01"),
        (f"{ASK}&object=Corvania", "either a subject or an object"),
        ("/pair?entity=Kite+Aviation&other=Nobody", "Unknown entity 'Nobody'"),
        ("/triple?subject=Kite+Aviation&relation=sues&object=Corvania", "Unknown relation 'sues'"),
        (f"{ASK}&without=no", "Unknown rule id 'no'"),
        (f"{ASK}&candidate=Nobody+at+all", "Unknown entity 'Nobody at all'"),
        ("/rules?page=x", "page: expected an integer, found 'x'"),
        ("/rules?page=0", "page: expected a number from 1"),
        ("/rules?confidence=nan", "confidence: expected a number from 0 to 1"),
        ("/rules?sort=luck", "sort: expected one of"),
        ("/nowhere", "There is no page at /nowhere."),
        ("/ask?" + urlencode({"subject": "x" * 10_001, "relation": RELATION}), "10000 characters"),
        ("/entity?name=%00", "Unknown entity"),
    ],
    ids=lambda value: value[:30],
)
def test_an_invalid_url_shows_an_error(phone: Page, address: str, message: str) -> None:
    phone.goto(address)
    expect(phone.get_by_role("alert")).to_contain_text(message)
    expect(phone.locator("body")).not_to_contain_text("Traceback")
    assert phone.evaluate(STILL_LOADING) == 0


def test_similar_names_are_links_in_every_view(page: Page) -> None:
    wrong = "Kite Aviatoin"
    for address in (
        EntityUrl(name=wrong),
        AskUrl(subject=wrong, relation=RELATION),
        PairUrl(entity="Eskar", other=wrong),
    ):
        page.goto(str(address))
        similar = page.get_by_role("region", name="Similar names").get_by_role("link", name=ENTITY)
        expect(similar).to_have_attribute("href", str(address).replace("Aviatoin", "Aviation"))
    page.goto(str(AskUrl(subject=ENTITY, relation="suee")))
    page.get_by_role("region", name="Similar names").get_by_role("link", name=RELATION, exact=True).click()
    wait_for_query(page, subject=[ENTITY], relation=[RELATION])
    assert candidates(page)


def test_every_view_explains_itself_and_can_be_copied_and_downloaded(page: Page, service: Service) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    candidate = service.forecast(schemas.Query(subject=ENTITY, relation=RELATION)).candidates[0]
    event = service.events(ENTITY, None, 0, 1).events[0]
    for address, row in (
        ("/", {"kind": "likely"}),
        (str(EntityUrl(name=ENTITY)), event.model_dump()),
        (str(PairUrl(entity=event.subject, other=event.object)), event.model_dump()),
        (str(TripleUrl(subject=event.subject, relation=event.relation, object=event.object)), event.model_dump()),
        (ASK, {"rank": 1, "name": candidate.name, "score": candidate.score}),
        ("/surprises", service.monitor.changes("2030-04-24", top=1).changes[0].model_dump(exclude={"explanation"})),
        (RULES, {"length": 1}),
    ):
        page.goto(address)
        page.get_by_text("How to read this").click()
        expect(page.locator(".how-to-read p")).to_contain_text("Files contain")
        page.get_by_role("button", name="Copy address").click()
        page.get_by_role("button", name="Address copied").wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == page.url
        assert downloaded(page, "JSON", json.loads)[0].items() >= row.items()
        first = downloaded(page, "CSV", lambda text: list(csv.DictReader(text.splitlines())))[0]
        assert first.items() >= {name: "" if value is None else str(value) for name, value in row.items()}.items()


def downloaded(page: Page, kind: str, parse: Callable[[str], list[dict[str, Any]]]) -> list[dict[str, Any]]:
    with page.expect_download() as download:
        page.get_by_role("button", name=kind, exact=True).click()
    assert download.value.suggested_filename.endswith(f".{kind.lower()}")
    return parse(Path(download.value.path()).read_text(encoding="utf-8"))


def test_reasons_on_a_phone_lead_back_to_the_list(phone: Page) -> None:
    phone.goto(ASK)
    best = candidates(phone)[0][0]
    phone.get_by_role("link", name="Back to the candidates").click()
    expect(phone.get_by_role("table").get_by_role("link", name=best, exact=True)).to_be_in_viewport()


def test_names_on_a_phone_are_not_cut(phone: Page, service: Service) -> None:
    names = [f"Ministry of Foreign Affairs and International Trade ({country})" for country in ("North", "South")]
    last = service.health().last or ""
    service.add([schemas.Event(subject=ENTITY, relation="visit", object=name, time=last) for name in names])
    for address in ("/", str(EntityUrl(name=ENTITY)), str(AskUrl(subject=ENTITY, relation="visit", top=1000))):
        phone.goto(address)
        for name in names:
            shown = phone.locator("main .name", has_text=name).first
            expect(shown).to_have_text(name)
            assert shown.evaluate("each => each.scrollWidth <= each.clientWidth + 1")
            assert shown.evaluate("each => getComputedStyle(each).whiteSpace") == "normal"


def test_rows_of_the_timeline_have_different_labels() -> None:
    relations = ["Express intent to meet or negotiate", "Express intent to cooperate economically"]
    events = [schemas.Fact(subject="a", relation=each, object="b", time="2030-01-01") for each in relations]
    drawn = draw_timeline("a", events, [0, 0])
    for relation in relations:
        assert f">{relation}<" in drawn


def test_the_diagram_is_chronological_and_escaped() -> None:
    facts = [
        schemas.Fact(subject="<b>", relation="sue", object="&", time="120"),
        schemas.Fact(subject='"', relation="<i>", object="<b>", time="9"),
    ]
    drawn = draw_grounding(facts, schemas.ResolvedQuery(subject="<b>", relation="sue", object=None, at="121"), "</svg>")
    assert "<b>" not in drawn
    assert "<i>" not in drawn
    assert drawn.index(">9<") < drawn.index(">120<") < drawn.index(">121<")
    assert drawn.endswith("</svg>")
    assert drawn.count("</svg>") == 1


def test_wide_characters_get_more_lines_in_the_diagram() -> None:
    def n_lines(name: str) -> int:
        fact = schemas.Fact(subject=name, relation="sue", object="b", time="2030-01-01")
        query = schemas.ResolvedQuery(subject=name, relation="sue", object=None, at="2030-01-02")
        return draw_grounding([fact], query, "c").count("<tspan")

    assert n_lines("東" * 16) > n_lines("a" * 16)


def test_the_diagram_shows_a_self_loop() -> None:
    fact = schemas.Fact(subject="a", relation="praise", object="a", time="2030-01-01")
    assert "<path" in draw_grounding(
        [fact], schemas.ResolvedQuery(subject="a", relation="sue", object=None, at="2030-01-02"), "b"
    )


def test_an_empty_store_shows_how_to_add_events(
    page: Page, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with EventStore.open(str(tmp_path / "empty.db")) as store:
        live_store = LiveStore(store)
        monkeypatch.setattr(service, "live_store", live_store)
        monkeypatch.setattr(service, "versions", VersionManager(live_store, tlogic.ApplicationSettings()))
        for address in ("/", str(EntityUrl(name=ENTITY)), ASK):
            page.goto(address)
            expect(page.get_by_role("alert").last).to_contain_text("The store has no events")


def test_without_a_model_there_are_rankings_and_changes_only(page: Page) -> None:
    page.goto("/outlook")
    expect(page.get_by_role("alert")).to_contain_text("Rules are in use")
    page.goto("/backtest")
    expect(page.get_by_role("alert")).to_contain_text("Rules are in use")
    page.goto("/surprises")
    expect(page.get_by_role("alert")).to_contain_text("Rules are in use")
    expect(page.get_by_role("table", name="Relations").locator("tbody tr").first).to_be_visible()
    page.goto(str(EntityUrl(name=ENTITY)))
    expect(page.get_by_role("region", name="Likely next events")).to_contain_text("no probabilities")


def test_the_evidence_of_a_model_can_be_switched_off(page: Page, service: Service) -> None:
    before = service.versions.predictor.version
    service.versions.use(sample_model())
    try:
        query = schemas.Query(subject=ENTITY, relation=RELATION)
        best = service.forecast(query, 1).candidates[0]
        why = service.explain(query, best.name)
        page.goto(str(AskUrl(subject=ENTITY, relation=RELATION, candidate=best.name)))
        expect(page.locator("#why + .hint")).to_contain_text(f"probability {best.probability:.1%}")
        reason = page.locator(".reason").first
        expect(reason).to_contain_text(why.contributions[0].sentence)
        expect(reason).to_contain_text(f"{why.contributions[0].weight:+.4f}")
        expect(reason.locator("svg .forecast .head")).to_be_visible()
        shown = candidates(page)
        reason.get_by_role("link", name="Switch off").click()
        expect(page.locator("section.chips .chip")).to_contain_text(why.contributions[0].id)
        assert parse_qs(urlsplit(page.url).query)["without"] == [why.contributions[0].id]
        assert candidates(page) != shown
        page.goto(RULES)
        strongest = next(rule for rule in sample_model().rules if "sues" in rule.words)
        expect(page.locator(".rules li").first).to_contain_text(strongest.words)
        expect(page.locator(".rules li").first).to_contain_text(f"{strongest.confidence:.1%}")
        expect(page.get_by_role("link", name="Switch off")).to_have_count(0)
    finally:
        service.versions.restore(before)


def test_the_api_docs_work_offline(page: Page) -> None:
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.goto("/docs")
    expect(page.get_by_text("/api/surprises", exact=True)).to_be_visible()
    page.get_by_text("/health", exact=True).click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()
    expect(page.get_by_text('"store unreachable"').or_(page.get_by_text('"ok"')).first).to_be_visible()
    assert requested
    assert {urlsplit(url).hostname for url in requested if not url.startswith("data:")} == {"127.0.0.1"}
