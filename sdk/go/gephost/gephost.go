// Package gephost is the SDK for genes in Go. A gene reads and writes files below Workspace with Go's own functions: what it
// wrote is its change.
package gephost

import (
	"errors"
	"fmt"

	logging "wit_component/gephost_gene_logging"
	types "wit_component/gephost_gene_types"
)

// Workspace has the files of the base commit that the gene may see. What is written here never reaches the disk.
const Workspace = "/workspace"

// The nouns of the contract.
type (
	Diagnosis = types.Diagnosis
	Finding   = types.Finding
	Candidate = types.Proposal
	Change    = types.Change
)

// Estimates of the risk of a candidate. The host computes the risk itself.
const (
	LowRisk    = types.RiskLevelLow
	MediumRisk = types.RiskLevelMedium
	HighRisk   = types.RiskLevelHigh
)

// Error is why a gene failed. Code is a short word for programs.
type Error struct {
	Code    string
	Message string
}

func (e *Error) Error() string { return e.Message }

// Failf makes an Error, for the gene to return.
func Failf(code, format string, arguments ...any) error {
	return &Error{Code: code, Message: fmt.Sprintf(format, arguments...)}
}

// Failure is an error as the host takes it. An error that has no Error in it has the code "failed".
func Failure(err error) types.GeneError {
	code := "failed"
	var known *Error
	if errors.As(err, &known) {
		code = known.Code
	}
	return types.GeneError{Code: code, Message: err.Error()}
}

// NewCandidate makes a candidate for a finding, with its evidence. Without changes, the files that the gene wrote are the
// change.
func NewCandidate(finding Finding, title, objective string, changes ...Change) Candidate {
	evidence := make([]string, 0, len(finding.Evidence))
	for _, event := range finding.Evidence {
		evidence = append(evidence, event.Line)
	}
	return Candidate{
		Title:        title,
		Objective:    objective,
		Evidence:     evidence,
		Finding:      finding.Id,
		RiskLevel:    types.RiskLevelLow,
		Changes:      changes,
		RollbackPlan: "Revert the commit",
	}
}

// NewContent is a change: the whole new content of a file, by its path from the workspace root.
func NewContent(path string, content []byte) Change {
	return types.MakeChangeNewContent(types.FileContent{Path: path, Content: content})
}

// Deletion is a change: a file to delete, by its path from the workspace root.
func Deletion(path string) Change {
	return types.MakeChangeDelete(path)
}

// Debugf logs a message for the gene's author.
func Debugf(format string, arguments ...any) {
	logging.Log(logging.LevelDebug, fmt.Sprintf(format, arguments...))
}

// Infof logs a message to the operator, who sees it with -v.
func Infof(format string, arguments ...any) {
	logging.Log(logging.LevelInfo, fmt.Sprintf(format, arguments...))
}

// Warnf logs that the gene left something out.
func Warnf(format string, arguments ...any) {
	logging.Log(logging.LevelWarn, fmt.Sprintf(format, arguments...))
}

// Errorf logs why the gene is about to fail.
func Errorf(format string, arguments ...any) {
	logging.Log(logging.LevelError, fmt.Sprintf(format, arguments...))
}
