// Package gene notes the most important failure in docs/known-failures.md, where the agent reads it in its next session.
package gene

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"wit_component/gephost"
)

const notesFile = "docs/known-failures.md"

// Propose returns candidates, best first.
func Propose(diagnosis gephost.Diagnosis) ([]gephost.Candidate, error) {
	if len(diagnosis.Findings) == 0 {
		return nil, nil
	}
	finding := diagnosis.Findings[0]
	notes, err := os.ReadFile(notesFile)
	if errors.Is(err, fs.ErrNotExist) {
		notes = []byte("# Known failures\n")
	} else if err != nil {
		return nil, err
	}
	note := fmt.Sprintf("\n- %s: %s\n", finding.Title, finding.Direction)
	if strings.Contains(string(notes), note) {
		return nil, nil
	}
	if err := os.MkdirAll(filepath.Dir(notesFile), 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(notesFile, append(notes, note...), 0o644); err != nil {
		return nil, err
	}
	gephost.Infof("noted: %s", finding.Id)
	objective := "The agent reads about the failure before it happens again"
	return []gephost.Candidate{gephost.NewCandidate(finding, "Write down the most important failure", objective)}, nil
}
