// Makes shell scripts call python3 if there is no python.

import { candidate, glob, log, newContent, readText } from './gephost.js';

const PYTHON = /^([ \t]*)python(?= )/gm;

/** @type {import('./gephost.js').Proposals} */
export const proposals = {
  propose(diagnosis) {
    const finding = diagnosis.findings.find(isOurs);
    if (!finding) return [];
    const changes = [];
    for (const path of glob('**/*.sh')) {
      const text = readText(path);
      const repaired = text.replace(PYTHON, '$1python3');
      if (repaired !== text) changes.push(newContent(path, repaired));
    }
    log.info(`scripts that call python: ${changes.length}`);
    if (changes.length === 0) return [];
    const objective = 'The scripts run where python is only python3';
    return [candidate(finding, 'Call python3 in shell scripts', { objective, changes })];
  },
};

/** @param {import('./gephost.js').Finding} finding */
function isOurs(finding) {
  return finding.signals.includes('missing_program') && finding.title.includes('`python`');
}
