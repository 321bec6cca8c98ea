"""The stem of an English word, by Porter's algorithm (M. F. Porter, Program 14(3), 1980), written from the paper.

`signing`, `signed` and `signs` become `sign`, so a question finds code whatever the form of its words. It is done here
and not by the tokenizer of FTS5, so that the index, the query and the re-ranker compare the very same strings.
"""

from __future__ import annotations

import re

__all__ = ["stem"]

_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("abli", "able"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
)  # fmt: skip
_WORD = re.compile(r"[a-z]+")


def stem(word: str) -> str:
    """Return the stem of a lower-case word; words of one or two letters and words with other characters stay."""
    if len(word) <= 2 or not _WORD.fullmatch(word):
        return word
    word = _plural(word)
    word = _past_and_gerund(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replace(word, _STEP_2)
    word = _replace(word, _STEP_3)
    return _tidy(_drop_suffix(word))


def _shape(word: str) -> str:
    """Return the word as `v` and `c`: a `y` after a consonant counts as a vowel."""
    out: list[str] = []
    for i, letter in enumerate(word):
        vowel = letter in "aeiou" or (letter == "y" and i > 0 and out[i - 1] == "c")
        out.append("v" if vowel else "c")
    return "".join(out)


def _measure(word: str) -> int:
    """Return how many times a vowel group is followed by a consonant group: the paper's m."""
    return _shape(word).count("vc")


def _has_vowel(word: str) -> bool:
    return "v" in _shape(word)


def _ends_double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c"


def _ends_short(word: str) -> bool:
    """Consonant, vowel, consonant, and the last one is not w, x or y."""
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _past_and_gerund(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix) and _has_vowel(word[: -len(suffix)]):
            return _restore(word[: -len(suffix)])
    return word


def _restore(word: str) -> str:
    """Give a bare stem back the `e` or the single letter that `ed` or `ing` took."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if _ends_double(word) and word[-1] not in "lsz":
        return word[:-1]
    if _measure(word) == 1 and _ends_short(word):
        return word + "e"
    return word


def _replace(word: str, table: tuple[tuple[str, str], ...]) -> str:
    """Replace the longest suffix of the table when what is before it has a measure above 0."""
    found = max((pair for pair in table if word.endswith(pair[0])), key=lambda pair: len(pair[0]), default=None)
    if found is None:
        return word
    before = word[: -len(found[0])]
    return before + found[1] if _measure(before) > 0 else word


def _drop_suffix(word: str) -> str:
    suffix = max((s for s in _STEP_4 if word.endswith(s)), key=len, default=None)
    if suffix is None:
        return word
    before = word[: -len(suffix)]
    if suffix == "ion" and not before.endswith(("s", "t")):
        return word
    return before if _measure(before) > 1 else word


def _tidy(word: str) -> str:
    if word.endswith("e"):
        before = word[:-1]
        if _measure(before) > 1 or (_measure(before) == 1 and not _ends_short(before)):
            word = before
    if word.endswith("ll") and _measure(word[:-1]) > 1:
        word = word[:-1]
    return word
