//! How many values a check compares at once. One check of several values may take the place of several checks.

use super::cases::elements;
use super::tree::Node;
use super::truth::sides;

/// Most values of one check that count.
const MOST: u64 = 16;

/// How many values a check compares beyond the first, as far as its text tells.
pub(super) fn of(node: &Node) -> u64 {
    // An error is checked by its type, and by its text.
    let with_text = u64::from(node.text.contains("raises(") && node.text.contains("match="));
    // A list or a map is also checked for having nothing else.
    let written = |side: &str| match side.strip_suffix("{}") {
        Some(_) => node.blocks.last().map(|block| values(block)),
        None if side.starts_with('(') => elements(side).map(|count| count.saturating_sub(1)),
        None => elements(side),
    };
    let several = sides(&node.text, &node.said).and_then(|(left, right)| written(left).max(written(right)));
    with_text.max(several.unwrap_or(0)).min(MOST)
}

/// The values of a literal in braces.
fn values(block: &[Node]) -> u64 {
    let of_node = |node: &Node| node.text.split(',').filter(|part| !part.trim().is_empty()).count() as u64;
    block.iter().map(of_node).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str, block: &str) -> u64 {
        let inner = Node { text: block.to_owned(), said: block.to_owned(), ..Node::default() };
        of(&Node { text: text.to_owned(), said: text.to_owned(), blocks: vec![vec![inner]], ..Node::default() })
    }

    #[test]
    fn a_check_of_several_values_has_as_many_parts() {
        assert_eq!(parts("assert (a.net, a.gross) == (1, 2)", ""), 1);
        assert_eq!(parts("assert f() == [1, 2, 3]", ""), 3);
        assert_eq!(parts("assert_eq!(f(), (1, 2));", ""), 1);
        assert_eq!(parts("expect(f()).toEqual({})", "a: 1, b: 2, c: 3"), 3);
        assert_eq!(parts("with pytest.raises(ValueError, match='x'):", ""), 1);
    }

    #[test]
    fn a_check_of_one_value_has_none() {
        assert_eq!(parts("assert f(1, 2) == 3", ""), 0);
        assert_eq!(parts("assert f([1, 2])", ""), 0);
        assert_eq!(parts("expect(f()).toEqual({})", ""), 0);
        assert_eq!(parts("with pytest.raises(ValueError):", ""), 0);
    }
}
