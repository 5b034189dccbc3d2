//! The best few genes so far.

use std::cmp::Ordering;

/// A gene with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scored {
    /// Whether it was received from elsewhere. Such genes come after all others.
    pub(super) is_received: bool,
    pub(super) score: f64,
    pub(super) gene: u32,
}

impl Scored {
    /// Best first.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        self.is_received
            .cmp(&other.is_received)
            .then(other.score.total_cmp(&self.score))
            .then(self.gene.cmp(&other.gene))
    }
}

/// The best few, in no order until they are taken.
#[derive(Debug)]
pub(super) struct Top {
    limit: usize,
    genes: Vec<Scored>,
    /// The last of them, if there are as many as there may be.
    worst: Option<Scored>,
}

impl Top {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, genes: Vec::with_capacity(limit), worst: None }
    }

    /// Whether a gene with this score would be among them.
    #[inline]
    pub(super) fn has_room(&self, scored: &Scored) -> bool {
        match &self.worst {
            None => self.limit > 0,
            Some(worst) => scored.order(worst).is_lt(),
        }
    }

    /// Puts in a gene, or raises its score.
    pub(super) fn offer(&mut self, scored: Scored) {
        if !self.has_room(&scored) {
            return;
        }
        if let Some(known) = self.genes.iter_mut().find(|known| known.gene == scored.gene) {
            if scored.order(known).is_lt() {
                *known = scored;
            }
        } else if self.genes.len() < self.limit {
            self.genes.push(scored);
        } else if let Some(last) = self.genes.iter_mut().max_by(|a, b| a.order(b)) {
            *last = scored;
        }
        self.worst = None;
        if self.genes.len() == self.limit {
            self.worst = self.genes.iter().max_by(|a, b| a.order(b)).copied();
        }
    }

    /// Best first.
    pub(super) fn into_sorted(mut self) -> Vec<Scored> {
        self.genes.sort_by(Scored::order);
        self.genes
    }
}
