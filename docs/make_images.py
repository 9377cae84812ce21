"""Draw the README's picture: what `tlogic demo` prints, as an SVG without outside fonts."""

import re
from pathlib import Path

from rich.console import Console

from tlogic.cli import demo

WIDTH = 112


def main() -> None:
    demo.console = Console(record=True, width=WIDTH)
    demo.run_demo()
    drawing = demo.console.export_svg(title="tlogic demo", unique_id="demo")
    drawing = re.sub(r"@font-face \{.*?\}\s*", "", drawing, flags=re.DOTALL)
    drawing = drawing.replace("<!-- Generated with Rich https://www.textualize.io -->\n", "")
    (Path(__file__).parent / "images" / "demo.svg").write_text(drawing, encoding="utf-8")


if __name__ == "__main__":
    main()
