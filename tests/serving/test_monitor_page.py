"""The views of likely, surprising and changed events in a real browser."""

import re
from collections.abc import Iterator
from threading import Event
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.serving.services import STILL_LOADING, Opened
from tests.waiting import PATIENCE
from tlogic.evidence.statements import rare
from tlogic.serving import schemas
from tlogic.serving.engine import shared_result
from tlogic.serving.engine.service import Service
from tlogic.serving.engine.shared_result import SharedResult
from tlogic.serving.engine.time_limit import TimeLimitError
from tlogic.serving.page import live_section
from tlogic.serving.page.display_text import percent
from tlogic.serving.page.probability_curve import draw_curve
from tlogic.serving.page.reliability_diagram import draw_reliability, observed_share
from tlogic.serving.page.view_urls import AskUrl, BacktestUrl, EntityUrl, OutlookUrl, PairUrl, SurprisesUrl, TripleUrl

ENTITY, OTHER, RELATION = "Kite Aviation", "Meadow Textiles", "sue"
HOSTILE = ("<script>window.hacked = 1</script>", '<img src=x onerror="window.hacked = 1">', "\"'><svg onload=hacked=1>")
LONG = "Long " * 1_999 + "Names"
CHANGES = "tbody tr:not(.why)"
VIEWS = (
    "/",
    str(OutlookUrl()),
    str(OutlookUrl(entity=ENTITY, horizon="7d")),
    str(OutlookUrl(entity=ENTITY, other=OTHER, relation=RELATION, at="2030-04-15")),
    str(SurprisesUrl()),
    str(BacktestUrl(since="2030-04-24")),
    str(EntityUrl(name=ENTITY)),
)


@pytest.fixture(scope="module")
def service(model_service: Service) -> Service:
    return model_service


@pytest.fixture(scope="module")
def phone(opened: Opened) -> Iterator[Page]:
    with opened(width=360, height=740) as page:
        yield page


def likely_events(page: Page) -> list[tuple[str, str]]:
    """The probability and the words of each event of an outlook."""
    rows = page.get_by_role("table", name="Likely events").locator("tbody tr")
    expect(rows.first).to_be_visible()
    return [(row.locator("td").first.inner_text(), row.locator(".phrase").inner_text()) for row in rows.all()]


def expected_rows(outlook: schemas.Outlook) -> list[tuple[str, str]]:
    return [(f"{each.probability:.1%}", words_of(each)) for each in outlook.events]


def words_of(event: schemas.LikelyEvent | schemas.JudgedEvent | schemas.Fact | schemas.ChangedTriple) -> str:
    return f"{event.subject} — {event.relation.replace('_', ' ')} → {event.object}"


def flat(rows: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The rows with single spaces: the parts of an event may be on several lines."""
    return [(shown, " ".join(words.split())) for shown, words in rows]


def test_the_outlook_of_an_entity(page: Page, service: Service) -> None:
    page.goto("/outlook")
    page.get_by_label("Entity, or any", exact=True).press_sequentially("kite av")
    page.locator(".results button").first.click()
    expect(page.get_by_label("Entity, or any", exact=True)).to_have_value(ENTITY)
    page.get_by_label("Horizon").fill("7d")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url(lambda url: parse_qs(urlsplit(url).query) == {"entity": [ENTITY], "horizon": ["7d"]})
    outlook = service.monitor.outlook(ENTITY, horizon="7d")
    assert flat(likely_events(page)) == expected_rows(outlook)
    expect(page).to_have_title(re.compile(f"Outlook: {ENTITY}"))
    expect(page.locator("section h2")).to_contain_text(f"{outlook.since} to {outlook.until}")
    first, row = outlook.events[0], page.locator(".likely tbody tr").first
    for shown in (str(first.events), str(first.last), f"{first.median_wait} day"):
        expect(row).to_contain_text(shown)


def test_bars_are_absolute(page: Page, service: Service) -> None:
    page.goto(str(OutlookUrl(horizon="7d")))
    assert likely_events(page)
    shares = page.eval_on_selector_all(".likely .bar span", "bars => bars.map(bar => parseFloat(bar.style.width))")
    expected = [100 * each.probability for each in service.monitor.outlook(horizon="7d").events]
    assert shares == pytest.approx(expected, abs=0.06)


def test_only_new_events(page: Page, service: Service) -> None:
    page.goto(str(OutlookUrl(entity=ENTITY)))
    assert likely_events(page)
    page.get_by_role("checkbox", name="Only new").click()
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**new=1*")
    outlook = service.monitor.outlook(ENTITY, new=True)
    page.locator(".likely tbody tr", has_text=outlook.events[0].object).first.wait_for()
    assert [words for _, words in flat(likely_events(page))] == [words_of(each) for each in outlook.events]
    assert {each.novelty for each in outlook.events} <= {"known pair", "new pair"}


def test_why_opens_the_explanation(page: Page, service: Service) -> None:
    page.goto(str(OutlookUrl(entity=ENTITY, horizon="7d")))
    assert likely_events(page)
    page.get_by_role("link", name="Why?").nth(1).click()
    heading = page.locator("#why")
    event = service.monitor.outlook(ENTITY, horizon="7d", explain=True, when=True).events[1]
    expect(heading).to_contain_text(f"Why {event.probability:.1%}?")
    expect(heading).to_contain_text(event.object)
    assert event.explanation is not None
    reasons = page.locator(".reason")
    expect(reasons).to_have_count(len(event.explanation.factors))
    strongest = event.explanation.factors[0]
    expect(reasons.first).to_contain_text(strongest.sentence[1:])
    expect(reasons.first).to_contain_text(f"× {strongest.factor:.3g}")
    for fact in strongest.facts:
        expect(reasons.first.locator(".facts")).to_contain_text(fact.time)
    expect(page.locator("svg.curve title").first).to_have_text(re.compile(event.curve[-1].date))
    expect(page.locator("tr.chosen")).to_have_count(1)
    expect(heading).to_be_focused()
    page.go_back()
    expect(page.locator("#why")).to_have_count(0)


def test_the_keyboard_reaches_the_explanation(page: Page) -> None:
    page.goto(str(OutlookUrl(entity=ENTITY)))
    assert likely_events(page)
    page.get_by_role("link", name="Why?").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#why")).to_be_focused()


def test_exactly_one_event_is_explained_at_once(page: Page, service: Service) -> None:
    page.goto(str(OutlookUrl(entity=ENTITY, other=OTHER, relation=RELATION, horizon="7d")))
    [event] = service.monitor.outlook(ENTITY, OTHER, RELATION, horizon="7d").events
    expect(page.locator("#why")).to_contain_text(OTHER)
    assert flat(likely_events(page)) == [(f"{event.probability:.1%}", words_of(event))]


def test_surprises_and_changes(page: Page, service: Service) -> None:
    page.goto("/surprises")
    date = page.get_by_label("First date of the period")
    expect(date).to_have_value("2030-04-24")
    date.fill("2030-04-20")
    date.press("Enter")
    page.wait_for_url("**since=2030-04-20")
    found = service.monitor.surprises("2030-04-20", top=15)
    for label, events in (("Improbable events", found.events), ("Missing events", found.missing)):
        rows = page.get_by_role("table", name=label).locator("tbody tr")
        expect(rows).to_have_count(len(events))
        shown = [" ".join(row.inner_text().split()) for row in rows.all()]
        for row, event in zip(shown, events, strict=True):
            assert row.startswith(f"{event.date} {words_of(event)}")
    expect(page.get_by_role("columnheader", name="p now")).to_have_count(3)
    changes = service.monitor.changes("2030-04-20", top=8, horizon=1).changes
    relations = page.get_by_role("table", name="Relations").locator(CHANGES)
    names = [each.name.replace("_", " ") for each in changes if each.kind == "relation"]
    assert [row.locator("td").first.inner_text() for row in relations.all()] == names
    horizon = page.get_by_label("Horizon of the probabilities")
    horizon.fill("7d")
    horizon.press("Enter")
    page.wait_for_url("**since=2030-04-20&horizon=7d")
    expect(page.get_by_text("within 7 time steps")).to_be_visible()
    changes = service.monitor.changes("2030-04-20", top=8, horizon="7d").changes
    for kind, label in (("entity", "Entities"), ("pair", "Pairs"), ("relation", "Relations")):
        rows = page.get_by_role("table", name=label).locator(CHANGES)
        own = [each for each in changes if each.kind == kind]
        expect(rows).to_have_count(len(own))
        likely = [row.locator("td").all_inner_texts()[4:6] for row in rows.all()]
        assert likely == [[rare(each.probability_before or 0), rare(each.probability_after or 0)] for each in own]


def test_a_change_is_explained_in_its_table(page: Page, service: Service) -> None:
    page.goto(str(SurprisesUrl(since="2030-04-20", horizon="7d")))
    expect(page.get_by_role("columnheader", name="p now")).to_have_count(3)
    found = service.monitor.changes("2030-04-20", top=8, horizon="7d", explain=True).changes
    change = next(each for each in found if each.kind == "pair")
    why = change.explanation
    assert why is not None
    pairs = page.get_by_role("table", name="Pairs")
    button, shown = pairs.get_by_role("button", name="Why?").first, pairs.locator(".why").first
    expect(shown).to_be_hidden()
    button.click()
    expect(shown).to_contain_text(why.summary)
    expect(shown).to_contain_text(str(why.probability_summary))
    expect(button).to_have_attribute("aria-expanded", "true")
    events = [*why.triples, *why.likely]
    rows = shown.locator("li")
    expect(rows).to_have_count(len(events))
    for row, event in zip(rows.all(), events, strict=True):
        assert " ".join(row.inner_text().split()) == f"{event.movement} {words_of(event)} {event.sentence}"
    button.focus()
    page.keyboard.press("Enter")
    expect(shown).to_be_hidden()
    expect(button).to_have_attribute("aria-expanded", "false")


def test_changes_of_rates_do_not_wait_for_probabilities(
    page: Page, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready, changes = Event(), service.monitor.changes

    def slow(*arguments: Any, **settings: Any) -> schemas.Changes:
        assert settings.get("horizon") is None or ready.wait(PATIENCE)
        return changes(*arguments, **settings)

    monkeypatch.setattr(service.monitor, "changes", slow)
    page.goto(str(SurprisesUrl(since="2030-04-20")))
    pairs = page.get_by_role("table", name="Pairs")
    expect(pairs.locator(CHANGES)).to_have_count(8)
    expect(page.get_by_text("The probabilities are being computed")).to_be_visible()
    expect(page.get_by_role("columnheader", name="p now")).to_have_count(0)
    pairs.get_by_role("button", name="Why?").first.click()
    expect(pairs.locator(".why li").first).to_be_visible()
    ready.set()
    expect(page.get_by_role("columnheader", name="p now")).to_have_count(3)
    expect(page.get_by_text("The probabilities are being computed")).to_have_count(0)
    expect(pairs.locator(CHANGES)).to_have_count(8)


def test_rates_stay_if_probabilities_take_too_long(
    page: Page, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = service.monitor.changes

    def late(*arguments: Any, **settings: Any) -> schemas.Changes:
        if settings.get("horizon") is not None:
            raise TimeLimitError
        return changes(*arguments, **settings)

    monkeypatch.setattr(service.monitor, "changes", late)
    page.goto(str(SurprisesUrl(since="2030-04-20")))
    section = page.get_by_role("region", name="Changes")
    expect(section.get_by_role("alert")).to_contain_text("The request takes too long")
    expect(section.get_by_role("table", name="Pairs").locator(CHANGES)).to_have_count(8)
    expect(section).not_to_contain_text("being computed")


def test_a_surprise_links_to_its_explanation(page: Page, service: Service) -> None:
    page.goto(str(SurprisesUrl(since="2030-04-24")))
    missing = service.monitor.surprises("2030-04-24", top=15).missing[0]
    page.get_by_role("table", name="Missing events").get_by_role("link", name="Why?").first.click()
    expect(page.locator("#why")).to_contain_text(f"Why {missing.probability:.1%}?")
    assert parse_qs(urlsplit(page.url).query)["at"] == [missing.date]


def test_a_backtest_shows_figures_reliability_and_misses(page: Page, service: Service) -> None:
    page.goto("/backtest")
    date, every = page.get_by_label("First date of the period"), page.get_by_label("Forecast from every")
    expect(date).to_have_value("2030-04-01")
    date.fill("2030-04-10")
    every.fill("3")
    every.press("Enter")
    page.wait_for_url("**since=2030-04-10&every=3")
    found = service.monitor.backtest("2030-04-10", every=3)
    rows = page.get_by_role("table", name="Figures").locator("tbody tr")
    expect(rows).to_have_count(len(found.figures))
    for row, figures in zip(rows.all(), found.figures, strict=True):
        shown = row.locator("td").all_inner_texts()
        skill = "n/a" if figures.brier_skill is None else f"{figures.brier_skill:.3f}"
        assert shown[0].startswith(f"{figures.kind.capitalize()}, within {figures.horizon} day")
        assert [shown[1], shown[2], shown[6]] == [f"{figures.triples:,}", f"{figures.events:,}", skill]
        groups = [each for each in found.reliability if (each.horizon, each.kind) == (figures.horizon, figures.kind)]
        diagram = page.get_by_role("region", name=f"Reliability: {shown[0]}")
        expect(diagram.locator("svg circle")).to_have_count(len(groups))
        expect(diagram.get_by_role("table", include_hidden=True).locator("tbody tr")).to_have_count(len(groups))
    expect(page.get_by_text("which include facts of the period")).to_be_visible()
    missing = page.get_by_role("table", name="Missing events").locator("tbody tr").first
    expect(missing).to_contain_text(found.misses.missing[0].date)
    assert words_of(found.misses.missing[0]) in " ".join(missing.inner_text().split())


def test_results_open_with_the_strongest_reasons_of_the_first_candidate(page: Page, service: Service) -> None:
    query = schemas.Query(subject=ENTITY, relation=RELATION)
    page.goto(str(AskUrl(subject=ENTITY, relation=RELATION)))
    best = service.forecast(query, 1).candidates[0]
    expect(page.locator("#why")).to_have_text(f"Why {best.name}?")
    expect(page.locator("tr.chosen")).to_contain_text(best.name)
    expect(page.locator("tr.chosen .number").last).to_have_text(f"{best.probability:.1%}")
    expect(page.get_by_role("columnheader", name="Score")).to_have_count(0)
    n_reasons = sum(each.has_evidence for each in service.explain(query, best.name).contributions)
    assert n_reasons > 3
    expect(page.locator(".reason:visible")).to_have_count(3)
    page.get_by_text(f"{n_reasons - 3} weaker reason").click()
    expect(page.locator(".reason:visible")).to_have_count(n_reasons)
    page.mouse.move(900, 600)
    page.mouse.wheel(0, 3000)
    page.wait_for_function("scrollY > 300")
    expect(page.get_by_role("table").get_by_role("link").first).to_be_in_viewport()


def test_a_triple_shows_its_probability_by_horizon(page: Page, service: Service) -> None:
    page.goto(str(TripleUrl(subject=ENTITY, relation=RELATION, object=OTHER)))
    [event] = service.monitor.outlook(ENTITY, OTHER, RELATION, when=True, explain=True).events
    rows = page.get_by_role("table", name="Probability by horizon").locator("tbody tr")
    expect(rows).to_have_count(3)
    for row, n_steps in zip(rows.all(), (1, 7, 30), strict=True):
        point = event.curve[n_steps - 1]
        expect(row).to_contain_text(f"{point.probability:.1%}")
        expect(row).to_contain_text(point.date)
    assert event.explanation is not None
    n_factors = len(event.explanation.factors)
    assert n_factors > 3
    expect(page.locator(".reason:visible")).to_have_count(3)
    expect(page.locator(".reason")).to_have_count(n_factors)


def test_a_pair_shows_its_likely_events(page: Page, service: Service) -> None:
    page.goto(str(PairUrl(entity=ENTITY, other=OTHER)))
    likely = page.get_by_role("region", name="Likely next events").locator("li")
    expected = service.monitor.outlook(ENTITY, OTHER, top=10).events
    expect(likely).to_have_count(len(expected))
    assert [" ".join(row.locator(".phrase").inner_text().split()) for row in likely.all()] == list(
        map(words_of, expected)
    )
    assert [row.locator(".number").inner_text() for row in likely.all()] == [percent(e.probability) for e in expected]


def test_the_board_shows_what_is_likely_surprising_and_changed(page: Page, service: Service) -> None:
    page.goto("/")
    for name, shown in (
        ("Likely next", service.monitor.outlook(top=8).events),
        ("Surprising", service.monitor.surprises("2030-04-24", top=4).events),
        ("Latest events", service.latest_events(10).events),
    ):
        card = page.get_by_role("region", name=name)
        expect(card.locator("ol").first.locator("li")).to_have_count(len(shown))
        rows = [" ".join(row.inner_text().split()) for row in card.locator("li .phrase").all()]
        assert rows[: len(shown)] == [words_of(each) for each in shown]
    first = service.monitor.outlook(top=1).events[0]
    expect(page.get_by_role("region", name="Likely next").locator("li").first).to_contain_text(
        f"{first.probability:.1%}"
    )
    expect(page.get_by_role("region", name="Changed").locator("li")).to_have_count(8)


@pytest.fixture
def quick_updates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_section, "REFRESH_SECONDS", 0.1)
    monkeypatch.setattr(shared_result, "MIN_PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(shared_result, "PAUSE_FACTOR", 0.0)


@pytest.mark.usefixtures("quick_updates")
def test_new_events_appear_by_themselves(page: Page, opened: Opened, service: Service) -> None:
    page.goto("/")
    latest, data = page.get_by_role("region", name="Latest events"), page.get_by_role("region", name="Data")
    expect(latest.locator("li").first).to_be_visible()
    assert page.locator(".fresh").count() == 0
    with opened() as other:
        other.goto(str(EntityUrl(name=ENTITY)))
        expect(other.locator(".facts li").first).to_be_visible()
        event = schemas.Event(subject=ENTITY, relation=RELATION, object="Just Arrived", time="2030-04-30")
        service.add([event])
        row = latest.locator("li", has_text="Just Arrived")
        expect(row.locator(".fresh")).to_have_text("new")
        expect(latest).to_contain_text("1 new event since you opened this page")
        expect(data).to_contain_text(f"{service.health().events:,}")
        assert latest.locator("li .fresh").count() == 1
        other.locator(".arrived", has_text="1 new event").get_by_role("link", name="Update").click()
        expect(other.locator(".facts li").first).to_contain_text("Just Arrived")


@pytest.mark.usefixtures("quick_updates")
def test_an_open_board_does_not_compute_again_and_again_what_fails(
    page: Page, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_result, "MIN_PAUSE_SECONDS", 3600.0)
    tried = list[str]()

    def fail() -> schemas.Changes:
        tried.append("once")
        raise TimeLimitError

    monkeypatch.setattr(service.board, "changes", SharedResult(fail, lambda: 0))
    for n_visits in (1, 2):
        page.goto("/")
        expect(page.get_by_role("region", name="Changed")).to_contain_text("The request takes too long")
        page.wait_for_timeout(1000)  # several updates
        assert len(tried) == n_visits


def test_a_lost_connection_is_explained(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("region", name="Changed").locator("li").first).to_be_visible()
    popup = page.locator("#popup")
    expect(popup).to_be_hidden()
    page.evaluate("() => { window.socket.io.reconnection(false); window.socket.io.engine.close(); }")
    expect(popup).to_be_visible()
    expect(popup).to_contain_text("The connection to the service is lost")
    expect(popup).to_contain_text("may be out of date")
    icon, padding = popup.evaluate(
        """popup => {
            const icon = getComputedStyle(popup.firstElementChild, "::before");
            return [parseFloat(icon.left) + parseFloat(icon.width), parseFloat(getComputedStyle(popup).paddingLeft)];
        }"""
    )
    assert 0 < icon <= padding, "the icon overlaps the text"


def test_the_view_of_an_entity_shows_probabilities(page: Page, service: Service) -> None:
    page.goto(str(EntityUrl(name=ENTITY)))
    expected = service.monitor.outlook(ENTITY, top=10).events
    rows = page.locator(".expected li")
    expect(rows).to_have_count(len(expected))
    assert [row.locator(".number").inner_text() for row in rows.all()] == [
        f"{each.probability:.1%}" for each in expected
    ]
    rows.first.get_by_role("link").click()
    expect(page.locator("#why")).to_contain_text(f"Why {expected[0].probability:.1%}?")


@pytest.fixture(scope="module")
def hostile(service: Service) -> None:
    """Add events with names that would do harm if they were inserted as HTML, or that are very long."""
    last = service.health().last or ""
    names = [*HOSTILE, LONG]
    service.add([schemas.Event(subject=ENTITY, relation="<b>hit</b>", object=each, time=last) for each in names])


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_shown_as_text(page: Page, name: str) -> None:
    page.goto(str(OutlookUrl(entity=ENTITY, other=name, relation="<b>hit</b>", horizon="7d")))
    expect(page.locator("#why")).to_contain_text(name)
    expect(page.locator(".likely .phrase")).to_contain_text("<b>hit</b>")
    page.goto(str(SurprisesUrl(since="2030-04-30")))
    expect(page.get_by_role("table", name="Improbable events")).to_contain_text(name)
    expect(page.get_by_role("table", name="Relations")).to_contain_text("<b>hit</b>")
    assert page.evaluate("window.hacked") is None
    assert page.locator("main b, main script, main img").count() == 0


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize(
    "address",
    [*VIEWS, str(OutlookUrl(entity=LONG)), str(OutlookUrl(entity=ENTITY, other=LONG, relation="<b>hit</b>"))],
    ids=lambda value: value[:60],
)
def test_nothing_overflows_on_a_phone(phone: Page, address: str) -> None:
    phone.goto(address)
    expect(phone.locator(".likely tr, .judged tr, .expected li, .rows li").last).to_be_visible()
    assert phone.evaluate("document.fonts.ready.then(() => document.scrollingElement.scrollWidth <= innerWidth)")


def test_the_views_need_no_other_host_and_label_their_fields(page: Page) -> None:
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    unlabelled = (
        "[...document.querySelectorAll('input')].filter(each => !each.ariaLabel && !each.labels?.length && "
        "!each.closest('[aria-label], [role=checkbox]')).length"
    )
    for address in VIEWS:
        page.goto(address)
        expect(page.locator(".likely tr, .judged tr, .expected li, .rows li").last).to_be_visible()
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        assert page.evaluate(unlabelled) == 0
    assert {urlsplit(url).hostname for url in requested if not url.startswith("data:")} == {"127.0.0.1"}


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("/outlook?entity=Kite+Aviatoin", "Unknown entity 'Kite Aviatoin'."),
        ("/outlook?horizon=soon", "The horizon 'soon' is not understood"),
        ("/outlook?at=1999-01-01", "There are no facts before 1999-01-01"),
        ("/outlook?other=Kite+Aviation", "needs another entity"),
        ("/outlook?top=1001", "top: expected a number from 1 to 1,000"),
        ("/outlook?new=yes", "new: expected an integer"),
        ("/surprises?since=soon", "soon"),
        ("/surprises?horizon=soon", "The horizon 'soon' is not understood"),
        ("/surprises?since=2029-01-01", "the service goes through up to 100"),
        ("/backtest?since=soon", "soon"),
        ("/backtest?since=2029-01-01", "the service goes through up to 100"),
        ("/backtest?every=0", "every: expected a number from 1"),
    ],
)
def test_an_invalid_url_shows_an_error(phone: Page, address: str, message: str) -> None:
    phone.goto(address)
    expect(phone.get_by_role("alert").first).to_contain_text(message)
    expect(phone.locator("body")).not_to_contain_text("Traceback")
    assert phone.evaluate(STILL_LOADING) == 0


def test_a_reliability_diagram_shows_calibrated_groups_on_the_diagonal() -> None:
    groups = [
        schemas.ReliabilityGroup(
            horizon=1, kind="new", triples=1200, predicted=predicted, observed=observed, standard_error=0.0
        )
        for predicted, observed in ((0.0, 0.0), (0.2, 0.1), (0.4, 0.4))
    ]
    drawn = draw_reliability(groups)
    corners = re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', drawn)
    diagonal = re.findall(r'x1="([\d.]+)" x2="([\d.]+)" y1="([\d.]+)" y2="([\d.]+)" class="diagonal"', drawn)
    left, right, bottom, top = diagonal[0]
    assert (corners[0], corners[-1]) == ((left, bottom), (right, top))
    assert "20.0% forecast, 10.0% of 1,200 triples happened" in drawn
    assert "none of 1,200 triples happened" in drawn
    assert observed_share(groups[0].model_copy(update={"observed": 1.0})) == "all"


def test_the_curve_is_escaped_and_marks_the_median() -> None:
    curve = [schemas.CurvePoint(date="<b>", probability=0.2), schemas.CurvePoint(date="2030-01-02", probability=0.6)]
    drawn = draw_curve(curve, 2)
    assert "<b>" not in drawn
    assert drawn.count("<circle") == 1
    assert "<circle" not in draw_curve(curve, None)
    assert draw_curve(curve[1:], 1).endswith("</svg>")
