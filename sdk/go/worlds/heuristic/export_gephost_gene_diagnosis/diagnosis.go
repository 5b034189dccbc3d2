// Package export_gephost_gene_diagnosis hands the host's call to the gene. The generated bindings expect a package of this
// name.
package export_gephost_gene_diagnosis

import (
	wit "go.bytecodealliance.org/pkg/wit/types"
	"wit_component/gene"
	"wit_component/gephost"
	types "wit_component/gephost_gene_types"
)

// Diagnose is called by the host.
func Diagnose() wit.Result[[]types.Finding, types.GeneError] {
	findings, err := gene.Diagnose()
	if err != nil {
		return wit.Err[[]types.Finding](gephost.Failure(err))
	}
	return wit.Ok[[]types.Finding, types.GeneError](findings)
}
