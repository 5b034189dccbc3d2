"""Notes the most important failure in docs/known-failures.md, where the agent reads it in its next session."""

from pathlib import Path

import gephost
from gephost import Diagnosis, Proposal, candidate, log

NOTES = Path("docs/known-failures.md")


class Proposals(gephost.Proposals):
    def propose(self, diagnosis: Diagnosis) -> list[Proposal]:
        if not diagnosis.findings:
            return []
        finding = diagnosis.findings[0]
        if NOTES.exists():
            notes = NOTES.read_text()
        else:
            NOTES.parent.mkdir(exist_ok=True)
            notes = "# Known failures\n"
        note = f"\n- {finding.title}: {finding.direction}\n"
        if note in notes:
            return []
        NOTES.write_text(notes + note)
        log.info(f"noted: {finding.id}")
        objective = "The agent reads about the failure before it happens again"
        return [candidate(finding, "Write down the most important failure", objective=objective)]
