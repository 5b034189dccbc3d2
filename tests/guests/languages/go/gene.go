// Package export_gephost_gene_proposals is the gene "tidy" in Go: see ../README.md. The generated
// bindings expect the exports of gephost:gene/proposals in a package of this name.
package export_gephost_gene_proposals

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	wit "go.bytecodealliance.org/pkg/wit/types"
	gene "wit_component/gephost_gene_types"
)

const workspace = "/workspace"

// Propose changes the files and returns a proposal without changes.
func Propose(diagnosis gene.Diagnosis) wit.Result[[]gene.Proposal, gene.GeneError] {
	if err := tidy(); err != nil {
		return wit.Err[[]gene.Proposal](gene.GeneError{Code: "io", Message: err.Error()})
	}
	return wit.Ok[[]gene.Proposal, gene.GeneError]([]gene.Proposal{{
		Title:        "Tidy the workspace",
		Objective:    "One colour, one place for notes",
		Finding:      diagnosis.Findings[0].Id,
		RiskLevel:    gene.RiskLevelLow,
		RollbackPlan: "Revert the commit",
	}})
}

func tidy() error {
	before, err := walk()
	if err != nil {
		return err
	}
	refused := probe()
	if err := changeFiles(); err != nil {
		return err
	}
	return writeReport(before, refused)
}

func walk() (string, error) {
	var lines []string
	err := filepath.WalkDir(workspace, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(workspace, path)
		lines = append(lines, fmt.Sprintf("%s %d\n", name, info.Size()))
		return err
	})
	sort.Strings(lines)
	return strings.Join(lines, ""), err
}

func probe() string {
	above := "refused"
	if tryRead("/workspace/../etc/passwd") == "read" {
		above = "read"
	}
	return fmt.Sprintf("/workspace/.env: %s\n", tryRead("/workspace/.env")) +
		fmt.Sprintf("/etc/passwd: %s\n", tryRead("/etc/passwd")) +
		fmt.Sprintf("/workspace/../etc/passwd: %s\n", above) +
		fmt.Sprintf("writing /workspace/.env: %s\n", tryWrite("/workspace/.env"))
}

func tryRead(path string) string {
	_, err := os.ReadFile(path)
	switch {
	case err == nil:
		return "read"
	case errors.Is(err, fs.ErrNotExist):
		return "not there"
	default:
		return "refused"
	}
}

func tryWrite(path string) string {
	if os.WriteFile(path, []byte("mine\n"), 0o644) == nil {
		return "written"
	}
	return "refused"
}

func changeFiles() error {
	app := filepath.Join(workspace, "src/app.txt")
	text, err := os.ReadFile(app)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(app, []byte(strings.ReplaceAll(string(text), "red", "green")), 0o644),
		appendTo(filepath.Join(workspace, "CHANGES.md"), "- tidied\n"),
		os.Rename(filepath.Join(workspace, "docs/old.md"), filepath.Join(workspace, "docs/new.md")),
		os.Remove(filepath.Join(workspace, "obsolete.txt")),
		os.RemoveAll(filepath.Join(workspace, "attic")),
	)
}

func appendTo(path, text string) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

func writeReport(before, refused string) error {
	folder := filepath.Join(workspace, "notes/tidy")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	after, err := walk()
	if err != nil {
		return err
	}
	report := "before:\n" + before + "after:\n" + after + "refused:\n" + refused
	return os.WriteFile(filepath.Join(folder, "report.txt"), []byte(report), 0o644)
}
