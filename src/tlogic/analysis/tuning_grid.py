"""The grid of settings that the paper searched."""

PAPER_GRID = {
    "walks": (10, 25, 50, 100, 200),
    "transition": ("unif", "exp"),
    "lengths": ((1,), (2,), (3,), (1, 2, 3)),
    "window": (30, 90, 150, 210, 270, None),
    "k": (10, 20),
    "alpha": (0.0, 0.25, 0.5, 0.75, 1.0),
    "decay": (0.01, 0.1, 0.5, 1.0),
}
"""The values of each parameter, by the name of its setting."""
