// Makes shell scripts call python3 if there is no python.

import { Candidate, Change, Finding, glob, info, readText } from "./gephost/gephost";

export function propose(findings: Finding[]): Candidate[] {
  for (let i = 0; i < findings.length; i++) {
    if (isOurs(findings[i])) return proposeFor(findings[i]);
  }
  return [];
}

function isOurs(finding: Finding): bool {
  return finding.signals.includes("missing_program") && finding.title.includes("`python`");
}

function proposeFor(finding: Finding): Candidate[] {
  const changes: Change[] = [];
  const paths = glob("**/*.sh");
  for (let i = 0; i < paths.length; i++) {
    const text = readText(paths[i]);
    if (text === null) continue;
    const changed = repaired(text);
    if (changed != text) changes.push(Change.newContent(paths[i], changed));
  }
  info("scripts that call python: " + changes.length.toString());
  if (changes.length == 0) return [];
  return [new Candidate(finding, "Call python3 in shell scripts", "The scripts run where python is only python3", changes)];
}

// The script with python3 for each python that begins a line.
function repaired(script: string): string {
  const lines = script.split("\n");
  for (let i = 0; i < lines.length; i++) {
    const word = lines[i].trimStart();
    if (word.startsWith("python ")) lines[i] = lines[i].replace("python ", "python3 ");
  }
  return lines.join("\n");
}
