"""Which view, evaluator, flow and edge collector read the files of a language, by its family."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph.resolve.languages import LanguageRules
from graph.resolve.views import FileView

if TYPE_CHECKING:
    from graph.extract.facts import Facts
    from graph.resolve.edges import EdgeCollector
    from graph.resolve.evaluator import Evaluator
    from graph.resolve.world import World

__all__ = ["collector_for", "evaluator_for", "open_view"]

_SCRIPTS = frozenset({"javascript", "typescript", "jsx", "tsx"})
OUTLINED = frozenset({"bash", "csharp", "kotlin", "lua", "php", "ruby", "scala", "swift"})
"""Languages of which definitions and imports are read, and only the calls that no type decides."""


def open_view(language: str, path: str, facts: Facts, rules: LanguageRules) -> FileView:
    """Return the facts of a file arranged for lookups by the rules of its language."""
    if language in _SCRIPTS:
        from graph.resolve.views_javascript import ScriptView

        return ScriptView(path, facts, rules)
    return FileView(path, facts, rules)


def evaluator_for(language: str, world: World) -> Evaluator:
    """Return a fresh evaluator for one file of a language."""
    if language in _SCRIPTS:
        from graph.resolve.inference_javascript import ScriptInference

        return ScriptInference(world)
    if language == "go":
        from graph.resolve.evaluator_go import GoEvaluator

        return GoEvaluator(world)
    if language == "rust":
        from graph.resolve.evaluator_rust import RustEvaluator

        return RustEvaluator(world)
    if language in ("c", "cpp"):
        from graph.resolve.evaluator_c import CEvaluator

        return CEvaluator(world)
    if language == "java":
        from graph.resolve.evaluator_java import JavaEvaluator

        return JavaEvaluator(world)
    if language in OUTLINED:
        from graph.resolve.evaluator_outline import OutlineEvaluator

        return OutlineEvaluator(world)
    if language == "python":
        from graph.resolve.evaluator_python import PythonEvaluator

        return PythonEvaluator(world)
    from graph.resolve.evaluator import Evaluator

    return Evaluator(world)


def collector_for(language: str, evaluator: Evaluator, view: FileView) -> EdgeCollector:
    """Return the collector of the edges of one file."""
    if language in _SCRIPTS:
        from graph.resolve.edges_javascript import ScriptEdges

        return ScriptEdges(evaluator, view)
    if language == "go":
        from graph.resolve.edges_go import GoEdges

        return GoEdges(evaluator, view)
    if language == "rust":
        from graph.resolve.edges_rust import RustEdges

        return RustEdges(evaluator, view)
    if language in ("c", "cpp"):
        from graph.resolve.edges_c import CEdges

        return CEdges(evaluator, view)
    if language == "java":
        from graph.resolve.edges_java import JavaEdges

        return JavaEdges(evaluator, view)
    if language in OUTLINED:
        from graph.resolve.edges_outline import OutlineEdges

        return OutlineEdges(evaluator, view)
    from graph.resolve.edges import EdgeCollector

    return EdgeCollector(evaluator, view)
