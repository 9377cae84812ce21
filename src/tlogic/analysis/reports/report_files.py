"""Writes a report: one self-contained HTML file, and the same content as Markdown, CSV and image files."""

import csv
import io
from collections.abc import Sequence
from html import escape
from pathlib import Path
from textwrap import fill

from tlogic.analysis.reports.line_chart import plot_chart
from tlogic.analysis.reports.section import Section
from tlogic.figures import check_figure_path
from tlogic.files import check_folder, write_atomically

_MAX_LINE_CHARACTERS = 119
_STYLE = """
:root { color-scheme: light dark; --line: #cbd5e1; --dim: #64748b; --head: #f1f5f9; }
@media (prefers-color-scheme: dark) { :root { --line: #334155; --dim: #94a3b8; --head: #1e293b; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 3rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: 14px; }
th, td { padding: .2rem .7rem; text-align: left; vertical-align: top; } td.number { text-align: right;
font-variant-numeric: tabular-nums; white-space: nowrap; }
td.text { min-width: 4rem; }
thead th { background: var(--head); } tbody tr.first td { border-top: 1px solid var(--line); }
tr.difference td { color: var(--dim); } .remark { border-left: 3px solid var(--line); padding-left: .8rem; }
figure { margin: 1rem 0; background: #fff; border-radius: 6px; padding: .5rem; display: inline-block; }
figure svg { max-width: 100%; height: auto; } code { font-size: 13px; } summary { color: var(--dim); cursor: pointer; }
"""


def check_report(folder: Path) -> None:
    """Raise an error, before work that may take long, if its report could not be written to the folder."""
    check_figure_path(folder / "chart.svg")
    check_folder(folder / "figures")


def write_report(sections: Sequence[Section], folder: Path, title: str, about: str) -> Path:
    """Write report.html, report.md, one CSV file per section, and the charts; return the path of the HTML file."""
    charts = folder / "figures"
    check_folder(charts)
    charts.mkdir(parents=True, exist_ok=True)
    for section in sections:
        write_atomically(folder / f"{section.name}.csv", _as_csv(section))
        for chart in section.charts:
            for kind in ("svg", "png"):
                plot_chart(chart, charts / f"{chart.name}.{kind}")
    write_atomically(folder / "report.md", as_markdown(sections, title, about))
    page = folder / "report.html"
    write_atomically(page, _as_html(sections, charts, title, about))
    return page


def as_markdown(sections: Sequence[Section], title: str, about: str, figures: str = "figures") -> str:
    """The report as Markdown, with links to the charts in the folder ``figures``."""
    return f"# {title}\n\n{_wrap(about)}\n\n{tables_as_markdown(sections, figures)}\n"


def tables_as_markdown(sections: Sequence[Section], figures: str | None = None) -> str:
    """The sections as Markdown, with links to the charts in the folder ``figures`` if it is given."""
    parts = []
    for section in sections:
        parts += [f"## {section.title}", _wrap(section.about)]
        parts += [_wrap(f"*{remark}*") for remark in section.remarks]
        header, *rows = section.table()
        lines = [header, ["---"] * len(header), *rows]
        parts.append(
            "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
        )
        if figures is not None:
            parts += [f"![{chart.title}]({figures}/{chart.name}.svg)" for chart in section.charts]
        parts += ["\n".join(["```", *_commands(section), "```"])] if _commands(section) else []
    return "\n\n".join(parts)


def _wrap(paragraph: str) -> str:
    return fill(paragraph, _MAX_LINE_CHARACTERS, break_long_words=False, break_on_hyphens=False)


def _as_csv(section: Section) -> str:
    """One line per row and source, with all digits."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*section.labels, "source", *section.columns, "command"])
    for row in section.rows:
        for source, values in row.lines():
            cells = ["" if values.get(column) is None else values[column] for column in section.columns]
            writer.writerow([*row.label, source, *cells, row.command])
    return text.getvalue()


def _as_html(sections: Sequence[Section], charts: Path, title: str, about: str) -> str:
    index = "".join(f'<li><a href="#{section.name}">{escape(section.title)}</a></li>' for section in sections)
    body = "".join(_section(section, charts) for section in sections)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head>\n'
        f"<body><h1>{escape(title)}</h1><p>{escape(about)}</p><ul>{index}</ul>\n{body}</body></html>\n"
    )


def _section(section: Section, charts: Path) -> str:
    remarks = "".join(f'<p class="remark">{escape(remark)}</p>' for remark in section.remarks)
    figures = "".join(
        f'<figure role="img" aria-label="{escape(chart.title)}">{_inline(charts / f"{chart.name}.svg")}</figure>'
        for chart in section.charts
    )
    commands = "\n".join(_commands(section))
    details = (
        f"<details><summary>Commands</summary><pre><code>{escape(commands)}</code></pre></details>" if commands else ""
    )
    return (
        f'<section id="{section.name}"><h2>{escape(section.title)}</h2><p>{escape(section.about)}</p>{remarks}'
        f'<div class="wide">{_table(section)}</div>{figures}{details}</section>\n'
    )


def _table(section: Section) -> str:
    header, *rows = section.table()
    n_labels = len(section.labels) + 1
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    lines = []
    for row in rows:
        kind = "first" if any(row[: n_labels - 1]) else row[n_labels - 1]
        texts = "".join(f"<td>{escape(cell)}</td>" for cell in row[:n_labels])
        numbers = "".join(f'<td class="{_kind(cell)}">{escape(cell)}</td>' for cell in row[n_labels:])
        lines.append(f'<tr class="{escape(kind)}">{texts}{numbers}</tr>')
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def _kind(cell: str) -> str:
    return "number" if cell.replace(",", "").replace(".", "").lstrip("+-").isdecimal() else "text"


def _inline(path: Path) -> str:
    """The SVG element without the XML declaration."""
    text = path.read_text(encoding="utf-8")
    return text[text.index("<svg") :]


def _commands(section: Section) -> list[str]:
    return list(dict.fromkeys(row.command for row in section.rows if row.command))
