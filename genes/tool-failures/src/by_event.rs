//! What is known of single events, by their numbers. One sorted list compiles to a tenth of what a tree does for each type.

/// Values by the numbers of events, in ascending order.
#[derive(Debug)]
pub(crate) struct ByEvent<T>(Vec<(u64, T)>);

impl<T> Default for ByEvent<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> ByEvent<T> {
    /// Adds a value, in place of the one that the event has.
    pub(crate) fn insert(&mut self, event: u64, value: T) {
        match self.find(event) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (event, value)),
        }
    }

    pub(crate) fn get(&self, event: u64) -> Option<&T> {
        self.find(event).ok().and_then(|at| self.0.get(at)).map(|(_, value)| value)
    }

    pub(crate) fn get_mut(&mut self, event: u64) -> Option<&mut T> {
        self.find(event).ok().and_then(|at| self.0.get_mut(at)).map(|(_, value)| value)
    }

    pub(crate) fn remove(&mut self, event: u64) -> Option<T> {
        self.find(event).ok().map(|at| self.0.remove(at).1)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    fn find(&self, event: u64) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| known.cmp(&event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_events_in_any_order() {
        let mut known = ByEvent::default();
        for event in [5, 1, 9, 5, 3] {
            known.insert(event, event * 2);
        }
        assert_eq!((known.len(), known.get(3), known.get(4)), (4, Some(&6), None));
        assert_eq!((known.remove(5), known.remove(5)), (Some(10), None));
        assert_eq!(known.get_mut(9), Some(&mut 18));
    }
}
