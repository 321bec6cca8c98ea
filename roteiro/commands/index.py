"""`sync`, `status` and `dump`: the graph itself."""

from __future__ import annotations

from typing import Annotated

import typer

from roteiro.commands.options import AsJson, Root

__all__ = ["dump", "status", "sync"]


def sync(
    root: Root = None,
    as_json: AsJson = False,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Forget the store and read every file again.")] = False,
) -> int:
    """Build the graph, or bring it up to date."""
    from roteiro.commands.index_report import print_sync
    from roteiro.wiring import open_workspace

    with open_workspace(root) as workspace:
        report = workspace.sync(rebuild=rebuild)
    return print_sync(report, as_json=as_json)


def status(
    root: Root = None,
    as_json: AsJson = False,
    skipped: Annotated[bool, typer.Option("--skipped", help="Every file left out, with the reason.")] = False,
) -> int:
    """Show what the graph holds, and how fresh it is."""
    from roteiro.commands.index_report import print_status
    from roteiro.wiring import open_workspace

    with open_workspace(root) as workspace:
        return print_status(workspace, with_skipped=skipped, as_json=as_json)


def dump(
    root: Root = None,
    as_json: AsJson = False,
    include_inferred: Annotated[
        bool, typer.Option("--include-inferred", help="Also the candidates that no rule proves.")
    ] = False,
) -> int:
    """Print the whole graph as one JSON document."""
    del as_json  # a dump is JSON either way; the option is there because every command has it
    from graph.dump import dump as dump_graph
    from roteiro.terminal import print_json
    from roteiro.wiring import open_workspace

    with open_workspace(root) as workspace:
        print_json(dump_graph(workspace.ready().store, include_inferred=include_inferred))
    return 0
