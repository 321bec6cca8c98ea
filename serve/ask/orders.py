"""Text of a repository that gives orders to an assistant, taken out before a model reads it.

Rules in the preamble do not hold a model of 1.5B parameters: told by a comment to ignore its instructions, it does.
So what is plainly addressed to a model never becomes evidence. This is a sieve for the usual wordings, no proof: the
model still reads everything else as quoted data, and what it says is still checked against the places it cites.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["MARK", "without_orders"]

MARK = "(left out: text that gives orders to an assistant)"
_LONGEST = 12
"""Lines of one paragraph that go with the line that gave it away; past that it is the file, not the order."""

_RULES = r"(?:instructions?|prompts?|rules?|messages?|directions?|orders?|guidelines?)"
_ORDER = re.compile(
    rf"\b(?:ignore|disregard|forget|override|bypass)\s+(?:(?:all|any|every|of|the|your|these|those|my)\s+){{0,3}}"
    rf"(?:previous|prior|above|earlier|preceding|system|other|foregoing)\s+{_RULES}"
    rf"|\b(?:ignore|disregard|forget)\s+(?:all|everything)\s+(?:above|before|you\s+were\s+told)"
    rf"|\b(?:new|updated|real|hidden)\s+(?:system\s+)?{_RULES}\s*:"
    r"|<\|im_start\|>\s*(?:system|assistant|user)|<\|start_header_id\|>|<<SYS>>|\[/?INST\]"
    r"|\byou\s+are\s+(?:now|no\s+longer)\s+(?:an?|the|in)\b"
    r"|\b(?:assistant|ai|llm|language\s+model)s?\s*[:,!]\s*(?:please\s+)?(?:you\s+must|always|never|do\s+not|say|answer|"
    r"reply|respond|ignore|tell)\b",
    re.IGNORECASE,
)


def without_orders(lines: Sequence[str]) -> list[str]:
    """Return as many lines, those of a paragraph from the one that gives an order on emptied, the first marked."""
    kept: list[str] = []
    left = 0
    for line in lines:
        if _ORDER.search(line):
            kept.append(MARK if not left else "")
            left = _LONGEST
        elif left and line.strip():
            kept.append("")
            left -= 1
        else:
            kept.append(line)
            left = 0
    return kept
