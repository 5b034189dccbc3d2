// Notes the most important failure in docs/known-failures.md, where the agent reads it in its next session.

import * as fs from "./gephost/fs";
import { Candidate, Finding, fail, info } from "./gephost/gephost";

const NOTES = "docs/known-failures.md";

export function propose(findings: Finding[]): Candidate[] {
  if (findings.length == 0) return [];
  const finding = findings[0];
  if (!fs.exists(NOTES)) {
    fs.mkdir("docs");
    fs.writeFile(NOTES, "# Known failures\n");
  }
  const known = fs.readFile(NOTES);
  if (known === null) return fail("unreadable", NOTES + ": " + fs.errorCode());
  const note = "\n- " + finding.title + ": " + finding.direction + "\n";
  if (known.includes(note)) return [];
  if (!fs.appendFile(NOTES, note)) return fail("unwritable", NOTES + ": " + fs.errorCode());
  info("noted: " + finding.id);
  const objective = "The agent reads about the failure before it happens again";
  return [new Candidate(finding, "Write down the most important failure", objective, [])];
}
