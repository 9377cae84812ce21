"""The results that the paper lists, with optimistic ties.

Liu, Ma, Hildebrandt, Joblin, Tresp: TLogic: Temporal Logical Rules for Explainable Link Forecasting on Temporal
Knowledge Graphs, AAAI 2022.
"""

from typing import NamedTuple

DATASETS = ("icews14", "icews18", "icews0515")
WINDOWS = {"icews14": None, "icews18": 200, "icews0515": 1000}
"""The windows of Table 1."""

Metrics = tuple[float, float, float, float]

MAIN: dict[str, dict[str, Metrics]] = {
    "DistMult": {
        "icews14": (0.2767, 0.1816, 0.3115, 0.4696),
        "icews18": (0.1017, 0.0452, 0.1033, 0.2125),
        "icews0515": (0.2873, 0.1933, 0.3219, 0.4754),
    },
    "ComplEx": {
        "icews14": (0.3084, 0.2151, 0.3448, 0.4958),
        "icews18": (0.2101, 0.1187, 0.2347, 0.3987),
        "icews0515": (0.3169, 0.2144, 0.3574, 0.5204),
    },
    "AnyBURL": {
        "icews14": (0.2967, 0.2126, 0.3333, 0.4673),
        "icews18": (0.2277, 0.1510, 0.2544, 0.3891),
        "icews0515": (0.3205, 0.2372, 0.3545, 0.5046),
    },
    "TTransE": {
        "icews14": (0.1343, 0.0311, 0.1732, 0.3455),
        "icews18": (0.0831, 0.0192, 0.0856, 0.2189),
        "icews0515": (0.1571, 0.0500, 0.1972, 0.3802),
    },
    "TA-DistMult": {
        "icews14": (0.2647, 0.1709, 0.3022, 0.4541),
        "icews18": (0.1675, 0.0861, 0.1841, 0.3359),
        "icews0515": (0.2431, 0.1458, 0.2792, 0.4421),
    },
    "DE-SimplE": {
        "icews14": (0.3267, 0.2443, 0.3569, 0.4911),
        "icews18": (0.1930, 0.1153, 0.2186, 0.3480),
        "icews0515": (0.3502, 0.2591, 0.3899, 0.5275),
    },
    "TNTComplEx": {
        "icews14": (0.3212, 0.2335, 0.3603, 0.4913),
        "icews18": (0.2123, 0.1328, 0.2402, 0.3691),
        "icews0515": (0.2754, 0.1952, 0.3080, 0.4286),
    },
    "CyGNet": {
        "icews14": (0.3273, 0.2369, 0.3631, 0.5067),
        "icews18": (0.2493, 0.1590, 0.2828, 0.4261),
        "icews0515": (0.3497, 0.2567, 0.3909, 0.5294),
    },
    "RE-Net": {
        "icews14": (0.3828, 0.2868, 0.4134, 0.5452),
        "icews18": (0.2881, 0.1905, 0.3244, 0.4751),
        "icews0515": (0.4297, 0.3126, 0.4685, 0.6347),
    },
    "xERTE": {
        "icews14": (0.4079, 0.3270, 0.4567, 0.5730),
        "icews18": (0.2931, 0.2103, 0.3351, 0.4648),
        "icews0515": (0.4662, 0.3784, 0.5231, 0.6392),
    },
    "TLogic": {
        "icews14": (0.4304, 0.3356, 0.4827, 0.6123),
        "icews18": (0.2982, 0.2054, 0.3395, 0.4853),
        "icews0515": (0.4697, 0.3621, 0.5313, 0.6743),
    },
}
"""Table 1: link forecasting, test facts."""

TRANSFER: dict[tuple[str, str], dict[str, Metrics]] = {
    ("icews0515", "icews14"): {
        "AnyBURL": (0.2664, 0.1800, 0.3024, 0.4477),
        "TLogic": (0.4253, 0.3291, 0.4780, 0.6122),
    },
    ("icews14", "icews18"): {
        "AnyBURL": (0.1546, 0.0907, 0.1685, 0.2958),
        "TLogic": (0.2915, 0.1987, 0.3330, 0.4795),
    },
}
"""Table 3: rules learned on the first dataset and applied to the test facts of the second."""


class ExampleRule(NamedTuple):
    """A rule of Table 2, in our notation and with the relation names of the data."""

    rule: str
    confidence: float


EXAMPLE_RULES = (
    ExampleRule(
        "Demonstrate_or_rally(X, Y, T4) <- "
        "Protest_violently,_riot(X, Y, T1), Make_statement(Y, X, T2), Protest_violently,_riot(X, Y, T3)",
        0.963,
    ),
    ExampleRule(
        "Share_intelligence_or_information(X, Y, T2) <- "
        "Express_intent_to_ease_economic_sanctions,_boycott,_or_embargo^-1(X, Y, T1)",
        0.818,
    ),
    ExampleRule(
        "Provide_military_aid(X, Z, T3) <- Provide_military_aid(X, Y, T1), "
        "Express_intent_to_provide_military_protection_or_peacekeeping^-1(Y, Z, T2)",
        0.750,
    ),
)
"""Table 2, upper part."""

EXPLAINED_QUERY = ("Angela_Merkel", "Consult", "2014-08-09")
EXPLAINED_ANSWER = "Barack_Obama"


class ExplanationWalk(NamedTuple):
    """A walk of Table 2 that supports the answer: its rule, and its facts as in the data."""

    rule: str
    confidence: float
    facts: tuple[tuple[str, str, str, str], ...]


EXPLANATION_WALKS = (
    ExplanationWalk(
        "Consult(X, Y, T2) <- Discuss_by_telephone(X, Y, T1)",
        0.570,
        (("Angela_Merkel", "Discuss_by_telephone", "Barack_Obama", "2014-07-22"),),
    ),
    ExplanationWalk(
        "Consult(X, Y, T4) <- "
        "Express_intent_to_meet_or_negotiate(X, Y, T1), Consult^-1(Y, X, T2), Consult^-1(X, Y, T3)",
        0.500,
        (
            ("Angela_Merkel", "Express_intent_to_meet_or_negotiate", "Barack_Obama", "2014-05-02"),
            ("Angela_Merkel", "Consult", "Barack_Obama", "2014-07-18"),
            ("Barack_Obama", "Consult", "Angela_Merkel", "2014-07-29"),
        ),
    ),
)
"""Table 2, lower part."""

STATISTICS = {
    "icews14": (63_685, 13_823, 13_222, 7_128, 230, 365),
    "icews18": (373_018, 45_995, 49_545, 23_033, 256, 304),
    "icews0515": (322_958, 69_224, 69_147, 10_488, 251, 4_017),
}
"""Dataset statistics of the appendix: training, validation and test facts, entities, relations, time steps."""

WALKS: dict[tuple[int, str], Metrics] = {
    (10, "unif"): (0.3818, 0.2983, 0.4307, 0.5404),
    (10, "exp"): (0.3906, 0.3054, 0.4408, 0.5530),
    (25, "unif"): (0.4098, 0.3196, 0.4614, 0.5803),
    (25, "exp"): (0.4175, 0.3270, 0.4710, 0.5875),
    (50, "unif"): (0.4219, 0.3307, 0.4754, 0.5947),
    (50, "exp"): (0.4294, 0.3375, 0.4837, 0.6024),
    (100, "unif"): (0.4266, 0.3315, 0.4817, 0.6057),
    (100, "exp"): (0.4324, 0.3397, 0.4861, 0.6092),
    (200, "unif"): (0.4312, 0.3366, 0.4851, 0.6114),
    (200, "exp"): (0.4373, 0.3434, 0.4916, 0.6161),
}
"""By number of walks and transition distribution. This and the following: appendix, ICEWS14, validation facts."""

LENGTHS: dict[tuple[int, ...], Metrics] = {
    (1,): (0.4116, 0.3168, 0.4708, 0.5909),
    (2,): (0.1563, 0.0648, 0.1776, 0.3597),
    (3,): (0.4097, 0.3213, 0.4594, 0.5778),
    (1, 2, 3): (0.4373, 0.3434, 0.4916, 0.6161),
}

TIME_WINDOWS: dict[int | None, Metrics] = {
    30: (0.3842, 0.3080, 0.4294, 0.5281),
    90: (0.4137, 0.3287, 0.4627, 0.5750),
    150: (0.4254, 0.3368, 0.4766, 0.5950),
    210: (0.4311, 0.3403, 0.4835, 0.6035),
    270: (0.4356, 0.3426, 0.4892, 0.6131),
    None: (0.4373, 0.3434, 0.4916, 0.6161),
}

SCORES: dict[tuple[float, float], Metrics] = {
    (1.0, 0.1): (0.3869, 0.2806, 0.4444, 0.5918),
    (0.0, 0.1): (0.4077, 0.3515, 0.4820, 0.6051),
    (0.5, 0.1): (0.4373, 0.3434, 0.4916, 0.6161),
}
"""By alpha and lambda; lambda has no effect at alpha 1."""

RULE_COUNTS: dict[str, dict[int, int]] = {"exp": {1: 7_858, 3: 11_718}, "unif": {1: 11_019, 3: 8_550}}
"""Rules by transition distribution and length, for 200 walks."""

SEED_DEVIATION = 0.0012
"""The standard deviation of the MRR over five seeds."""
