"""The gephost SDK for genes in Python: what the generated module `wit_world` has, under shorter names.

A gene is a class `Proposals` in `gene.py` with a method `propose`. It reads and writes files below `WORKSPACE` with
Python's own functions. What it wrote is its change.
"""

from pathlib import Path

from wit_world import exports
from wit_world.imports import logging, types

WORKSPACE = Path("/workspace")
"""The files of the base commit that the gene may see. What is written here never reaches the disk."""

Diagnosis = types.Diagnosis
Finding = types.Finding
Proposal = types.Proposal
RiskLevel = types.RiskLevel
Change = types.Change
GeneError = types.GeneError
Proposals = exports.Proposals


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
