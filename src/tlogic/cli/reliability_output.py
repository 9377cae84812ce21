"""A table that shows how far probabilities come true."""

from rich.table import Table

from tlogic.evaluation import Evaluation

_N_GROUPS = 5  # of probabilities


def reliability_table(evaluation: Evaluation) -> Table:
    """Forecast probabilities, and how many of the candidates were answers; empty if there are no probabilities."""
    table = Table(title="Do the probabilities come true?")
    for column in ("forecast probability", "on average", "came true", "candidates"):
        table.add_column(column, justify="right")
    bins = evaluation.reliability.bins if evaluation.reliability else ()
    fifths = zip(*(each.reshape(_N_GROUPS, -1).sum(axis=1).tolist() for each in bins), strict=True)
    for group, (n, predicted, n_true) in enumerate(fifths):
        if n:
            between = f"{group / _N_GROUPS:.0%} to {(group + 1) / _N_GROUPS:.0%}"
            table.add_row(between, f"{predicted / n:.1%}", f"{n_true / n:.1%}", f"{n:,.0f}")
    return table
