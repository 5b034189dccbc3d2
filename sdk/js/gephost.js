// The gephost SDK for genes in JavaScript. `gephost.d.ts` has the types.

import logging from 'gephost:gene/logging@0.1.2';
import workspace from 'gephost:gene/workspace@0.1.2';

/** Messages to the operator, who sees them with `-v`. */
export const log = {
  debug: (message) => logging.log('debug', message),
  info: (message) => logging.log('info', message),
  warn: (message) => logging.log('warn', message),
  error: (message) => logging.log('error', message),
};

/** The paths of the files that match a glob, sorted. */
export function glob(pattern, limit = 1000) {
  return workspace.glob(pattern, limit).filter((entry) => entry.kind === 'file').map((entry) => entry.path);
}

/** A file as text. Throws if there is no such file, or if this gene may not see it. */
export function readText(path) {
  return decode(readBytes(path));
}

/** A file as bytes. */
export function readBytes(path) {
  const [result] = workspace.read([path]);
  if (result.tag === 'err') throw new Error(`${path}: ${result.val.tag}`);
  return result.val;
}

/** A change: the whole new content of a file. */
export function newContent(path, text) {
  return { tag: 'new-content', val: { path, content: encode(text) } };
}

/** A change: a file to delete. */
export function deletion(path) {
  return { tag: 'delete', val: path };
}

/** A candidate for a finding. */
export function candidate(finding, title, { objective, changes, riskLevel = 'low', testsToRun = [], rollbackPlan = 'Revert the commit' }) {
  const evidence = finding.evidence.map((event) => event.line);
  return { title, objective, evidence, finding: finding.id, riskLevel, changes, testsToRun, rollbackPlan };
}

// QuickJS has neither TextEncoder nor TextDecoder.

function encode(text) {
  const escaped = unescape(encodeURIComponent(text));
  return Uint8Array.from(escaped, (character) => character.charCodeAt(0));
}

function decode(bytes) {
  let escaped = '';
  for (let at = 0; at < bytes.length; at += 4096) {
    escaped += String.fromCharCode(...bytes.slice(at, at + 4096));
  }
  try {
    return decodeURIComponent(escape(escaped));
  } catch {
    throw new Error('the file is not UTF-8');
  }
}
