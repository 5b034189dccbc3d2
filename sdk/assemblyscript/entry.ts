// The functions that the host calls. `gephost gene pack` gives them the names of the contract.

import { propose } from "../gene";
import { answer, findingsAt } from "./gephost";

export function gephost_export_propose(findings: usize, count: i32, signals: usize, signalCount: i32): usize {
  return answer(propose(findingsAt(findings, count)));
}

export function cabi_realloc(old: usize, oldSize: usize, align: usize, size: usize): usize {
  return old ? heap.realloc(old, size) : heap.alloc(size);
}
