// Types of the gephost SDK for JavaScript and TypeScript.

export type Severity = 'info' | 'low' | 'medium' | 'high' | 'critical';
export type RiskLevel = 'low' | 'medium' | 'high';

/** The number of an event in the run log. */
export type EventNumber = number | bigint;

export interface Evidence {
  event: EventNumber;
  line: string;
}

export interface Finding {
  id: string;
  kind: string;
  title: string;
  severity: Severity;
  confidence: number;
  hypothesis: string;
  evidence: Evidence[];
  direction: string;
  signals: string[];
  occurrences: number;
}

export interface Diagnosis {
  findings: Finding[];
  signals: string[];
}

export type Change =
  | { tag: 'unified-diff'; val: string }
  | { tag: 'new-content'; val: { path: string; content: Uint8Array } }
  | { tag: 'delete'; val: string };

export interface Proposal {
  title: string;
  objective: string;
  evidence: string[];
  finding: string;
  riskLevel: RiskLevel;
  changes: Change[];
  testsToRun: string[];
  rollbackPlan: string;
}

/** What `gene.js` exports. To fail, throw `{ code, message }`. */
export interface Proposals {
  propose(diagnosis: Diagnosis): Proposal[];
}

/** What `gene.js` exports as `diagnosis` if its world is `heuristic`. */
export interface Heuristic {
  diagnose(): Finding[];
}

/** A call of a tool that the agent made. */
export interface Call {
  /** Its number in the run log. */
  event: EventNumber;
  tool: string;
  input: string;
  output: string;
}

/** Messages to the operator, who sees them with `-v`. */
export const log: Record<'debug' | 'info' | 'warn' | 'error', (message: string) => void>;

declare global {
  /** Writes to the gene's log, as `log` does. */
  var console: Record<'debug' | 'log' | 'info' | 'warn' | 'error', (...parts: unknown[]) => void>;
}

/** The paths of the files that match a glob, sorted. */
export function glob(pattern: string, limit?: number): string[];

/** A file as text. Throws if there is no such file, or if this gene may not see it. */
export function readText(path: string): string;

/** A file as bytes. */
export function readBytes(path: string): Uint8Array;

/** A change: the whole new content of a file. */
export function newContent(path: string, text: string): Change;

/** A change: a file to delete. */
export function deletion(path: string): Change;

/** A candidate for a finding. Without changes, the files that the gene wrote are the change. */
export function candidate(
  finding: Finding,
  title: string,
  more: { objective: string; changes?: Change[]; riskLevel?: RiskLevel; testsToRun?: string[]; rollbackPlan?: string },
): Proposal;

/** The calls of the agent that failed, oldest first. Capability `run-log`. */
export function failedCalls(): Call[];

/** A failure pattern. `id` must be the same in every run. At most 32 events of the evidence are kept. */
export function finding(
  id: string,
  kind: string,
  title: string,
  more: {
    evidence: Evidence[];
    hypothesis?: string;
    direction?: string;
    severity?: Severity;
    confidence?: number;
    signals?: string[];
    occurrences?: number;
  },
): Finding;

/** A text as UTF-8. */
export function encodeText(text: string): Uint8Array;

/** UTF-8 as a text. Throws if the bytes are not UTF-8. */
export function decodeText(bytes: Uint8Array): string;
