// The gephost SDK for genes in JavaScript. `gephost.d.ts` has the types.

import logging from 'gephost:gene/logging@0.1.2';
import runLog from 'gephost:gene/run-log@0.1.2';
import workspace from 'gephost:gene/workspace@0.1.2';

/** Messages to the operator, who sees them with `-v`. */
export const log = {
  debug: (message) => logging.log('debug', message),
  info: (message) => logging.log('info', message),
  warn: (message) => logging.log('warn', message),
  error: (message) => logging.log('error', message),
};

// QuickJS has no `console`. What is written to it is in the gene's log.
const write = (level) => (...parts) => logging.log(level, parts.map(shown).join(' '));
globalThis.console ??= {
  debug: write('debug'),
  log: write('info'),
  info: write('info'),
  warn: write('warn'),
  error: write('error'),
};

function shown(value) {
  if (typeof value !== 'object' || value === null || value instanceof Error) return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    // A cycle, or a BigInt within it.
    return String(value);
  }
}

/** The paths of the files that match a glob, sorted. */
export function glob(pattern, limit = 1000) {
  return workspace.glob(pattern, limit).filter((entry) => entry.kind === 'file').map((entry) => entry.path);
}

/** A file as text. Throws if there is no such file, or if this gene may not see it. */
export function readText(path) {
  return decodeText(readBytes(path));
}

/** A file as bytes. */
export function readBytes(path) {
  const [result] = workspace.read([path]);
  if (result.tag === 'err') throw new Error(`${path}: ${result.val.tag}`);
  return result.val;
}

/** A change: the whole new content of a file. */
export function newContent(path, text) {
  return { tag: 'new-content', val: { path, content: encodeText(text) } };
}

/** A change: a file to delete. */
export function deletion(path) {
  return { tag: 'delete', val: path };
}

/** A candidate for a finding. Without changes, the files that the gene wrote are the change. */
export function candidate(finding, title, { objective, changes = [], riskLevel = 'low', testsToRun = [], rollbackPlan = 'Revert the commit' }) {
  const evidence = finding.evidence.map((event) => event.line);
  return { title, objective, evidence, finding: finding.id, riskLevel, changes, testsToRun, rollbackPlan };
}

/** The calls of the agent that failed, oldest first. Capability `run-log`. */
export function failedCalls() {
  const { tools } = runLog.toolNames();
  const cursor = runLog.open({ kinds: [], outcomes: ['failure'], tools: [], sinceUs: null });
  const calls = [];
  for (let batch; (batch = cursor.next(2048)); ) {
    let begin = 0;
    for (let row = 0; row < batch.index.length; row++) {
      const [middle, end] = [Number(batch.textEnds[2 * row]), Number(batch.textEnds[2 * row + 1])];
      const text = (from, to) => decodeText(batch.heap.slice(from, to));
      calls.push({
        event: batch.index[row],
        tool: tools[batch.tool[row]] ?? '',
        input: text(begin, middle),
        output: text(middle, end),
      });
      begin = end;
    }
  }
  return calls;
}

/** A failure pattern. `id` must be the same in every run. At most 32 events of the evidence are kept. */
export function finding(id, kind, title, { evidence, hypothesis = '', direction = '', severity = 'medium', confidence = 0.5, signals = [], occurrences = evidence.length }) {
  return { id, kind, title, severity, confidence, hypothesis, evidence: evidence.slice(0, 32), direction, signals, occurrences };
}

// QuickJS has neither TextEncoder nor TextDecoder.

/** A text as UTF-8. */
export function encodeText(text) {
  const escaped = unescape(encodeURIComponent(text));
  return Uint8Array.from(escaped, (character) => character.charCodeAt(0));
}

/** UTF-8 as a text. Throws if the bytes are not UTF-8. */
export function decodeText(bytes) {
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
