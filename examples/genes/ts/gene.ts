// Notes the most important failure in docs/known-failures.md, where the agent reads it in its next session.

import fs, { type FileError } from './fs.js';
import { candidate, log } from './gephost.js';
import type { Diagnosis, Proposal, Proposals } from './gephost.js';

const NOTES = 'docs/known-failures.md';

export const proposals: Proposals = {
  propose(diagnosis: Diagnosis): Proposal[] {
    const finding = diagnosis.findings[0];
    if (!finding) return [];
    const notes = known();
    const note = `\n- ${finding.title}: ${finding.direction}\n`;
    if (notes.includes(note)) return [];
    fs.mkdirSync('docs', { recursive: true });
    fs.writeFileSync(NOTES, notes);
    fs.appendFileSync(NOTES, note);
    log.info(`noted: ${finding.id}`);
    const objective = 'The agent reads about the failure before it happens again';
    return [candidate(finding, 'Write down the most important failure', { objective })];
  },
};

function known(): string {
  try {
    return fs.readFileSync(NOTES, 'utf8');
  } catch (error) {
    if ((error as FileError).code !== 'ENOENT') throw error;
    return '# Known failures\n';
  }
}
