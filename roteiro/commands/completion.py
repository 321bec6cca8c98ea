"""`completion`: what a shell needs to complete commands and options.

The script is made from the command line itself and holds every word, so that pressing Tab starts no process.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Protocol, cast

import typer

from roteiro.commands.options import AsJson, Root

__all__ = ["Shell", "completion"]


class Shell(StrEnum):
    """The shells that a script is made for."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


class _Parameter(Protocol):
    opts: Sequence[str]
    help: str | None
    param_type_name: str


class _Command(Protocol):
    """What is read of a command or a group; the library gives these classes no public name."""

    help: str | None
    params: Sequence[_Parameter]


def completion(
    context: typer.Context,
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
    root: Root = None,
    as_json: AsJson = False,
) -> int:
    """Print a script that completes commands in a shell."""
    del root  # nothing of a repository is in it; the option is there because every command has it
    words = dict(_words(cast("_Command", context.find_root().command)))
    script = {Shell.BASH: _bash, Shell.ZSH: _zsh, Shell.FISH: _fish}[shell](words)
    if as_json:
        from roteiro.terminal import print_json

        print_json({"shell": shell.value, "script": script})
    else:
        typer.echo(script)
    return 0


def _words(command: _Command, path: str = "") -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield, for each command path, what may follow it, with the first line of its help."""
    inner = cast("Mapping[str, _Command]", getattr(command, "commands", {}))
    options = {
        option: parameter.help or ""
        for parameter in command.params
        if parameter.param_type_name == "option"
        for option in parameter.opts
    }
    following = {name: (sub.help or "").strip().partition("\n")[0] for name, sub in inner.items()}
    yield path, {**following, **options, "--help": "Show this page."}
    for name, sub in inner.items():
        yield from _words(sub, f"{path} {name}".strip())


def _bash(words: Mapping[str, Mapping[str, str]]) -> str:
    cases = "\n".join(f'    "{path}") words="{" ".join(following)}" ;;' for path, following in words.items())
    nested = "|".join(path for path in words if path and any(other.startswith(f"{path} ") for other in words))
    return f"""\
# Completion for roteiro. Use it with: source <(roteiro completion bash)
_roteiro() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" path="" words=""
  if (( COMP_CWORD > 1 )); then path="${{COMP_WORDS[1]}}"; fi
  case "$path" in
    {nested}) if (( COMP_CWORD > 2 )); then path="$path ${{COMP_WORDS[2]}}"; fi ;;
  esac
  case "$path" in
{cases}
  esac
  COMPREPLY=( $(compgen -W "$words" -- "$word") )
}}
complete -o default -F _roteiro roteiro"""


def _zsh(words: Mapping[str, Mapping[str, str]]) -> str:
    return f"""\
#compdef roteiro
# Completion for roteiro. Use it with: source <(roteiro completion zsh)
autoload -U +X bashcompinit && bashcompinit
{_bash(words)}"""


def _fish(words: Mapping[str, Mapping[str, str]]) -> str:
    lines = ["# Completion for roteiro. Use it with: roteiro completion fish | source"]
    for path, following in words.items():
        condition = f"__fish_seen_subcommand_from {path.split()[-1]}" if path else "__fish_use_subcommand"
        if " " in path:
            condition = f"__fish_seen_subcommand_from {path.split()[0]}; and {condition}"
        lines += [_fish_line(condition, word, said) for word, said in following.items()]
    return "\n".join(lines)


def _fish_line(condition: str, word: str, said: str) -> str:
    quoted = said.replace("\\", "\\\\").replace("'", "\\'")
    return f"complete -c roteiro -n '{condition}' {_fish_word(word)} -d '{quoted}'"


def _fish_word(word: str) -> str:
    if word.startswith("--"):
        return f"-l {word[2:]}"
    return f"-s {word[1:]}" if word.startswith("-") else f"-f -a {word}"
