// Types of the gephost SDK for JavaScript and TypeScript.

export type Severity = 'info' | 'low' | 'medium' | 'high' | 'critical';
export type RiskLevel = 'low' | 'medium' | 'high';

export interface Evidence {
  event: bigint;
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

/** Messages to the operator, who sees them with `-v`. */
export const log: Record<'debug' | 'info' | 'warn' | 'error', (message: string) => void>;

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

/** A candidate for a finding. */
export function candidate(
  finding: Finding,
  title: string,
  more: { objective: string; changes: Change[]; riskLevel?: RiskLevel; testsToRun?: string[]; rollbackPlan?: string },
): Proposal;
