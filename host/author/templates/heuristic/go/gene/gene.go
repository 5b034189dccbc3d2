// Package gene finds that the program python is missing.
package gene

import (
	"strings"

	"wit_component/gephost"
)

const missing = "python: command not found"

// Diagnose returns the failure patterns of the run log.
func Diagnose() ([]gephost.Finding, error) {
	calls, err := gephost.FailedCalls()
	if err != nil {
		return nil, err
	}
	var evidence []gephost.Evidence
	for _, call := range calls {
		if line, ok := lineOf(call.Output); ok {
			evidence = append(evidence, gephost.Evidence{Event: call.Event, Line: line})
		}
	}
	gephost.Infof("calls that miss python: %d", len(evidence))
	if len(evidence) == 0 {
		return nil, nil
	}
	return []gephost.Finding{{
		Id:          "missing-python",
		Kind:        "missing_program",
		Title:       "the agent calls python, and there is only python3",
		Severity:    gephost.MediumSeverity,
		Confidence:  0.9,
		Hypothesis:  "The program is installed under the name python3 only",
		Evidence:    evidence[:min(len(evidence), 32)],
		Direction:   "Call python3",
		Signals:     []string{"missing_program"},
		Occurrences: uint32(len(evidence)),
	}}, nil
}

func lineOf(output string) (string, bool) {
	for line := range strings.Lines(output) {
		if strings.Contains(line, missing) {
			return strings.TrimSpace(line), true
		}
	}
	return "", false
}
