// Notes the most important failure in docs/known-failures.md, where the agent reads it in its next session.

import { Candidate, Change, Finding, glob, info, readText } from "./gephost/gephost";

const NOTES = "docs/known-failures.md";

export function propose(findings: Finding[]): Candidate[] {
  if (findings.length == 0) return [];
  const finding = findings[0];
  const known = glob(NOTES).length > 0 ? readText(NOTES) : "# Known failures\n";
  if (known === null) return [];
  const note = "\n- " + finding.title + ": " + finding.direction + "\n";
  if (known.includes(note)) return [];
  info("noted: " + finding.id);
  const changes = [Change.newContent(NOTES, known + note)];
  const objective = "The agent reads about the failure before it happens again";
  return [new Candidate(finding, "Write down the most important failure", objective, changes)];
}
