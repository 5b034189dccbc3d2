"""Finds that the program `python` is missing."""

import gephost
from gephost import Evidence, Finding, Severity, failed_calls, finding, log

MISSING = "python: command not found"


class Diagnosis(gephost.Heuristic):
    def diagnose(self) -> list[Finding]:
        evidence = [Evidence(call.event, line_of(call.output)) for call in failed_calls() if MISSING in call.output]
        log.info(f"calls that miss python: {len(evidence)}")
        if not evidence:
            return []
        return [
            finding(
                "missing-python",
                "missing_program",
                "the agent calls python, and there is only python3",
                evidence=evidence,
                hypothesis="The program is installed under the name python3 only",
                direction="Call python3",
                severity=Severity.MEDIUM,
                confidence=0.9,
                signals=["missing_program"],
            )
        ]


def line_of(output: str) -> str:
    return next(line for line in output.splitlines() if MISSING in line)
