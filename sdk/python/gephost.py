"""The gephost SDK for genes in Python: what the generated module `wit_world` has, under shorter names.

A gene that repairs is a class `Proposals` in `gene.py` with a method `propose`. It reads and writes files below `WORKSPACE`
with Python's own functions. What it wrote is its change. A gene that finds failures is a class `Diagnosis` with a method
`diagnose`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from componentize_py_types import Err
from wit_world import exports
from wit_world.imports import logging, run_log, types

WORKSPACE = Path("/workspace")
"""The files of the base commit that the gene may see. What is written here never reaches the disk."""

Diagnosis = types.Diagnosis
Evidence = types.Evidence
Finding = types.Finding
Severity = types.Severity
Proposal = types.Proposal
RiskLevel = types.RiskLevel
Change = types.Change
GeneError = types.GeneError

if TYPE_CHECKING:
    Proposals = exports.Proposals
    Heuristic = exports.Diagnosis
else:
    # A component has the class of its world only.
    Proposals = getattr(exports, "Proposals", object)
    Heuristic = getattr(exports, "Diagnosis", object)


def failure(code: str, message: str) -> Err[GeneError]:
    """What to raise if the gene cannot do its work: `raise failure("no-scripts", "there is no script")`."""
    return Err(GeneError(code, message))


@dataclass
class Call:
    """A call of a tool that the agent made."""

    event: int
    """Its number in the run log."""
    tool: str
    input: str
    output: str


def failed_calls() -> Iterator[Call]:
    """The calls of the agent that failed, oldest first. Capability `run-log`."""
    tools = run_log.tool_names().tools
    failures = run_log.Filter(kinds=[], outcomes=[run_log.Outcome.FAILURE], tools=[], since_us=None)
    with run_log.open(failures) as cursor:
        while (batch := cursor.next(2048)) is not None:
            begin = 0
            for row, event in enumerate(batch.index):
                middle, end = batch.text_ends[2 * row], batch.text_ends[2 * row + 1]
                tool = tools[batch.tool[row]] if batch.tool[row] < len(tools) else ""
                yield Call(event, tool, batch.heap[begin:middle].decode(), batch.heap[middle:end].decode())
                begin = end


def finding(
    id: str,
    kind: str,
    title: str,
    *,
    evidence: list[Evidence],
    hypothesis: str = "",
    direction: str = "",
    severity: Severity = Severity.MEDIUM,
    confidence: float = 0.5,
    signals: list[str] | None = None,
    occurrences: int | None = None,
) -> Finding:
    """A failure pattern. `id` must be the same in every run. At most 32 events of the evidence are kept."""
    return Finding(
        id=id,
        kind=kind,
        title=title,
        severity=severity,
        confidence=confidence,
        hypothesis=hypothesis,
        evidence=evidence[:32],
        direction=direction,
        signals=signals or [],
        occurrences=len(evidence) if occurrences is None else occurrences,
    )


def new_content(path: str, text: str) -> Change:
    """A change: the whole new content of a file, by its path from the workspace root."""
    return types.Change_NewContent(types.FileContent(path, text.encode()))


def deletion(path: str) -> Change:
    """A change: a file to delete, by its path from the workspace root."""
    return types.Change_Delete(path)


def candidate(
    finding: Finding,
    title: str,
    *,
    objective: str,
    rollback_plan: str = "Revert the commit",
    risk_level: RiskLevel = RiskLevel.LOW,
    changes: list[Change] | None = None,
    tests_to_run: list[str] | None = None,
) -> Proposal:
    """A candidate for a finding. Without `changes`, the files that the gene wrote are the change."""
    return Proposal(
        title=title,
        objective=objective,
        evidence=[evidence.line for evidence in finding.evidence],
        finding=finding.id,
        risk_level=risk_level,
        changes=changes or [],
        tests_to_run=tests_to_run or [],
        rollback_plan=rollback_plan,
    )


class log:
    """Messages to the operator, who sees them with `-v`."""

    @staticmethod
    def debug(message: str) -> None:
        logging.log(logging.Level.DEBUG, message)

    @staticmethod
    def info(message: str) -> None:
        logging.log(logging.Level.INFO, message)

    @staticmethod
    def warn(message: str) -> None:
        logging.log(logging.Level.WARN, message)

    @staticmethod
    def error(message: str) -> None:
        logging.log(logging.Level.ERROR, message)
