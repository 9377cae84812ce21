"""Explanations by rules as text, and as plain values for JSON."""

from collections.abc import Iterator
from typing import Any

from tlogic.explaining.explanation import Fact
from tlogic.explaining.rule_explanation import Grounding, Reason, RuleExplanation, by_strength
from tlogic.forecasting.answers import NOT_PROBABILITIES
from tlogic.rules import in_words


def as_text(why: RuleExplanation, n_reasons: int | None) -> str:
    """The rank of the candidate, its strongest reasons, and how their scores combine."""
    return "\n".join(_lines(why, n_reasons))


def as_dict(why: RuleExplanation) -> dict[str, Any]:
    """The whole explanation."""
    return {
        "query": why.query._asdict(),
        "candidate": why.candidate,
        "score": why.score,
        "note": NOT_PROBABILITIES,
        "rank": why.rank,
        "equal": why.n_equal,
        "candidates": why.n_candidates,
        "above": [{"candidate": name, "score": score} for name, score in why.above],
        "rules": why.n_rules,
        "rules_tried": why.n_rules_tried,
        "fallback_share": why.fallback_share,
        "reasons": [_reason(reason) | {"score_without": why.without(reason)} for reason in why.reasons],
        "untried": [_reason(reason) for reason in why.untried],
    }


def _reason(reason: Reason) -> dict[str, Any]:
    rule = reason.rule
    return {
        "rule": str(rule),
        "words": in_words(rule),
        "confidence": rule.confidence,
        "rule_support": rule.rule_support,
        "body_support": rule.body_support,
        "score": reason.score,
        "confidence_part": reason.confidence_part,
        "recency_part": reason.recency_part,
        "age": reason.age,
        "groundings": [[fact._asdict() for fact in grounding] for grounding in reason.groundings],
    }


def _lines(why: RuleExplanation, n_reasons: int | None) -> Iterator[str]:
    yield f"Why {why.candidate} for {why.query}?"
    yield _rank_line(why)
    strongest, cited = why.strongest(n_reasons), set[Fact]()
    if why.reasons:
        yield f"{_rules(len(why.reasons))} to it{_strongest(len(strongest), len(why.reasons))}:"
    for reason in strongest:
        yield from _reason_lines(why, reason, cited)
    if why.reasons:
        yield _noisy_or_line(why)
    if why.untried and why.rank != 1:
        yield from _untried_lines(why, cited)


def _untried_lines(why: RuleExplanation, cited: set[Fact]) -> Iterator[str]:
    also = " as well" if why.reasons else ""
    yield (
        f"{_rules(len(why.untried))} to it{also}, but enough candidates were found after "
        f"{why.n_rules_tried:,} of {why.n_rules:,} rules. The strongest rule that was not applied:"
    )
    yield from _reason_lines(why, min(why.untried, key=by_strength), cited)


def _rank_line(why: RuleExplanation) -> str:
    if why.rank is None:
        reason = (
            "no applied rule leads to it" if why.fallback_share is None else "it was never an answer to this relation"
        )
        return f"It is not among the {_count(why.n_candidates, 'candidate')}: {reason}."
    line = f"Rank {why.rank:,} of {_count(why.n_candidates, 'candidate')}, score {why.score:.4f}"
    line += f", tied with {_count(why.n_equal, 'other candidate')}" if why.n_equal else ""
    if why.fallback_share is not None:
        line += "; no rule leads to any candidate, so the score is its share in the past answers to this relation"
    above = ", ".join(f"{name} {score:.4f}" for name, score in why.above)
    return f"{line}. {f'Above it: {above}. ' if above else ''}{NOT_PROBABILITIES}"


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _rules(n: int) -> str:
    return "1 rule leads" if n == 1 else f"{n:,} rules lead"


def _strongest(shown: int, of: int) -> str:
    return "" if shown == of else f"; the {shown} strongest" if shown > 1 else "; the strongest"


def _reason_lines(why: RuleExplanation, reason: Reason, cited: set[Fact]) -> Iterator[str]:
    rule = reason.rule
    yield (
        f"  {reason.score:.4f} = {reason.confidence_part:.4f} (confidence {rule.confidence:.4f}, "
        f"{rule.rule_support:,} of {rule.body_support:,}) + {reason.recency_part:.4f} (began "
        f"{why.timeline.span_of(reason.age)} before)"
    )
    yield f"    {rule}"
    yield f"    {in_words(rule)}"
    for i, grounding in enumerate(reason.groundings):
        yield from _fact_lines(grounding, "" if i == 0 else "or", cited)


def _fact_lines(grounding: Grounding, mark: str, cited: set[Fact]) -> Iterator[str]:
    """The facts that were not listed yet, which are then cited, and how many of the facts above belong here, too."""
    new = [fact for fact in dict.fromkeys(grounding) if fact not in cited]
    n_above = len(set(grounding)) - len(new)
    above = [f"{'and ' if new else ''}{_count(n_above, 'fact')} from above"] if n_above else []
    for i, line in enumerate([*map(str, new), *above]):
        yield f"      {mark if i == 0 else '':<3}{line}"
    cited |= set(new)


def _noisy_or_line(why: RuleExplanation) -> str:
    shown = [f"(1 - {reason.score:.4f})" for reason in why.strongest(3)]
    rest = "..." if len(why.reasons) > len(shown) else ""
    return f"  Together: 1 - {''.join(shown)}{rest} = {why.score:.4f}"
