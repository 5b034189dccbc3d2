// Notes the most important failure in docs/known-failures.md, where the agent reads it in its next session.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from './fs.js';
import { candidate, log } from './gephost.js';

const NOTES = 'docs/known-failures.md';

/** @type {import('./gephost.js').Proposals} */
export const proposals = {
  propose(diagnosis) {
    const finding = diagnosis.findings[0];
    if (!finding) return [];
    const notes = existsSync(NOTES) ? readFileSync(NOTES, 'utf8') : '# Known failures\n';
    const note = `\n- ${finding.title}: ${finding.direction}\n`;
    if (notes.includes(note)) return [];
    mkdirSync('docs', { recursive: true });
    writeFileSync(NOTES, notes + note);
    log.info(`noted: ${finding.id}`);
    const objective = 'The agent reads about the failure before it happens again';
    return [candidate(finding, 'Write down the most important failure', { objective })];
  },
};
