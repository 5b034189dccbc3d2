"""Makes shell scripts call python3 if there is no python."""

import re

import gephost
from gephost import WORKSPACE, Diagnosis, Proposal, candidate, log

PYTHON = re.compile(r"^([ \t]*)python(?= )", re.MULTILINE)


class Proposals(gephost.Proposals):
    def propose(self, diagnosis: Diagnosis) -> list[Proposal]:
        finding = next((finding for finding in diagnosis.findings if is_ours(finding)), None)
        if finding is None:
            return []
        changed = 0
        for script in sorted(WORKSPACE.rglob("*.sh")):
            text = script.read_text()
            repaired = PYTHON.sub(r"\1python3", text)
            if repaired != text:
                script.write_text(repaired)
                changed += 1
        log.info(f"scripts that call python: {changed}")
        if changed == 0:
            return []
        return [candidate(finding, "Call python3 in shell scripts", objective="The scripts run where python is only python3")]


def is_ours(finding: gephost.Finding) -> bool:
    return "missing_program" in finding.signals and "`python`" in finding.title
