//! What is known by a number: of an event, a session or a tool, or a hash. One sorted list compiles to a tenth of what a tree
//! does for each type, and most numbers come in ascending order.

/// Values by their numbers, in ascending order.
#[derive(Debug)]
pub(crate) struct ByNumber<T>(Vec<(u64, T)>);

impl<T> Default for ByNumber<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> ByNumber<T> {
    /// Adds a value, in place of the one that the number has.
    pub(crate) fn insert(&mut self, number: u64, value: T) {
        match self.find(number) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (number, value)),
        }
    }

    /// The value of a number; without one, a new one is added.
    pub(crate) fn get_or_insert(&mut self, number: u64, new: impl FnOnce() -> T) -> &mut T {
        let at = self.find(number).unwrap_or_else(|at| {
            self.0.insert(at, (number, new()));
            at
        });
        &mut self.0[at].1
    }

    pub(crate) fn get(&self, number: u64) -> Option<&T> {
        self.find(number).ok().and_then(|at| self.0.get(at)).map(|(_, value)| value)
    }

    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        self.find(number).ok().and_then(|at| self.0.get_mut(at)).map(|(_, value)| value)
    }

    pub(crate) fn has(&self, number: u64) -> bool {
        self.find(number).is_ok()
    }

    pub(crate) fn remove(&mut self, number: u64) -> Option<T> {
        self.find(number).ok().map(|at| self.0.remove(at).1)
    }

    /// Removes the values with the least number.
    pub(crate) fn remove_first(&mut self) {
        self.0.drain(..self.0.len().min(1));
    }

    pub(crate) fn retain(&mut self, keeps: impl Fn(&T) -> bool) {
        self.0.retain(|(_, value)| keeps(value));
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, (u64, T)> {
        self.0.iter()
    }

    pub(crate) fn into_values(self) -> impl Iterator<Item = T> {
        self.0.into_iter().map(|(_, value)| value)
    }

    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, (u64, T)> {
        self.0.iter_mut()
    }

    fn find(&self, number: u64) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| known.cmp(&number))
    }
}

/// A set of numbers, which may come in any order: one sorted list for each value of the first byte of their hash.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    lists: Vec<Vec<u64>>,
    len: usize,
}

impl Numbers {
    /// Adds a number, if there are fewer than `most`.
    pub(crate) fn insert(&mut self, number: u64, most: usize) {
        self.lists.resize_with(256, Vec::new);
        let list = &mut self.lists[list(number)];
        if let Err(at) = list.binary_search(&number)
            && self.len < most
        {
            list.insert(at, number);
            self.len += 1;
        }
    }

    pub(crate) fn has(&self, number: u64) -> bool {
        self.lists.get(list(number)).is_some_and(|list| list.binary_search(&number).is_ok())
    }

    pub(crate) fn remove(&mut self, number: u64) {
        let Some(list) = self.lists.get_mut(list(number)) else { return };
        if let Ok(at) = list.binary_search(&number) {
            list.remove(at);
            self.len -= 1;
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

fn list(number: u64) -> usize {
    usize::from(number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes()[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_numbers_in_any_order() {
        let mut known = ByNumber::default();
        for number in [5, 1, 9, 5, 3] {
            known.insert(number, number * 2);
        }
        assert_eq!((known.len(), known.get(3), known.get(4)), (4, Some(&6), None));
        assert_eq!((known.remove(5), known.remove(5)), (Some(10), None));
        assert_eq!(known.get_mut(9), Some(&mut 18));
        assert_eq!((*known.get_or_insert(2, || 7), *known.get_or_insert(2, || 8)), (7, 7));
        known.remove_first();
        known.retain(|value| *value != 18);
        assert_eq!(known.iter().collect::<Vec<_>>(), [&(2, 7), &(3, 6)]);
    }

    #[test]
    fn a_set_has_what_was_added_up_to_its_limit() {
        let mut set = Numbers::default();
        set.remove(1);
        for number in (0..1000_u64).map(|number| number.wrapping_mul(0x0123_4567_89ab_cdef)) {
            assert!(!set.has(number));
            set.insert(number, 900);
            set.insert(number, 900);
        }
        assert_eq!((set.len(), set.has(0), set.has(1)), (900, true, false));
        set.remove(0);
        assert_eq!((set.len(), set.has(0)), (899, false));
    }
}
