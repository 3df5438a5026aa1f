"""The language of a sample of texts.

:func:`stemmer_for` knows a language by its stop words, which come with postil, so that what depends
on it is the same on any machine. :func:`identified_languages` and :func:`sure_languages` ask the
package py3langid, which knows 97 languages and needs a few words of each text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache

from postil.text import stoplists
from postil.text.analyzer import Analyzer
from postil.text.languages import NAME_OF

# The least share of stop words among the words of a language. Running text has 30 to 50 %, titles
# have 20 to 25 %; text in a related language without a list here stays below, as a rule.
SHARE = 0.2
READ = 2000  # characters of each text
SURE = 0.95  # the least probability of a language that is told of one document
LIKELY = 0.7  # of one that is counted
ENGLISH_STEMMER = "porter"


def stemmer_for(texts: Iterable[str | bytes]) -> str | None:
    """Return the name of the stemmer for most of the texts.

    It is Porter's where no language is known, and None where most tokens are pairs of characters
    of scripts without spaces, which have no stems.
    """
    words: Counter[str] = Counter()
    runs = 0
    pairs, whole = Analyzer("words lower"), Analyzer("words(whole-runs) lower")
    for text in texts:
        words.update(pairs.tokens(text[:READ]))
        runs += len(whole.tokens(text[:READ]))
    total = words.total()
    if total > 2 * runs:
        return None
    shares = {
        code: sum(words[word] for word in stoplists.load(f"snowball:{code}"))
        for code in stoplists.SNOWBALL_LANGUAGES
    }
    code = max(shares, key=shares.__getitem__)
    if code == "en" or shares[code] < SHARE * max(total, 1):
        return ENGLISH_STEMMER
    return NAME_OF[code]


def identified_languages(texts: Iterable[str]) -> Counter[str] | None:
    """Return the number of texts in each language by ISO code; None without py3langid.

    Texts whose language is not likely are left out.
    """
    found = sure_languages(texts, LIKELY)
    return None if found is None else Counter(language for language in found if language)


def sure_languages(texts: Iterable[str], least: float = SURE) -> list[str | None] | None:
    """Return the language of each text by ISO code, None if its probability is too low.

    The result is None without py3langid.
    """
    try:
        classify = _classifier()
    except ImportError:
        return None
    guesses = (classify(text[:READ]) for text in texts)
    return [language if probability >= least else None for language, probability in guesses]


@cache
def _classifier() -> Callable[[str], tuple[str, float]]:
    """Return the function of py3langid that tells a language and its probability."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    classify: Callable[[str], tuple[str, float]] = identifier.classify
    return classify
