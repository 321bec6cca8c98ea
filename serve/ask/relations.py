"""Questions that the graph answers by an edge and not by likeness: who calls X, what does X call, where is X used.

Pure. Only questions that ask nothing else count: "which function calls `send` with a proxy?" is left to the search.
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

__all__ = ["PRONOUNS", "Relation", "relation_in"]

PRONOUNS = frozenset({"it", "that", "this", "them"})
"""Stand for what the question before was about."""

_NAME = (
    r"(?:the\s+|a\s+|an\s+)?(?:(?:function|method|class|symbol)\s+)?"
    r"(?P<name>`[^`\n]+`|[A-Za-z_$@][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*)(?:\(\))?"
    r"(?:\s+(?:function|method|class|helper|constructor|exception|error|decorator))?"
    r"(?:\s+(?:of|on|in)\s+(?:the\s+)?(?:class\s+|file\s+)?(?P<owner>`?[A-Za-z_][\w./-]*`?)(?:\s+class)?)?"
)
_CALL = r"(?:call|invoke|use|reference|instantiate|run|raise|throw|import|depend\s+on|subclass|inherit\s+from)"
_CALLS = (
    r"(?:calls?|invokes?|uses?|references?|instantiates?|runs?|raises?|throws?|imports?"
    r"|depends?\s+on|subclass(?:es)?|inherits?\s+from)"
)
_CALLING = r"(?:is|are)\s+(?:calling|using|invoking|referencing|running|raising|throwing|importing)"
_CALLED = r"(?:called|invoked|used|referenced|instantiated|run|raised|thrown|imported|subclassed)"
_WHAT = r"(?:functions?|methods?|class(?:es)?|symbols?|places?|code|files?|modules?|things?|tests?|other\s+\w+)"
_WHO = (
    rf"(?:who|what|which(?:\s+of\s+the)?(?:\s+{_WHAT})?|where\s+do\s+(?:we|they)|how\s+many\s+{_WHAT}"
    rf"|(?:does|do)\s+any(?:thing|one|body|\s+{_WHAT})|(?:everything|everyone|{_WHAT})\s+(?:that|which|who))"
)
_ADVERB = r"(?:(?:directly|internally|actually|ever|all|also|get|gets|being)\s+)?"
_ASIDE = r"(?:please\s+|(?:can|could)\s+you\s+)?(?:(?:tell|show)\s+me\s+|list\s+|find\s+)?(?:all\s+)?"
_HERE = r"(?:in|from)\s+(?:this|the|our)\s+(?:code|codebase|project|repo|repository|app)"
_TAIL = rf"(?:\s+(?:directly|internally|anywhere|here|itself|from|by|{_HERE}))*"

_CALLERS = tuple(
    re.compile(rf"{_ASIDE}{pattern}{_TAIL}", re.IGNORECASE)
    for pattern in (
        rf"{_WHO}\s+(?:else\s+)?{_ADVERB}(?:{_CALLS}|{_CALLING})\s+{_NAME}",
        rf"(?:what\s+are\s+|who\s+are\s+)?(?:the\s+)?(?:callers?|users?|usages?|uses|call\s+sites?|references)\s+(?:of|to)\s+{_NAME}",
        rf"(?:from\s+)?(?:where|how\s+often)(?:\s+{_HERE})?(?:\s+all|\s+else)?\s+(?:is|are|does|do|gets?|was)\s+{_NAME}\s+{_ADVERB}{_CALLED}",
        rf"where\s+{_NAME}\s+(?:is|are|gets?)\s+{_ADVERB}{_CALLED}",
        rf"(?:by\s+)?(?:what|whom?|which\s+{_WHAT})\s+(?:is|are)\s+{_NAME}\s+{_ADVERB}{_CALLED}",
        rf"(?:is|are)\s+{_NAME}\s+{_ADVERB}{_CALLED}",
    )
)
_CALLEES = tuple(
    re.compile(rf"{_ASIDE}{pattern}{_TAIL}", re.IGNORECASE)
    for pattern in (
        rf"(?:what|whom?|which(?:\s+{_WHAT})?)(?:\s+all)?(?:\s+{_WHAT})?\s+(?:does|do|is|are)\s+{_NAME}\s+{_ADVERB}(?:{_CALL}|calling|using)",
        rf"(?:what\s+are\s+)?(?:the\s+)?callees\s+of\s+{_NAME}",
        rf"(?:what|which\s+{_WHAT})\s+(?:is|are)\s+{_CALLED}\s+(?:by|from|in)\s+{_NAME}",
    )
)
_LONGEST = 300
"""Characters: who asks for one edge is brief."""
_END_MARKS = re.compile(r"[\s?!.,;:]+$")


class Relation(Struct, frozen=True, kw_only=True):
    """Which edge is asked for, and at which symbol, as it was written."""

    direction: Literal["callers", "callees"]
    name: str
    is_marked: bool
    """It stands in backticks or is written as only code is, so that no plain word is meant."""
    owner: str = ""
    """What it is said to be of or in, a class or a file: `the reserve method of Stock`."""


def relation_in(question: str) -> Relation | None:
    """Return the relation that a whole question asks for; None for any other question."""
    if len(question) > _LONGEST:
        return None
    text = " ".join(_END_MARKS.sub("", question).split())
    for direction, patterns in (("callees", _CALLEES), ("callers", _CALLERS)):
        for pattern in patterns:
            found = pattern.fullmatch(text)
            if found is not None:
                owner = (found["owner"] or "").strip("`")
                return _relation("callees" if direction == "callees" else "callers", found["name"], owner)
    return None


def _relation(direction: Literal["callers", "callees"], written: str, owner: str) -> Relation:
    name = written.strip("`").removesuffix("()")
    marked = written.startswith("`") or re.search(r"[._:#$]|[a-z0-9][A-Z]", name) is not None
    return Relation(direction=direction, name=name, is_marked=marked, owner=owner)
