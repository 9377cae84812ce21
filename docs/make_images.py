"""Draw the pictures of the documentation: of the README, of the method, and screenshots of the page of a service.

All pictures show the sample world. The same version of the code draws the same bytes, except for the screenshots, which
depend on Chromium and its fonts. Pictures of the method adapt to light and dark mode.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from math import exp
from pathlib import Path
from tempfile import TemporaryDirectory

import tlogic

IMAGES = Path(__file__).parent / "images"
WIDTH = 560
HEAD = "impose_sanctions_on"
QUERY = ("Jorvane", HEAD, None, "2031-02-16")
STYLE = """
text { font: 15px system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif; fill: #0f172a }
.small { font-size: 13px } .bold { font-weight: 600 } .soft { fill: #475569 }
.card { fill: #ffffff; stroke: #e2e8f0 } .box { fill: #f1f5f9; stroke: #cbd5e1 }
.line { stroke: #cbd5e1 } .pale { fill: #cbd5e1 }
.fact { stroke: #1d4ed8; fill: #1d4ed8 } .head { stroke: #c2410c; fill: #c2410c }
.step { stroke: #64748b; fill: #64748b }
text.fact, text.head { stroke: none }
text.under { stroke: #ffffff; stroke-width: 6; paint-order: stroke }
path.step, line { fill: none; stroke-width: 2 }
.badge { fill: #475569 } .onbadge { fill: #ffffff; font-weight: 600; font-size: 13px }
.recency { fill: #93c5fd } .confidence { fill: #1d4ed8 } .doubt { fill: #e2e8f0 }
@media (prefers-color-scheme: dark) {
text { fill: #e2e8f0 } .soft { fill: #a9b4c4 }
.card { fill: #1e2129; stroke: #3b4252 } .box { fill: #2b303b; stroke: #4b5563 }
.line { stroke: #4b5563 } .pale { fill: #4b5563 }
.fact { stroke: #7aa2ff; fill: #7aa2ff } .head { stroke: #ff9e64; fill: #ff9e64 }
.step { stroke: #94a3b8; fill: #94a3b8 }
text.under { stroke: #1e2129 }
.badge { fill: #a9b4c4 } .onbadge { fill: #1e2129 }
.recency { fill: #3d5a99 } .confidence { fill: #7aa2ff } .doubt { fill: #2b303b }
}
"""


@dataclass
class Picture:
    """An SVG that is put together from top to bottom."""

    title: str
    height: float
    parts: list[str] = field(default_factory=list)

    def text(self, x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> None:
        self.parts.append(f'<text x="{_n(x)}" y="{_n(y)}" class="{kind}" text-anchor="{anchor}">{escape(text)}</text>')

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str = "line", more: str = "") -> None:
        ends = f'x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}"'
        self.parts.append(f'<line {ends} class="{kind}" {more}/>')

    def rect(self, x: float, y: float, width: float, height: float, kind: str, radius: float = 6) -> None:
        size = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}" rx="{_n(radius)}"'
        self.parts.append(f'<rect {size} class="{kind}"/>')

    def dot(self, x: float, y: float, radius: float, kind: str) -> None:
        self.parts.append(f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}" class="{kind}"/>')

    def path(self, points: list[tuple[float, float]], kind: str, more: str = "") -> None:
        course = " L ".join(f"{_n(x)} {_n(y)}" for x, y in points)
        self.parts.append(f'<path d="M {course}" class="{kind}" {more}/>')

    def arrow(self, x1: float, y1: float, x2: float, y2: float, kind: str, more: str = "") -> None:
        """An arrow along one axis, with its head at the second point."""
        along = (x2 > x1) - (x2 < x1), (y2 > y1) - (y2 < y1)
        self.line(x1, y1, x2 - 8 * along[0], y2 - 8 * along[1], kind, more)
        left = x2 - 10 * along[0] + 5 * along[1], y2 - 10 * along[1] + 5 * along[0]
        right = x2 - 10 * along[0] - 5 * along[1], y2 - 10 * along[1] - 5 * along[0]
        corners = " ".join(f"{_n(x)},{_n(y)}" for x, y in [(x2, y2), left, right])
        self.parts.append(f'<polygon points="{corners}" class="{kind}"/>')

    def badge(self, x: float, y: float, text: str) -> None:
        self.dot(x, y, 11, "badge")
        self.text(x, y + 4.5, text, "onbadge", "middle")

    def svg(self) -> str:
        size = f'viewBox="0 0 {WIDTH} {_n(self.height)}" width="{WIDTH}" height="{_n(self.height)}"'
        card = f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{_n(self.height - 1)}" rx="8" class="card"/>'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
        return "\n".join(
            [head, f"<title>{escape(self.title)}</title>", f"<style>{STYLE}</style>", card, *self.parts, "</svg>\n"]
        )


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def draw_steps() -> Picture:
    """From facts to rules, and from rules to forecasts."""
    picture = Picture("Facts become walks and walks become rules; rules lead from a query to candidates", 246)
    rows = [
        ("Learn", 44, ["dated facts", "walks", "rules"], ["who, what, to whom", "back in time", "with confidence"]),
        (
            "Forecast",
            164,
            ["a query", "groundings", "candidates"],
            ["(who, what, ?, when)", "facts that match a rule", "ranked, with reasons"],
        ),
    ]
    for name, top, titles, texts in rows:
        picture.text(18, top - 12, name, "bold soft small")
        for column, (title, text) in enumerate(zip(titles, texts, strict=True)):
            left = 16 + 184 * column
            picture.rect(left, top, 160, 64, "box")
            picture.text(left + 80, top + 28, title, "bold", "middle")
            picture.text(left + 80, top + 49, text, "small soft", "middle")
            if column:
                picture.arrow(left - 23, top + 32, left - 1, top + 32, "step")
    picture.path([(464, 108), (464, 132), (280, 132), (280, 156)], "step")
    picture.arrow(280, 140, 280, 163, "step")
    return picture


def draw_walk(entities: list[str], times: list[str], facts: list[tuple[str, int, int]], *, as_rule: bool) -> Picture:
    """Three entities as lines along time, with the edges of a walk, or the rule that is left without the names."""
    title = "The rule of the walk" if as_rule else "A walk: one edge for the head, then back in time, to the start"
    picture = Picture(title, 292)
    lanes = [52, 130, 208]
    columns = [200, 316, 446]
    for y, name in zip(lanes, entities, strict=True):
        picture.line(150, y, 544, y)
        words = _in_two(name)
        for line, word in enumerate(words):
            picture.text(142, y + 5 + 18 * (line - (len(words) - 1) / 2), word, "bold" if as_rule else "", "end")
    for number, (x, (relation, start, end)) in enumerate(zip(columns, facts, strict=True)):
        kind = "head" if number == 2 else "fact"
        picture.dot(x, lanes[start], 4, kind)
        picture.arrow(x, lanes[start], x, lanes[end], kind)
        middle = (lanes[start] + lanes[end]) / 2 - (30 if number == 2 else 0)
        picture.text(x, middle + 5, relation.replace("_", " "), f"small under {kind}", "middle")
        if not as_rule:
            picture.badge(x + (84 if number == 2 else 48), middle, str(3 - number))
    for x, time in zip(columns, times, strict=True):
        picture.text(x, 242, time, "small soft", "middle")
    if as_rule:
        for (left, right), sign in zip(pairwise(columns), ["≤", "<"], strict=True):
            picture.text((left + right) / 2, 242, sign, "small soft", "middle")
        picture.text(280, 274, "blue is the body, orange is the head", "small soft", "middle")
    else:
        picture.arrow(520, 262, 200, 262, "step", 'stroke-dasharray="6 4"')
        picture.text(360, 281, "the walk goes back in time: 1, 2, 3", "small soft", "middle")
    return picture


def draw_confidence(rule: tlogic.Rule) -> Picture:
    """A dot for each body, filled where the head followed."""
    columns, gap, top = 35, 15, 52
    rows = -(-rule.body_support // columns)
    picture = Picture("The sampled bodies, and those that the head follows", top + rows * gap + 44)
    picture.text(20, 30, f"{rule.body_support} distinct bodies; the head follows {rule.rule_support} of them", "bold")
    for number in range(rule.body_support):
        x, y = 25 + gap * (number % columns), top + gap * (number // columns)
        picture.dot(x, y, 5, "head" if number < rule.rule_support else "pale")
    text = f"confidence = {rule.rule_support} / {rule.body_support} = {rule.confidence:.3f}"
    picture.text(20, picture.height - 20, text)
    return picture


def draw_application(why: list[tlogic.RuleExplanation]) -> Picture:
    """One rule of two atoms from the query's entity to some candidates, one candidate per row."""
    row_height = 66
    picture = Picture("The rule leads from the entity of the query to its candidates", 48 + row_height * len(why))
    between = why[0].reasons[0].facts[0].object
    for left, width, name in ((16, 84, str(why[0].query.subject)), (196, 88, between)):
        picture.rect(left, 40, width, row_height * len(why) - 12, "box")
        words = name.split()
        for line, word in enumerate(words):
            y = 40 + (row_height * len(why) - 12) / 2 + 5 + 19 * (line - (len(words) - 1) / 2)
            picture.text(left + width / 2, y, word, "bold", "middle")
    for x, name in ((58, "query"), (462, "candidates, age, score")):
        picture.text(x, 26, name, "small soft", "middle")
    for row, each in enumerate(why):
        y, reason = 40 + row_height * row, each.reasons[0]
        for left, fact in zip((100, 284), reason.facts, strict=True):
            picture.text(left + 48, y + 20, fact.relation, "small fact", "middle")
            picture.arrow(left + 1, y + 27, left + 95, y + 27, "fact")
            picture.text(left + 48, y + 43, fact.time, "small soft", "middle")
        picture.rect(380, y, 164, 54, "box")
        picture.text(392, y + 23, each.candidate, "bold")
        picture.text(392, y + 43, f"{_days(reason.age)}, {reason.score:.3f}", "small soft")
    return picture


def _days(age: int) -> str:
    return f"{age} day{'' if age == 1 else 's'}"


def draw_score(confidence: float, alpha: float, decay: float, marks: list[int]) -> Picture:
    """The score of a rule by the age of the grounding: a constant part for confidence, a falling one for recency."""
    picture = Picture("The score of a candidate by one rule falls with the age of the grounding", 300)
    left, right, top, bottom, oldest = 60.0, 536.0, 30.0, 236.0, 40

    def place(age: float, score: float) -> tuple[float, float]:
        return left + (right - left) * age / oldest, bottom - (bottom - top) * score

    floor = alpha * confidence
    curve = [(age / 2, floor + (1 - alpha) * exp(-decay * age / 2)) for age in range(2 * oldest + 1)]
    points = " ".join(f"{_n(x)},{_n(y)}" for x, y in [place(0, 0), *(place(*p) for p in curve), place(oldest, 0)])
    picture.parts.append(f'<polygon points="{points}" class="recency"/>')
    x, y = place(0, floor)
    picture.rect(x, y, right - left, bottom - y, "confidence", 0)
    picture.text(left + 190, bottom - 24, f"a · conf(R) = {alpha} · {confidence:.3f}", "onbadge")
    for score in (0, 0.5, 1):
        picture.text(left - 10, place(0, score)[1] + 5, f"{score:g}", "small soft", "end")
        picture.line(left - 5, place(0, score)[1], left, place(0, score)[1])
    for age in marks:
        score = floor + (1 - alpha) * exp(-decay * age)
        x, y = place(age, score)
        picture.dot(x, y, 5, "head")
        picture.text(x + 10, y - 8, f"{score:.3f} after {_days(age)}", "small under head")
    for age in range(0, oldest + 1, 10):
        picture.text(place(age, 0)[0], bottom + 20, str(age), "small soft", "middle")
    picture.text(
        (left + right) / 2,
        bottom + 44,
        "days from the first fact of the grounding to the query",
        "small soft",
        "middle",
    )
    return picture


def draw_noisy_or(scores: list[float]) -> Picture:
    """How each score reduces the remaining difference to 1."""
    picture = Picture("Each rule reduces the remaining difference to 1", 52 + 58 * len(scores) + 6)
    left, width = 120.0, 400.0
    rest = 1.0
    picture.text(left, 30, "score so far", "small fact")
    picture.text(left + width, 30, "difference to 1", "small soft", "end")
    for number, score in enumerate(scores):
        y = 46 + 58 * number
        before, rest = 1 - rest, rest * (1 - score)
        picture.text(16, y + 22, f"s{'₁₂₃₄'[number]} = {score:.3f}")
        picture.rect(left, y, width, 32, "doubt", 0)
        picture.rect(left, y, width * before, 32, "recency", 0)
        picture.rect(left + width * before, y, width * (1 - rest - before), 32, "confidence", 0)
        text = "1 − " + "".join(f"(1 − s{'₁₂₃₄'[i]})" for i in range(number + 1)) + f" = {1 - rest:.3f}"
        picture.text(left, y + 48, text, "small soft")
    return picture


def draw_ties() -> Picture:
    """Three candidates with one score, one of them the answer: three ways to give it a rank."""
    picture = Picture("The rank of an answer among equal scores: optimistic, realistic, pessimistic", 250)
    rows = [("A", 0.9, False), ("B", 0.7, False), ("the answer", 0.7, True), ("C", 0.7, False), ("D", 0.4, False)]
    for row, (name, score, is_answer) in enumerate(rows):
        y = 24 + 42 * row
        picture.text(108, y + 19, name, "bold head" if is_answer else "", "end")
        picture.rect(120, y, 200 * score, 28, "head" if is_answer else "pale", 3)
        picture.text(128 + 200 * score, y + 19, f"{score}", "small soft")
    picture.path([(330, 68), (340, 68), (340, 178), (330, 178)], "step")
    ranks = [
        ("optimistic", "2", "first of equal scores"),
        ("realistic", "3", "mean rank of equal scores"),
        ("pessimistic", "4", "last of equal scores"),
    ]
    for row, (name, rank, text) in enumerate(ranks):
        y = 84 + 40 * row
        picture.text(356, y, f"{name}: rank {rank}", "bold small")
        picture.text(356, y + 17, text, "small soft")
    return picture


def _in_two(name: str) -> list[str]:
    first, _, rest = name.partition(" ")
    return [first, rest] if rest else [name]


def method_pictures(graph: tlogic.TemporalGraph, rules: tlogic.RuleSet) -> dict[str, str]:
    """The pictures of the method by file name, from the facts, rules and scores of the sample world."""
    [rule] = [rule for rule in rules if rule.head == HEAD and rule.body == ("instruct", "warn")]
    edges = [("instruct", 0, 1), ("warn", 1, 2), (HEAD, 0, 2)]
    names = ["Brinmark", "Minister Oskar Lindvarn", "Dalmere"]
    times = ["2030-01-02", "2030-01-03", "2030-01-04"]
    _check_facts(graph, [(names[s], r, names[o], time) for (r, s, o), time in zip(edges, times, strict=True)])

    one = tlogic.forecast(graph, tlogic.RuleSet((rule,)), [QUERY])
    why = [one.explain(0, candidate.name) for candidate in one[0][:3]]
    answers = tlogic.forecast(graph, rules, [QUERY])
    settings = tlogic.ApplicationSettings()
    strongest = answers.explain(0, answers[0][0].name).strongest(3)
    drawn = {
        "steps.svg": draw_steps(),
        "walk.svg": draw_walk(names, times, edges, as_rule=False),
        "rule.svg": draw_walk(["X", "Y", "Z"], ["T1", "T2", "T3"], edges, as_rule=True),
        "confidence.svg": draw_confidence(rule),
        "application.svg": draw_application(why),
        "score.svg": draw_score(rule.confidence, settings.alpha, settings.decay, [each.reasons[0].age for each in why]),
        "noisy-or.svg": draw_noisy_or([reason.score for reason in strongest]),
        "ties.svg": draw_ties(),
    }
    return {name: picture.svg() for name, picture in drawn.items()}


def _check_facts(graph: tlogic.TemporalGraph, wanted: list[tuple[str, str, str, str]]) -> None:
    """Check that the data contains the facts of a picture."""
    entity, relation, label = graph.entities.name_of, graph.relations.name_of, graph.timeline.label_of
    facts = {(entity(s), relation(r), entity(o), label(int(t))) for s, r, o, t in zip(*graph.train.facts, strict=True)}
    missing = [fact for fact in wanted if fact not in facts]
    assert not missing, f"not in the sample world: {missing}"


# The page of a service, as a browser shows it: the addresses and heights of views.
VIEWS = {
    "page-entity.png": ("/entity?name=Kite+Aviation", 660),
    "page-why.png": ("/ask?subject=Kite+Aviation&relation=sue&at=2031-02-10&candidate=Northlight+Energy", 666),
}
MODEL_VIEWS = {
    "page-home.png": ("/", 1210),
    "page-outlook.png": ("/outlook?entity=Kite+Aviation&horizon=7d", 640),
}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def serve_sample(forecaster: tlogic.RuleSet | tlogic.Model) -> Iterator[str]:
    """The address of a service of the sample world, with rules or a model."""
    from tlogic.events.sample.simulation import write_sample

    tool = [sys.executable, "-m", "tlogic"]
    with TemporaryDirectory() as folder:
        write_sample(Path(folder) / "world", seed=7, days=450)
        kind = "rules" if isinstance(forecaster, tlogic.RuleSet) else "model"
        forecaster.save(Path(folder) / f"world.{kind}")
        subprocess.run([*tool, "ingest", "world", "--store", "events.db", "--quiet"], cwd=folder, check=True)
        with subprocess.Popen(
            [*tool, "serve", "--store", "events.db", f"--{kind}", f"world.{kind}", "--port", "0"],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as service:
            assert service.stdout is not None
            try:
                yield service.stdout.readline().split()[-1]
            finally:
                service.terminate()


def draw_page(forecaster: tlogic.RuleSet | tlogic.Model, views: dict[str, tuple[str, int]]) -> None:
    """Screenshots of the page in light colours, of which 256 are kept, so that files are small."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    with serve_sample(forecaster) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        for name, (view, height) in views.items():
            page = browser.new_page(viewport={"width": 1040, "height": height}, color_scheme="light")
            page.goto(address + view, wait_until="networkidle")
            page.wait_for_function("document.querySelectorAll('.awaited:empty').length === 0", timeout=120_000)
            page.screenshot(path=IMAGES / name, animations="disabled")
            image = Image.open(IMAGES / name).convert("RGB")
            image.quantize(256, dither=Image.Dither.NONE).save(IMAGES / name, optimize=True)
        browser.close()


def main() -> None:
    graph = tlogic.sample()
    rules = tlogic.learn(graph)
    for name, svg in method_pictures(graph, rules).items():
        (IMAGES / name).write_text(svg, encoding="utf-8")
    forecast = tlogic.forecast(graph, rules, [("Kite Aviation", "sue", None, "2031-02-10")])
    forecast.explain(0, forecast[0][0].name).draw(IMAGES / "why.svg", n_reasons=2)
    draw_page(rules, VIEWS)
    draw_page(tlogic.fit(graph), MODEL_VIEWS)


if __name__ == "__main__":
    main()
