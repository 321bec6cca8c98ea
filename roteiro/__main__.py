"""The entry point of the `roteiro` script and of `python -m roteiro`.

`roteiro mcp` is taken out before anything of the command line is imported: agents start one process a session and
wait for it. Every error that a person can act on becomes one line on stderr here, and an exit code.
"""

from __future__ import annotations

import os
import sys

__all__ = ["main"]

_BROKEN_PIPE = 141  # 128 + SIGPIPE, what a shell reports for a program that does not catch it
_INTERRUPTED = 130  # 128 + SIGINT


def main() -> int:
    """Run the command in `sys.argv` and return its exit code: 0 done, 1 not found or check failed, 2 bad use."""
    try:
        code = _run(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader (`| head`) has gone; the interpreter must not try to flush into it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except KeyboardInterrupt:
        return _INTERRUPTED
    return code


def _run(arguments: list[str]) -> int:
    try:
        if arguments[:1] == ["mcp"]:
            from roteiro.commands.mcp import main as run_mcp

            return run_mcp(arguments[1:])
        from roteiro.cli import main as run_command

        return run_command(arguments)
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except Exception as error:
        from roteiro.reporting import report

        options = arguments[: arguments.index("--")] if "--" in arguments else arguments
        code = report(error, as_json="--json" in options)
        if code is None:
            raise
        return code


if __name__ == "__main__":
    sys.exit(main())
