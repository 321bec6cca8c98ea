"""What a script hands to a function of another file that calls its parameter."""

import pytest

from tests.memory import resolved, short

TOOLS = """
export function run(task, other) { return task() }
export const each = (xs, use) => { xs.forEach(x => use(x)) }
export function later(task) { setTimeout(() => { task(1) }, 10) }
export function wrapped(task) { return function () { return task() } }
export function rebound(task) { task = 1; task() }
export function hidden(task) { return task => task() }
export function keeps(task) { return [task] }
export class Runner {
  constructor(task) { task() }
  run(task) { task() }
  static fixed(task) { task() }
}
"""


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("run(job)", {("tools.ts#run", "main.ts#job")}),
        ("run(1, job)", set()),
        ("run(job, other)", {("tools.ts#run", "main.ts#job")}),
        ("each([1], job)", {("tools.ts#each", "main.ts#job")}),
        ("later(job)", {("tools.ts#later", "main.ts#job")}),
        ("wrapped(job)()", {("tools.ts#wrapped", "main.ts#job")}),
        ("rebound(job)", set()),
        ("hidden(job)", set()),
        ("keeps(job)", set()),
        ("new Runner(job)", {("tools.ts#Runner.constructor", "main.ts#job")}),
        (
            "new Runner(other).run(job)",
            {("tools.ts#Runner.constructor", "main.ts#other"), ("tools.ts#Runner.run", "main.ts#job")},
        ),
        ("Runner.fixed(job)", {("tools.ts#Runner.fixed", "main.ts#job")}),
        ("const alias = job; run(alias)", {("tools.ts#run", "main.ts#job")}),
    ],
)
def test_a_function_calls_what_is_handed_to_it_from_elsewhere(call: str, expected: set[tuple[str, str]]) -> None:
    """By the name of its parameter, also in functions inside of it; not by what hides that name or takes its place."""
    main = f"import {{ run, each, later, wrapped, rebound, hidden, keeps, Runner }} from './barrel'\n{call}\n"
    texts = {
        "tools.ts": TOOLS,
        "barrel.ts": "export * from './tools'\n",
        "main.ts": main + "function job() {}\nfunction other() {}\n",
    }
    handed = resolved(texts)["main.ts"].handed
    assert {(short(source), short(target)) for source, target in handed} == expected
