"""What the server says once it answers: where to go, and what clients must be told."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["Welcome"]


class Welcome(Struct, frozen=True, kw_only=True):
    """The facts; `--json` prints them as they are."""

    root: str
    url: str
    models: tuple[str, ...] = ()
    program: str = "roteiro"
    """What to type for this program."""
    remote: tuple[str, ...] = ()
    """Engines on other machines, in words."""

    def text(self) -> str:
        """Return them for a person."""
        lines = [f"Roteiro serves {self.root}", "", f"  open           {self.url}"]
        if self.models:
            lines += [
                f"  base URL       {self.url}/v1          (OpenAI: Chat Completions and Responses)",
                f"  model          {', '.join(self.models)}",
                "  API key        any; none is checked on this machine",
                f"  plain model    {self.url}/general/v1  (no answers from the graph)",
            ]
        else:
            lines += [
                f"  no model       search and files only; get one: {self.program} model pull",
                f"                 or let a server answer: {self.program} serve --upstream URL",
            ]
        lines += [f"  an agent       {self.program} mcp --root {self.root}"]
        lines += [f"  note           source leaves this machine: {remote}" for remote in self.remote]
        return "\n".join([*lines, "", "Ctrl-C ends it."])
