// Package export_gephost_gene_proposals hands the host's call to the gene. The generated bindings expect a package of
// this name.
package export_gephost_gene_proposals

import (
	wit "go.bytecodealliance.org/pkg/wit/types"
	"wit_component/gene"
	"wit_component/gephost"
	types "wit_component/gephost_gene_types"
)

// Propose is called by the host.
func Propose(diagnosis types.Diagnosis) wit.Result[[]types.Proposal, types.GeneError] {
	candidates, err := gene.Propose(diagnosis)
	if err != nil {
		return wit.Err[[]types.Proposal](gephost.Failure(err))
	}
	return wit.Ok[[]types.Proposal, types.GeneError](candidates)
}
