// Notes the most important failure in docs/known-failures.md, where the agent reads it in its next session.

import { candidate, glob, log, newContent, readText } from './gephost.js';
import type { Diagnosis, Proposal, Proposals } from './gephost.js';

const NOTES = 'docs/known-failures.md';

export const proposals: Proposals = {
  propose(diagnosis: Diagnosis): Proposal[] {
    const finding = diagnosis.findings[0];
    if (!finding) return [];
    const notes = glob(NOTES).length > 0 ? readText(NOTES) : '# Known failures\n';
    const note = `\n- ${finding.title}: ${finding.direction}\n`;
    if (notes.includes(note)) return [];
    log.info(`noted: ${finding.id}`);
    const objective = 'The agent reads about the failure before it happens again';
    const changes = [newContent(NOTES, notes + note)];
    return [candidate(finding, 'Write down the most important failure', { objective, changes })];
  },
};
