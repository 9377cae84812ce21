import pytest
from hypothesis import given

from tests.rules.strategies import names, rules
from tlogic import Rule
from tlogic.events.sample.simulation import PLANTED_RULES
from tlogic.rules import in_words

# Checked by hand: a relation, and its sentence with X and Y.
CLAUSES = {
    "Consult": "X consults Y",
    "Make_statement": "X makes a statement to Y",
    "Make_a_visit": "X makes a visit to Y",
    "Host_a_visit": "X hosts a visit by Y",
    "Express_intent_to_cooperate": "X expresses intent to cooperate with Y",
    "Express_intent_to_meet_or_negotiate": "X expresses intent to meet or negotiate with Y",
    "Express_intent_to_provide_economic_aid": "X expresses intent to provide economic aid to Y",
    "Discuss_by_telephone": "X discusses by telephone with Y",
    "fight_with_small_arms_and_light_weapons": "X fights Y with small arms and light weapons",
    "Use_conventional_military_force": "X uses conventional military force against Y",
    "Arrest,_detain,_or_charge_with_legal_action": "X arrests, detains, or charges Y with legal action",
    "Abduct,_hijack,_or_take_hostage": "X abducts, hijacks, or takes Y hostage",
    "Return,_release_person(s)": "X returns or releases person(s) of Y",
    "Obstruct_passage,_block": "X obstructs passage or blocks Y",
    "Protest_violently,_riot": "X protests violently or riots against Y",
    "Impose_embargo,_boycott,_or_sanctions": "X imposes embargo, boycott, or sanctions on Y",
    "Impose_blockade,_restrict_movement": "X imposes a blockade or restricts movement of Y",
    "Accuse_of_crime,_corruption": "X accuses Y of crime or corruption",
    "Threaten_with_sanctions,_boycott,_embargo": "X threatens Y with sanctions, boycott or embargo",
    "Threaten_to_halt_negotiations": "X threatens to halt negotiations with Y",
    "Appeal_for_diplomatic_cooperation_(such_as_policy_support)": (
        "X appeals to Y for diplomatic cooperation (such as policy support)"
    ),
    "Appeal_to_others_to_settle_dispute": "X appeals to others to settle a dispute with Y",
    "Demand": "X demands something of Y",
    "Demand_change_in_leadership": "X demands change in leadership from Y",
    "Demand_that_target_yields": "X demands that Y yields",
    "Meet_at_a_'third'_location": "X meets Y at a 'third' location",
    "Use_as_human_shield": "X uses Y as a human shield",
    "Defend_verbally": "X defends Y verbally",
    "Cooperate_economically": "X cooperates economically with Y",
    "Physically_assault": "X physically assaults Y",
    "Sign_formal_agreement": "X signs a formal agreement with Y",
    "Give_ultimatum": "X gives an ultimatum to Y",
    "Carry_out_suicide_bombing": "X carries out a suicide bombing against Y",
    "Reject_proposal_to_meet,_discuss,_or_negotiate": "X rejects a proposal to meet, discuss, or negotiate with Y",
    "Decline_comment": "X declines comment to Y",
    "Make_optimistic_comment": "X makes an optimistic comment about Y",
    "Rally_support_on_behalf_of": "X rallies support on behalf of Y",
    "Veto": "X vetoes Y",
    "open_inquiry_into": "X opens an inquiry into Y",
    "take_over": "X takes over Y",
    "CONSULT": "X consults Y",
    "<wasBornIn>": "X was born in Y",
    "<playsFor>": "X plays for Y",
    "hasWonPrize": "X has won prize Y",
    "owned_by": "X is owned by Y",
    "created": "X created Y",
    # Names that do not look like verb phrases are quoted unchanged.
    "capital_of": 'X "capital_of" Y',
    "population": 'X "population" Y',
    "deploys": "X deploys Y",
    "P39": 'X "P39" Y',
    "042": 'X "042" Y',
    "member of": 'X "member of" Y',
    "use_of_force": 'X "use_of_force" Y',
    "share_of": 'X "share_of" Y',
    "work_location": 'X "work_location" Y',
    "sues (civil)": 'X "sues (civil)" Y',
    "Accuse [of crime], publicly": 'X "Accuse [of crime], publicly" Y',
    "Demand [public] change": 'X "Demand [public] change" Y',
    "Visit 2 days after": 'X "Visit 2 days after" Y',
    "Stage2": 'X "Stage2" Y',
    "two\nlines": 'X "two\\nlines" Y',
    "": 'X "" Y',
}


@pytest.mark.parametrize(("relation", "clause"), CLAUSES.items())
def test_relations_in_words(relation: str, clause: str) -> None:
    assert in_words(Rule(relation, ("P1",), (0, 1))) == f'{clause} after X "P1" Y'


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (("Consult", ("Discuss_by_telephone",), (0, 1)), "X consults Y after discussing by telephone with Y"),
        (("consult", ("visit^-1",), (0, 1)), "X consults Y after Y visits X"),
        (("consult^-1", ("visit^-1",), (0, 1)), "Y consults X after visiting X"),
        (("consult", ("meet", "visit^-1"), (0, 1, 2)), "X consults Z after X meets Y and then Z visits Y"),
        (
            ("fine", ("warn", "visit", "warn"), (0, 1, 0, 1)),
            "X fines Y after X warns Y, then Y visits X, and then X warns Y again",
        ),
        (
            ("sue", ("warn", "warn^-1", "sue"), (0, 1, 0, 2)),
            "X sues Z after warning Y, then warning Y again, and then suing Z",
        ),
        (
            ("capital_of", ("visit", "capital_of"), (0, 1, 2)),
            'X "capital_of" Z after X visits Y and then Y "capital_of" Z',
        ),
    ],
)
def test_rules_in_words(rule: tuple[str, tuple[str, ...], tuple[int, ...]], words: str) -> None:
    assert in_words(Rule(*rule)) == words


def test_the_rules_of_the_sample_world_in_words() -> None:
    told = [in_words(Rule(rule.head, rule.body, rule.variables)) for rule in PLANTED_RULES]
    assert told[0] == "X signs an agreement with Y after negotiating with Y"
    assert "X fines Y after X opens an inquiry into Y, then Y replies to X, and then X warns Y" in told
    assert not any("_" in words for words in told)


@given(rules())
def test_every_rule_has_words_on_one_line(rule: Rule) -> None:
    words = in_words(rule)
    assert " after " in words
    assert words.isprintable() or not all(name.isprintable() for name in (rule.head, *rule.body))
    assert "\n" not in words
    assert "\0" not in words


@given(names)
def test_words_of_a_name_keep_both_entities(name: str) -> None:
    words = in_words(Rule(name, ("P1",), (0, 1)))
    assert "X" in words
    assert "Y" in words
