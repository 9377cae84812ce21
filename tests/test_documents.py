"""The documentation is correct: code blocks run and print what is shown, pictures are up to date, links work."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

import tlogic
from tests.datasets import FOLDER, Datasets
from tests.pages import environment, is_printed, steps_of, with_free_ports
from tlogic.events.sample.simulation import write_sample

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
STORY = DOCS / "story.md"
PAGES = [
    path
    for path in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
    if path != STORY and steps_of(path.read_text("utf-8"))
]
PROSE = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")] + sorted(DOCS.rglob("*.md"))
MAX_COLUMNS = 120
# Pages with this sentence run in a folder with the sample world and its rules, others in an empty folder.
PREPARED = "in a folder with the [sample world]"
EXTERNAL = re.compile(r"(https://[\w.-]+\.\w+(/[^\s<>]*)?|mailto:\S+@\S+)")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sample world and its rules."""
    folder = tmp_path_factory.mktemp("documents")
    write_sample(folder / "world", seed=7, days=450)
    tlogic.learn(tlogic.read(folder / "world")).save(folder / "world.rules")
    return folder


Runner = Callable[[Path, Path], list[tuple[str, int]]]


@pytest.fixture(scope="module")
def run_page() -> Iterator[Runner]:
    """Runs the code of a page in a folder; in one process for all pages, because imports take longest."""
    command = [sys.executable, "-m", "tests.pages"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "encoding": "utf-8"}
    with subprocess.Popen(
        command, env=environment() | {"PYTHONPATH": _python_path(), "TLOGIC_DATA": str(FOLDER)}, **pipes
    ) as process:

        def run(page: Path, folder: Path) -> list[tuple[str, int]]:
            print(json.dumps([str(page), str(folder)]), file=process.stdin, flush=True)
            assert process.stdout is not None
            results: list[tuple[str, int]] = json.loads(process.stdout.readline())
            return results

        yield run


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_code_blocks_run_and_print_what_is_shown(page: Path, run_page: Runner, world: Path, tmp_path: Path) -> None:
    if PREPARED in " ".join(page.read_text("utf-8").split()):
        shutil.copytree(world, tmp_path, dirs_exist_ok=True)
    check_page(page, run_page, tmp_path)


def test_the_story_runs_on_real_events(run_page: Runner, dataset: Datasets, tmp_path: Path) -> None:
    dataset("icews14")
    check_page(STORY, run_page, tmp_path)


def check_page(page: Path, run_page: Runner, folder: Path) -> None:
    """Run the code of a page in a folder and compare what is printed with what the page shows."""
    text = with_free_ports(page.read_text("utf-8"))
    copy = folder.with_name(f"{folder.name}-{page.name}")
    copy.write_text(text, "utf-8")
    for step, (printed, code) in zip(steps_of(text), run_page(copy, folder), strict=True):
        assert code == 0, f"{step.source}\n{printed}"
        assert is_printed(step.shown, printed), f"{step.source}\n--- shown\n{step.shown}--- printed\n{printed}"


def _python_path() -> str:
    """The tests, and the paths that this process was given: they may lead to the working tree."""
    return os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))


def test_the_pictures_of_the_method_are_up_to_date() -> None:
    spec = spec_from_file_location("make_images", DOCS / "make_images.py")
    assert spec is not None
    assert spec.loader is not None
    make_images = module_from_spec(spec)
    sys.modules["make_images"] = make_images  # where dataclasses look for it
    spec.loader.exec_module(make_images)
    graph = tlogic.sample()
    pictures = make_images.method_pictures(graph, tlogic.learn(graph))
    assert pictures
    for name, svg in pictures.items():
        assert (DOCS / "images" / name).read_text("utf-8") == svg, f"{name} is out of date; run docs/make_images.py"


def test_the_links_of_the_readme_work() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", (ROOT / "README.md").read_text("utf-8"))
    assert targets
    for target in targets:
        assert EXTERNAL.fullmatch(target) or (ROOT / target).exists(), target


@pytest.mark.parametrize("page", [ROOT / "README.md", DOCS / "method.md"], ids=lambda page: page.name)
def test_named_modules_exist(page: Path) -> None:
    modules = re.findall(r"`([\w/]+\.py)`", page.read_text("utf-8"))
    assert modules
    assert [name for name in modules if not ((ROOT / name).exists() or (ROOT / "src/tlogic" / name).exists())] == []


@pytest.mark.parametrize("page", PROSE, ids=lambda page: str(page.relative_to(ROOT)))
def test_lines_of_prose_are_short(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    long = [line for line in text.splitlines() if len(line) >= MAX_COLUMNS and not line.startswith("|")]
    assert long == []


class Page(HTMLParser):
    """The anchors, links and loaded files of an HTML page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value is not None}
        self.names |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag != "a":
            self.fetched += [given[name] for name in ("href", "src") if name in given]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built documentation. Warnings, such as a page that is missing from the menu, are errors."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_the_links_of_the_site_work(site: Path) -> None:
    pages = {path: Page(path) for path in site.rglob("*.html")}
    assert len(pages) > len(PAGES)
    broken: dict[str, list[str]] = defaultdict(list)
    for path, page in pages.items():
        for link in [*page.links, *page.fetched]:
            if not _works(link, path, site, pages):
                broken[str(path.relative_to(site))].append(link)
    assert not broken


def _works(link: str, path: Path, site: Path, pages: dict[Path, Page]) -> bool:
    parts = urlsplit(link)
    if parts.scheme:
        return EXTERNAL.fullmatch(link) is not None
    if parts.path.startswith("/"):
        target = site / unquote(parts.path).lstrip("/")
    else:
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    target = target / "index.html" if target.is_dir() else target
    return target.is_file() and (not parts.fragment or unquote(parts.fragment) in pages[target].names)


def test_the_site_loads_nothing_from_other_hosts(site: Path) -> None:
    pages, styles = list(site.rglob("*.html")), list(site.rglob("*.css"))
    assert pages
    assert styles
    for path in pages:
        outside = [source for source in Page(path).fetched if urlsplit(source).netloc]
        assert not outside, path
    for path in styles:
        assert not re.search(r"(url\(|@import )\s*[\"']?(https?:)?//", path.read_text("utf-8")), path
