package gephost

import (
	runlog "wit_component/gephost_gene_run_log"
	types "wit_component/gephost_gene_types"

	wit "go.bytecodealliance.org/pkg/wit/types"
)

// Evidence is one event of the run log that supports a finding.
type Evidence = types.Evidence

// How severe a finding is.
const (
	InfoSeverity     = types.SeverityInfo
	LowSeverity      = types.SeverityLow
	MediumSeverity   = types.SeverityMedium
	HighSeverity     = types.SeverityHigh
	CriticalSeverity = types.SeverityCritical
)

// Call is a call of a tool that the agent made.
type Call struct {
	// Event is its number in the run log.
	Event  uint64
	Tool   string
	Input  string
	Output string
}

// FailedCalls returns the calls of the agent that failed, oldest first. Capability run-log.
func FailedCalls() ([]Call, error) {
	names := runlog.ToolNames()
	if names.IsErr() {
		return nil, hostError(names.Err())
	}
	opened := runlog.Open(runlog.Filter{Outcomes: []uint8{runlog.OutcomeFailure}, SinceUs: wit.None[int64]()})
	if opened.IsErr() {
		return nil, hostError(opened.Err())
	}
	cursor := opened.Ok()
	defer cursor.Drop()
	var calls []Call
	for {
		next := cursor.Next(2048)
		if next.IsErr() {
			return nil, hostError(next.Err())
		}
		if next.Ok().IsNone() {
			return calls, nil
		}
		calls = append(calls, callsOf(next.Ok().Some(), names.Ok().Tools)...)
	}
}

func callsOf(batch runlog.Batch, tools []string) []Call {
	calls := make([]Call, 0, len(batch.Index))
	begin := uint32(0)
	for row, event := range batch.Index {
		middle, end := batch.TextEnds[2*row], batch.TextEnds[2*row+1]
		call := Call{Event: event, Input: string(batch.Heap[begin:middle]), Output: string(batch.Heap[middle:end])}
		if number := batch.Tool[row]; int64(number) < int64(len(tools)) {
			call.Tool = tools[number]
		}
		calls = append(calls, call)
		begin = end
	}
	return calls
}

func hostError(err types.HostError) error {
	switch err.Tag() {
	case types.HostErrorDenied:
		return Failf("denied", "%s", err.Denied())
	case types.HostErrorInvalid:
		return Failf("invalid", "%s", err.Invalid())
	case types.HostErrorExhausted:
		return Failf("exhausted", "%s", err.Exhausted())
	case types.HostErrorFailed:
		return Failf("failed", "%s", err.Failed())
	default:
		return Failf("not-found", "not found")
	}
}
