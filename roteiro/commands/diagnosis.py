"""`doctor`: what is wrong here, and the cure."""

from __future__ import annotations

from roteiro.commands.options import AsJson, Root

__all__ = ["doctor"]

_PROBLEM = 1


def doctor(root: Root = None, as_json: AsJson = False) -> int:
    """Look for what is wrong here, with a cure for each."""
    from roteiro.doctor import examine
    from roteiro.root import find_root
    from roteiro.terminal import bold, green, print_json, print_text, red, yellow

    findings = examine(find_root(root))
    has_problem = any(finding.level == "problem" for finding in findings)
    if as_json:
        print_json({"findings": findings, "is_well": not has_problem})
    else:
        paint = {"ok": green, "warning": yellow, "problem": red}
        for finding in findings:
            print_text(f"{paint[finding.level](f'{finding.level:<8}')} {finding.check:<9} {finding.message}")
            if finding.cure:
                print_text(f"{'':<18} cure: {bold(finding.cure)}")
    return _PROBLEM if has_problem else 0
