"""How well Ask retrieves and refuses: `python tests/bench/ask.py NAME=ROOT ...`, without any model.

NAME is a repository of `ask_questions.json` beside this file (requests, click, starlette, hono), ROOT its checkout. The
questions were written by hand; those without targets cannot be answered from that repository. Printed for each border
of confidence: how many answerable questions are answered, how many others are refused; and how often a target is among
the best hits. `serve.ask.retrieval.MIN_CONFIDENCE` was chosen with this.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from graph.repository import Repository
from graph.search.search import Hit
from serve.ask.retrieval import MIN_CONFIDENCE, Question, retrieve

_QUESTIONS = Path(__file__).with_name("ask_questions.json")


def rank_of(hits: tuple[Hit, ...], targets: list[str]) -> int:
    """Return the rank of the first target, by qualified name or inside it; 0 when there is none."""
    for rank, hit in enumerate(hits, 1):
        if any(hit.qualname == target or hit.qualname.startswith(f"{target}.") for target in targets):
            return rank
    return 0


def main(roots: dict[str, str]) -> None:
    """Ask every question of the given repositories and print the table."""
    answerable: list[tuple[float, int]] = []
    others: list[float] = []
    for item in json.loads(_QUESTIONS.read_text()):
        if item["repo"] not in roots:
            continue
        with Repository.open(roots[item["repo"]]) as repository:
            if not repository.is_indexed:
                repository.sync()
            found = retrieve(repository, Question(text=item["question"]))
        if item["targets"]:
            answerable.append((found.confidence, rank_of(found.hits, item["targets"])))
        else:
            others.append(found.confidence)
    for border in (0.6, 0.7, MIN_CONFIDENCE, 0.9, 1.0, 1.2):
        kept = sum(confidence >= border for confidence, _ in answerable)
        refused = sum(confidence < border for confidence in others)
        print(f"border {border:.2f}: answers {kept} of {len(answerable)}, refuses {refused} of {len(others)}")
    for best in (1, 2, 3, 6):
        found_in = sum(0 < rank <= best for _, rank in answerable)
        print(f"a target in the best {best}: {found_in} of {len(answerable)}")


if __name__ == "__main__":
    main(dict(argument.split("=", 1) for argument in sys.argv[1:]))
