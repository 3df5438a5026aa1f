"""Porter's stemmer with its author's own amendments.

Porter's C program departs from his paper of 1980 in three points, and the Lemur toolkit took it
over (genkin-lewis-madigan-2004 names it as the stemmer of its texts):

- words of one or two letters stay as they are;
- step 2 has ``bli → ble`` for ``abli → able``: *possibly* is *possibl*, as *possible* is;
- step 2 has ``logi → log``: *technology* is *technolog*, as *technologist* is.

PyStemmer has the paper's algorithm, and undoubles fewer consonants than the program does (*revved*
is *revv* there, *rev* here), so it cannot be used. Lemur stems only words that begin with a small
letter, and leaves all others as they are.

The rules look at the shape of a stem, ``v`` for a vowel and ``c`` for a consonant; its measure m is
the number of times that a consonant follows a vowel.
"""

from __future__ import annotations

SHORTEST = 3
VOWELS = frozenset("aeiou")

# Endings and what they become where m > 0. The first that a word has is the one that counts.
STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"),
    ("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"),
    ("ization", "ize"), ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"),
    ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
    ("logi", "log"),
)  # fmt: skip
STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""),
    ("ness", ""),
)  # fmt: skip
# Endings that go where m > 1.
STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "sion", "tion",
    "ou", "ism", "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip


def stem(word: str) -> str:
    """Return the stem of a word; one that does not begin with a small letter is its own."""
    if len(word) < SHORTEST or not "a" <= word[0] <= "z":
        return word
    word = _without_y(_without_past(_without_plural(word)))
    word = _replaced(_replaced(word, STEP_2), STEP_3)
    return _without_final_e(_without_ending(word))


def _shape(letters: str) -> str:
    """Return ``v`` or ``c`` for each letter; y is a vowel only after a consonant."""
    shape, last = [], "v"
    for letter in letters:
        last = "v" if letter in VOWELS or (letter == "y" and last == "c") else "c"
        shape.append(last)
    return "".join(shape)


def _measure(letters: str) -> int:
    return _shape(letters).count("vc")


def _ends_double(letters: str) -> bool:
    return len(letters) > 1 and letters[-1] == letters[-2] and _shape(letters)[-1] == "c"


def _ends_short(letters: str) -> bool:
    """Return True for an end like that of *hop*, and not *snow*, *box* or *tray*."""
    return letters[-1:] not in ("w", "x", "y") and _shape(letters).endswith("cvc")


def _without_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            letters = word.removesuffix(ending)
            return _mended(letters) if "v" in _shape(letters) else word
    return word


def _mended(letters: str) -> str:
    """Return a word that has lost *ed* or *ing* as it is written alone."""
    if letters.endswith(("at", "bl", "iz")):
        return letters + "e"
    if _ends_double(letters):
        return letters if letters[-1] in "lsz" else letters[:-1]
    return letters + "e" if _measure(letters) == 1 and _ends_short(letters) else letters


def _without_y(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and "v" in _shape(word[:-1]) else word


def _replaced(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    for ending, replacement in endings:
        if word.endswith(ending):
            letters = word.removesuffix(ending)
            return letters + replacement if _measure(letters) > 0 else word
    return word


def _without_ending(word: str) -> str:
    for ending in STEP_4:
        if word.endswith(ending):
            gone = "ion" if ending.endswith("ion") else ending  # of sion and tion
            letters = word.removesuffix(gone)
            return letters if _measure(letters) > 1 else word
    return word


def _without_final_e(word: str) -> str:
    if word.endswith("e"):
        measure = _measure(word)
        if measure > 1 or (measure == 1 and not _ends_short(word[:-1])):
            word = word[:-1]
    doubled = word.endswith("ll") and _measure(word) > 1
    return word[:-1] if doubled else word
