"""Random valid specs, as text."""

from __future__ import annotations

from hypothesis import strategies as st

from postil.text.catalogue import LONGEST_CHAR_GRAM, LONGEST_WORD, LONGEST_WORD_GRAM
from postil.text.grammar import Item
from postil.text.spec import AnalyzerSpec
from postil.text.stoplists import SNOWBALL_LANGUAGES

lengths = st.integers(1, LONGEST_WORD)
paths = st.text(min_size=1, max_size=12)


def sizes(longest: int) -> st.SearchStrategy[str]:
    pairs = st.tuples(st.integers(1, longest), st.integers(1, longest)).map(sorted)
    return st.one_of(
        pairs.map(lambda pair: f"({pair[0]}, {pair[1]})"),
        st.integers(1, longest).map(lambda size: f"({size})"),
    )


word_tokenizers = st.sampled_from(
    ["words", "words()", "words(python)", "words(whole-runs)", "letters", "compounds", "whitespace"]
)
ascii_tokenizers = st.just("trec")
char_tokenizers = st.builds(
    str.__add__, st.sampled_from(["chars", "chars-in-words"]), sizes(LONGEST_CHAR_GRAM)
)
cases = st.sampled_from(["", "lower", "casefold"])
text_steps = st.tuples(cases, st.sampled_from(["", "fold-accents"])).flatmap(st.permutations)
stop_lists = st.one_of(
    st.sampled_from(["sklearn", "smart", "iso:th", "iso:Greek", "snowball:Norwegian"]),
    st.sampled_from(SNOWBALL_LANGUAGES).map("snowball:{}".format),
    paths.map("file:{}".format),
)
word_steps = st.lists(
    st.one_of(
        lengths.map("min({})".format),
        lengths.map("max({})".format),
        st.sampled_from(["numbers(keep)", "numbers(fold)", "numbers( drop , mixed )"]),
        stop_lists.map(lambda name: str(Item("stop", (name,)))),
        st.sampled_from(["stem(porter)", "stem(en)", "stem(English)", "stem(tr)"]),
    ),
    max_size=4,
)
ngrams = st.one_of(st.just(""), sizes(LONGEST_WORD_GRAM).map("ngrams{}".format))


def join(*parts: str | list[str]) -> str:
    items = [item for part in parts for item in ([part] if isinstance(part, str) else part)]
    return " ".join(filter(None, items))


part_texts = st.one_of(
    st.builds(join, ascii_tokenizers, cases, word_steps, ngrams),
    st.builds(join, word_tokenizers, text_steps, word_steps, ngrams),
    st.builds(join, char_tokenizers, text_steps),
)
spec_texts = st.one_of(
    part_texts,
    st.lists(
        part_texts, min_size=2, max_size=4, unique_by=lambda text: str(AnalyzerSpec.parse(text))
    ).map(" + ".join),
)
