"""Hypothesis strategies for rules."""

from hypothesis import strategies as st

from tlogic import Rule

# Text that could confuse a parser, drawn more often than random text would contain it.
TRICKY = ["(", ")", ",", "<-", ":-", "←", "#", '"', "\\", " ", "\n", "^-1", "(X, Y, T1)", "(X,Y,T1)", "5/7", "{", "_"]
names = st.one_of(
    st.sampled_from(
        ["consult", "Return,_release_person(s)", "Impose_embargo,_boycott,_or_sanctions", "042", "http://a/b#c"]
    ),
    st.lists(st.one_of(st.sampled_from(TRICKY), st.text(max_size=3)), max_size=5).map("".join),
)


@st.composite
def patterns(draw: st.DrawFn, max_length: int = 5) -> tuple[int, ...]:
    variables = [0]
    for _ in range(draw(st.integers(1, max_length))):
        variables.append(draw(st.integers(0, max(variables) + 1)))
    return tuple(variables)


@st.composite
def rules(draw: st.DrawFn, relations: st.SearchStrategy[str] = names, unmeasured: bool = True) -> Rule:
    variables = draw(patterns())
    body = tuple(draw(relations) for _ in variables[1:])
    body_support = draw(st.integers(0 if unmeasured else 1, 500))
    return Rule(draw(relations), body, variables, draw(st.integers(0, body_support)), body_support)
