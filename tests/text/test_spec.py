"""Specs parse, print back, and say what is wrong with them."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.errors import SpecError, UsageError
from postil.text.grammar import Item
from postil.text.spec import AnalyzerSpec

from .specs import spec_texts

parse = AnalyzerSpec.parse


def test_a_spec_has_its_parts():
    spec = parse("compounds casefold fold-accents min(2) numbers(fold) ngrams(1,2)")
    assert spec == AnalyzerSpec(
        tokenizer=Item("compounds"),
        case="casefold",
        fold_accents=True,
        steps=(Item("min", (2,)), Item("numbers", ("fold",))),
        ngrams=Item("ngrams", (1, 2)),
    )


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("words lower stop(snowball:en) stem(porter)",) * 2,
        ("  words()\tlower ", "words lower"),
        ("words fold-accents lower", "words lower fold-accents"),
        ("words stop(Snowball:English) stem(EN)", "words stop(snowball:en) stem(english)"),
        ("words stop(iso:nb)", "words stop(iso:no)"),
        ("chars(3,3)", "chars(3)"),
        ("chars( 03 , 5 )", "chars(3,5)"),
        ("words ngrams(1)", "words"),
        ("words ngrams(2,2)", "words ngrams(2)"),
        ("words numbers(keep) min(2)", "words min(2)"),
        ("words numbers(keep, mixed)", "words"),
        ("words stop(file:my list.txt)", "words stop(file:my list.txt)"),
        ('words stop("file:a,b.txt")', 'words stop("file:a,b.txt")'),
    ],
)
def test_the_canonical_form(written, canonical):
    assert str(parse(written)) == canonical
    assert parse(canonical) == parse(written)


@given(spec_texts)
def test_every_spec_prints_back(text):
    spec = parse(text)
    assert parse(str(spec)) == spec
    assert str(parse(str(spec))) == str(spec)
    assert hash(parse(str(spec))) == hash(spec)
    assert pickle.loads(pickle.dumps(spec)) == spec


@given(st.text(st.sampled_from('words lower()stop:en,12 min"'), max_size=40))
def test_any_text_is_a_spec_or_refused(text):
    try:
        spec = parse(text)
    except SpecError as error:
        assert repr(text) in str(error)  # noqa: PT017
    else:
        assert parse(str(spec)) == spec


TOKENIZERS = "words, letters, compounds, whitespace, trec, chars, chars-in-words"
STEPS = "min, max, numbers, stop, stem, ngrams"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", f"analyzer spec '': it is empty; it begins with a tokenizer: {TOKENIZERS}"),
        ("lower", f"'lower' (column 1): a spec begins with a tokenizer. Allowed: {TOKENIZERS}"),
        ("wrods", f"no such item; did you mean 'words'? Allowed: {TOKENIZERS}"),
        ("words Lower", "item 2 'Lower' (column 7): no such item; did you mean 'lower'?"),
        ("words min(2) stpo(smart)", "item 3 'stpo(smart)' (column 14): no such item;"),
        ("words min(2) stpo(smart)", f"did you mean 'stop'? Allowed: {STEPS}"),
        ("words ngrams(2) xyz", "(column 17): no such item. Allowed: nothing"),
        ("words letters", "a spec has one tokenizer, its first item, and 'words'"),
        ("words stop(smart) min(2) lower", "it acts on characters, before words are cut"),
        ("words stop(smart) min(2) lower", "write it before 'stop(smart)'"),
        ("words ngrams(1,2) lower", "write it before 'ngrams(1,2)'"),
        ("words ngrams(1,2) min(2)", "n-grams are formed of the words they leave; write it before"),
        ("words ngrams(2) ngrams(3)", "n-grams are formed once, and 'ngrams(2)' is there already"),
        ("words lower casefold", "'casefold' (column 13): 'lower' is there already; keep one"),
        ("words fold-accents fold-accents", "'fold-accents' is there already"),
        ("words(lower)", "words: 'lower' is not an argument it takes. Allowed: python, whole-runs"),
        ("words min", "min(n): it takes 1 argument, received 0"),
        ("words min(1,2)", "min(n): it takes 1 argument, received 2"),
        ("words min(0)", "'0' is not a whole number from 1 to 1000"),
        ("words max(1001)", "'1001' is not a whole number from 1 to 1000"),
        ("words min(-1)", "'-1' is not a whole number"),
        ("words min(٣)", "'٣' is not a whole number"),
        ("words min(" + "9" * 5000 + ")", "is not a whole number"),
        ("words lower(2)", "lower: it takes no argument, received 2"),
        ("words numbers(flod)", "'flod' is not an argument it takes; did you mean 'fold'?"),
        ("words numbers(fold,mxied)", "did you mean 'mixed'? Allowed: mixed"),
        ("chars", "chars(m,n): it takes 1 to 2 arguments, received 0"),
        ("chars(5,3)", "the sizes go from small to large: write (3,5), not (5,3)"),
        ("chars(1,33)", "'33' is not a whole number from 1 to 32"),
        ("words ngrams(1,17)", "'17' is not a whole number from 1 to 16"),
        ("words + ", f"part 2 of the union is empty; it begins with a tokenizer: {TOKENIZERS}"),
        ("words lower + chars(2) + words  lower", "part 3, 'words lower', is there already"),
        ("words + lower", "item 3 'lower' (column 9): a spec begins with a tokenizer"),
        (" + ".join(f"chars({n})" for n in range(1, 10)), "at most 8 parts, received 9"),
        ("chars(3) stem(porter)", "chars(3) makes character n-grams, and this acts on words"),
        ("chars-in-words(3) ngrams(2)", "makes character n-grams, and this acts on words"),
        ("trec fold-accents", "trec takes ASCII letters alone, which have no accents"),
        ("words stem(portre)", "no stemmer is called 'portre'; did you mean 'porter'"),
        ("words stop(en)", "no stop list is called 'en'; did you mean 'snowball:en' or 'iso:en'?"),
        ("words stop(snowbal:de)", "did you mean 'snowball:de'? Allowed: sklearn, smart, "),
        ("words stop(snowball)", "did you mean 'snowball:LANG'?"),
        ("words stop(sklearn:en)", "did you mean 'sklearn'?"),
        ("words stop(snowball:pl)", "no stop list for 'pl'. Allowed: da, de, en, "),
        ("words stop(snowball:germn)", "did you mean 'german'?"),
        ("words stop(iso:klingon)", "no language is called 'klingon'. Allowed: af, ar, "),
        ("words stop(file:)", "a path goes after 'file:'"),
    ],
)  # fmt: skip
def test_errors_name_the_item_its_place_and_the_way_out(spec, message):
    with pytest.raises(SpecError) as caught:
        parse(spec)
    assert message in str(caught.value)
    assert isinstance(caught.value, UsageError)


def test_a_spec_is_a_text():
    with pytest.raises(SpecError, match="received None"):
        parse(None)
