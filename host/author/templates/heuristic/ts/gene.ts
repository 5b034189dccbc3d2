// Finds that the program `python` is missing.

import { failedCalls, finding, log, type Heuristic } from './gephost.js';

const MISSING = 'python: command not found';

export const diagnosis: Heuristic = {
  diagnose() {
    const calls = failedCalls().filter((call) => call.output.includes(MISSING));
    log.info(`calls that miss python: ${calls.length}`);
    if (calls.length === 0) return [];
    return [
      finding('missing-python', 'missing_program', 'the agent calls python, and there is only python3', {
        evidence: calls.map((call) => ({ event: call.event, line: lineOf(call.output) })),
        hypothesis: 'The program is installed under the name python3 only',
        direction: 'Call python3',
        severity: 'medium',
        confidence: 0.9,
        signals: ['missing_program'],
      }),
    ];
  },
};

function lineOf(output: string): string {
  return output.split('\n').find((line) => line.includes(MISSING)) ?? '';
}
