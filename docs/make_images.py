"""Draw the README's picture: the facts behind a forecast in the sample world."""

from pathlib import Path

import tlogic


def main() -> None:
    graph = tlogic.sample()
    forecast = tlogic.forecast(graph, tlogic.learn(graph), [("Kite Aviation", "sue", None, "2031-02-10")])
    why = forecast.explain(0, forecast[0][0].name)
    why.draw(Path(__file__).parent / "images" / "why.svg", n_reasons=2)


if __name__ == "__main__":
    main()
