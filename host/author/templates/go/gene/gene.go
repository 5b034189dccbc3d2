// Package gene makes shell scripts call python3 if there is no python.
package gene

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"wit_component/gephost"
)

var python = regexp.MustCompile(`(?m)^([ \t]*)python `)

// Propose returns candidates, best first.
func Propose(diagnosis gephost.Diagnosis) ([]gephost.Candidate, error) {
	for _, finding := range diagnosis.Findings {
		if isOurs(finding) {
			return proposeFor(finding)
		}
	}
	return nil, nil
}

func isOurs(finding gephost.Finding) bool {
	return slices.Contains(finding.Signals, "missing_program") && strings.Contains(finding.Title, "`python`")
}

func proposeFor(finding gephost.Finding) ([]gephost.Candidate, error) {
	changed := 0
	err := filepath.WalkDir(gephost.Workspace, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".sh" {
			return err
		}
		script, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		repaired := python.ReplaceAll(script, []byte("${1}python3 "))
		if string(repaired) == string(script) {
			return nil
		}
		changed++
		return os.WriteFile(path, repaired, 0o644)
	})
	gephost.Infof("scripts that call python: %d", changed)
	if err != nil || changed == 0 {
		return nil, err
	}
	return []gephost.Candidate{
		gephost.NewCandidate(finding, "Call python3 in shell scripts", "The scripts run where python is only python3"),
	}, nil
}
