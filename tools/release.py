"""`make release`: check version, changelog and tag; build wheel and sdist; run both in empty environments."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORK = ROOT / "build" / "release"
DIST = ROOT / "dist"
_RELEASE_LINE = re.compile(r"^## \[(\d[^\]]*)\] - \d{4}-\d\d-\d\d$", re.MULTILINE)


class NotReadyError(Exception):
    """Why there can be no release, in a sentence for the maintainer."""


def check_agreement(version: str, changelog: str, tags: list[str], changed: str) -> None:
    """Raise an error unless version, changelog and tag agree and everything is committed.

    >>> check_agreement("1.0", "## [Unreleased]\\n\\n## [1.0] - 2030-01-01\\n", ["v1.0"], "")
    """
    releases = _RELEASE_LINE.findall(changelog)
    unreleased = changelog.partition("## [Unreleased]")[2].partition("\n## [")[0].strip()
    if not releases or releases[0] != version:
        newest = releases[0] if releases else "none"
        raise NotReadyError(f"The version is {version}, but the newest release in CHANGELOG.md is {newest}.")
    if unreleased:
        raise NotReadyError(f"CHANGELOG.md has lines under Unreleased; move them under [{version}] or a new version.")
    if changed:
        raise NotReadyError(f"There are changes that are not committed:\n{changed}")
    if f"v{version}" not in tags:
        found = ", ".join(tags) or "none"
        raise NotReadyError(f"The commit has no tag v{version} (found: {found}); create it with `git tag v{version}`.")


def supported_pythons(pyproject: str) -> list[str]:
    """The versions of Python that the package says to support.

    >>> supported_pythons('[project]\\nclassifiers = ["Programming Language :: Python :: 3.11"]')
    ['3.11']
    """
    classifiers = tomllib.loads(pyproject)["project"]["classifiers"]
    return [name.rpartition(" ")[2] for name in classifiers if re.search(r"Python :: 3\.\d+$", name)]


def _find_python(version: str) -> str | None:
    """The path of a Python that starts; shims of pyenv lead nowhere unless their version is selected."""
    name = f"python{version}"
    of_pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob(f"versions/{version}.*/bin/{name}")
    return next((path for path in [shutil.which(name), *map(str, of_pyenv)] if path and _starts(path)), None)


def _starts(python: str) -> bool:
    return subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0


def _output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def _check_repository(version: str) -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    tags = _output("git", "tag", "--points-at", "HEAD").split()
    check_agreement(version, changelog, tags, _output("git", "status", "--porcelain").strip())


def _build(version: str) -> tuple[Path, Path]:
    """The new wheel and sdist."""
    tools = _new_environment(sys.executable, "tools")
    _run(tools / "pip", "install", "--quiet", "build")
    _run(tools / "python", "-m", "build", "--outdir", DIST, ROOT)
    wheel, sdist = DIST / f"tlogic-{version}-py3-none-any.whl", DIST / f"tlogic-{version}.tar.gz"
    for file in (wheel, sdist):
        if not file.exists():
            raise NotReadyError(f"The build did not write {file.name}.")
    return wheel, sdist


def _new_environment(python: str, name: str) -> Path:
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    _run(python, "-m", "venv", folder)
    return folder / ("Scripts" if sys.platform == "win32" else "bin")


def _smoke_test(python: str, package: Path, name: str, version: str) -> None:
    """Install a package in an empty environment, outside of the repository, and use it."""
    bin_folder = _new_environment(python, name)
    _run(bin_folder / "pip", "install", "--quiet", package)
    folder = WORK / f"{name}-files"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    command = bin_folder / "tlogic"
    found = subprocess.run([command, "--version"], cwd=folder, capture_output=True, text=True, check=True).stdout
    if found.strip() != f"tlogic {version}":
        raise NotReadyError(f"{package.name} says {found.strip()!r} instead of tlogic {version}.")
    query = ("--subject", "Kite Aviation", "--relation", "sue")
    for arguments in (
        ("demo",),
        ("sample", "--out", "world"),
        ("learn", "world", "--out", "world.rules", "--quiet"),
        ("forecast", "world", "--rules", "world.rules", *query, "--explain", "--quiet"),
        ("evaluate", "world", "--rules", "world.rules", "--quiet"),
    ):
        _run(command, *arguments, cwd=folder)


def _run(*command: object, cwd: Path = ROOT) -> None:
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        output = (done.stdout + done.stderr)[-3000:]
        raise NotReadyError(f"`{' '.join(words)}` ended with code {done.returncode}:\n{output}")


def main(check_only: bool) -> None:
    """Do all steps, and say what was done and what was left out."""
    version = re.findall(r'^__version__ = "(.+)"', (ROOT / "src/tlogic/version.py").read_text("utf-8"), re.MULTILINE)[0]
    _check_repository(version)
    print(f"Version, changelog and tag agree: {version}.")
    if check_only:
        return
    wheel, sdist = _build(version)
    print(f"Built {wheel.name} and {sdist.name}.")
    pythons = supported_pythons((ROOT / "pyproject.toml").read_text("utf-8"))
    present = [(each, found) for each in pythons if (found := _find_python(each))]
    print(f"Missing on this machine: {', '.join(sorted(set(pythons) - {each for each, _ in present})) or 'none'}.")
    if not present:
        raise NotReadyError(f"None of the supported versions of Python is on this machine: {', '.join(pythons)}.")
    for each, found in present:
        _smoke_test(found, wheel, f"python{each}", version)
        print(f"The wheel runs with Python {each}.")
    _smoke_test(present[0][1], sdist, "sdist", version)
    print(f"The sdist runs with Python {present[0][0]}. Ready to be published: {DIST}.")


if __name__ == "__main__":
    try:
        main(check_only="--check" in sys.argv[1:])
    except NotReadyError as error:
        sys.exit(f"release: {error}")
