// The gephost SDK for genes in AssemblyScript: the parts of the contract that a strategy needs, by the canonical ABI.
// Offsets are those of the records in `wit/gene.wit`. The instance ends with the call, so nothing is freed.

@external("gephost:gene/logging@0.1.2", "log")
declare function hostLog(level: i32, text: usize, length: i32): void;
@external("gephost:gene/workspace@0.1.2", "read")
declare function hostRead(paths: usize, count: i32, result: usize): void;
@external("gephost:gene/workspace@0.1.2", "glob")
declare function hostGlob(pattern: usize, length: i32, limit: i32, result: usize): void;

/** A finding of the diagnosis. */
export class Finding {
  kind: string = "";
  hypothesis: string = "";
  direction: string = "";
  occurrences: u32 = 0;

  constructor(public id: string, public title: string, public lines: string[], public signals: string[]) {}
}

/** A change: the whole new content of a file, or its deletion. */
export class Change {
  private constructor(public path: string, public content: ArrayBuffer | null) {}

  static newContent(path: string, text: string): Change {
    return new Change(path, String.UTF8.encode(text));
  }

  static deletion(path: string): Change {
    return new Change(path, null);
  }
}

/** The gene's own estimate of the risk. The host computes the risk itself. */
export enum RiskLevel {
  Low,
  Medium,
  High,
}

/** A candidate for a finding. Without changes, the files that the gene wrote are the change. */
export class Candidate {
  riskLevel: RiskLevel = RiskLevel.Low;
  testsToRun: string[] = [];
  rollbackPlan: string = "Revert the commit";

  constructor(public finding: Finding, public title: string, public objective: string, public changes: Change[]) {}
}

let failedCode: string | null = null;
let failedMessage = "";

/** Fails the call: `return fail("no-scripts", "there is no script")`. `code` is a short word for programs. */
export function fail(code: string, message: string): Candidate[] {
  failedCode = code;
  failedMessage = message;
  return [];
}

/** A message to the operator, who sees it with `-v`. */
export function debug(message: string): void {
  hostLog(0, changetype<usize>(message), message.length);
}

export function info(message: string): void {
  hostLog(1, changetype<usize>(message), message.length);
}

export function warn(message: string): void {
  hostLog(2, changetype<usize>(message), message.length);
}

export function error(message: string): void {
  hostLog(3, changetype<usize>(message), message.length);
}

/** What a thrown error and a failed assertion call. The host shows the message and the place. */
export function abortCall(message: string | null, file: string | null, line: u32, column: u32): void {
  const text = message ? message : "no message";
  const place = file ? file : "an unknown file";
  error("abort: " + text + " at " + place + ":" + line.toString() + ":" + column.toString());
  unreachable();
}

/** The paths of the files that match a glob, sorted; empty if this gene may not see files. */
export function glob(pattern: string, limit: i32 = 1000): string[] {
  const result = heap.alloc(16);
  hostGlob(changetype<usize>(pattern), pattern.length, limit, result);
  const paths: string[] = [];
  if (load<u8>(result) != 0) return paths;
  const entries = load<usize>(result, 4);
  for (let i = 0, count = load<i32>(result, 8); i < count; i++) {
    const entry = entries + i * 24;
    if (load<u8>(entry, 8) == 0) paths.push(textAt(entry));
  }
  return paths;
}

/** A file as text; null if there is no such file, or if this gene may not see it. */
export function readText(path: string): string | null {
  const paths = heap.alloc(8);
  putText(paths, path);
  const result = heap.alloc(8);
  hostRead(paths, 1, result);
  const answer = load<usize>(result);
  if (load<i32>(result, 4) != 1 || load<u8>(answer) != 0) return null;
  return String.UTF8.decodeUnsafe(load<usize>(answer, 4), load<i32>(answer, 8));
}

// What `entry.ts` needs.

export function findingsAt(list: usize, count: i32): Finding[] {
  const findings: Finding[] = [];
  for (let i = 0; i < count; i++) {
    const at = list + i * 80;
    const finding = new Finding(textAt(at), textAt(at + 16), textsAt(at + 48, 16, 8), textsAt(at + 64, 8, 0));
    finding.kind = textAt(at + 8);
    finding.hypothesis = textAt(at + 40);
    finding.direction = textAt(at + 56);
    finding.occurrences = load<u32>(at, 72);
    findings.push(finding);
  }
  return findings;
}

export function answer(candidates: Candidate[]): usize {
  if (failedCode !== null) return failed(failedCode!, failedMessage);
  const list = heap.alloc(60 * candidates.length);
  for (let i = 0; i < candidates.length; i++) {
    const at = list + i * 60;
    const candidate = candidates[i];
    putText(at, candidate.title);
    putText(at + 8, candidate.objective);
    putTexts(at + 16, candidate.finding.lines);
    putText(at + 24, candidate.finding.id);
    store<u8>(at, <u8>candidate.riskLevel, 32);
    putList(at + 36, changesOf(candidate.changes), candidate.changes.length);
    putTexts(at + 44, candidate.testsToRun);
    putText(at + 52, candidate.rollbackPlan);
  }
  const result = heap.alloc(20);
  store<u8>(result, 0);
  putList(result + 4, list, candidates.length);
  return result;
}

function failed(code: string, message: string): usize {
  const result = heap.alloc(20);
  store<u8>(result, 1);
  putText(result + 4, code);
  putText(result + 12, message);
  return result;
}

function changesOf(changes: Change[]): usize {
  const list = heap.alloc(20 * changes.length);
  for (let i = 0; i < changes.length; i++) {
    const at = list + i * 20;
    const content = changes[i].content;
    store<u8>(at, content === null ? 2 : 1);
    putText(at + 4, changes[i].path);
    if (content !== null) putList(at + 12, changetype<usize>(content), content.byteLength);
  }
  return list;
}

function textAt(at: usize): string {
  return String.UTF16.decodeUnsafe(load<usize>(at), load<i32>(at, 4) << 1);
}

function textsAt(at: usize, size: usize, offset: usize): string[] {
  const list = load<usize>(at);
  const texts: string[] = [];
  for (let i: usize = 0, count = load<u32>(at, 4); i < count; i++) texts.push(textAt(list + i * size + offset));
  return texts;
}

function putList(at: usize, list: usize, length: i32): void {
  store<usize>(at, list);
  store<i32>(at, length, 4);
}

function putText(at: usize, text: string): void {
  putList(at, changetype<usize>(text), text.length);
}

function putTexts(at: usize, texts: string[]): void {
  const list = heap.alloc(8 * texts.length);
  for (let i = 0; i < texts.length; i++) putText(list + i * 8, texts[i]);
  putList(at, list, texts.length);
}
