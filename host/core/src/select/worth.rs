//! What a candidate of a tournament is expected to be worth: the order in which candidates of several genes are validated.

use super::Memory;

/// The expected worth of a gene's candidate, from 0 to 1: the probability from memory that a change of the gene holds, × 1 /
/// (1 + its place among the gene's own candidates), × (1 − risk / 200). `place` is 0 for the gene's best; `risk` is the
/// computed risk from 0 to 100, so a riskier change is worth less, but a risky one is still tried.
///
/// What a gene says of its own candidate takes no part but for their order: a gene could say anything.
pub fn expected_worth(memory: Memory, place: usize, risk: u8) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a gene has at most some thousand candidates")]
    let place = place as f64;
    memory.probability / (1.0 + place) * (1.0 - f64::from(risk.min(100)) / 200.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_past_then_the_genes_own_order_then_the_risk_decide() {
        let worth = |probability, place, risk| expected_worth(Memory { tries: 0, probability }, place, risk);
        assert!(worth(0.8, 0, 10) > worth(0.5, 0, 10));
        assert!(worth(0.8, 0, 10) > worth(0.8, 0, 60));
        assert!(worth(0.3, 0, 10) > worth(0.5, 1, 10));
        assert!((worth(0.5, 1, 100) - 0.125).abs() < 1e-9);
        assert!(worth(1.0, 0, u8::MAX) > 0.0);
    }
}
