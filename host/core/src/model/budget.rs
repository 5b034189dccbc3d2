//! The budget for a model, in tokens and in money, and what has been used of it.
//!
//! Money is counted in billionths of a US dollar, so that nothing is rounded away. If the server reports how many
//! tokens a request used, that number counts; otherwise an estimate does.

use serde::{Deserialize, Serialize};

use super::{Reply, Request};

/// Bytes of a prompt that are estimated as one token. English and code have more bytes per token, so the estimate tends
/// to be too high.
const BYTES_PER_TOKEN: u64 = 3;

/// What one process may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Most tokens of one answer.
    pub answer_tokens: u32,
    /// Most tokens of all requests and answers together.
    pub max_tokens: u64,
    /// Price of a sent token, in billionths of a dollar.
    pub price_in: u64,
    /// Price of a received token, in billionths of a dollar.
    pub price_out: u64,
    /// Most billionths of a dollar for all requests together.
    pub max_cost: Option<u64>,
}

/// What has been used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spent {
    /// Requests sent.
    pub requests: u64,
    /// Tokens sent.
    pub tokens_in: u64,
    /// Tokens received.
    pub tokens_out: u64,
    /// Cost in billionths of a dollar.
    pub cost: u64,
}

/// The limits, and what has been used of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    limits: Limits,
    spent: Spent,
}

impl Budget {
    /// A budget of which `spent` has been used already.
    pub fn new(limits: Limits, spent: Spent) -> Self {
        Self { limits, spent }
    }

    /// What has been used.
    pub fn spent(&self) -> Spent {
        self.spent
    }

    /// Most tokens of one answer.
    pub fn answer_tokens(&self) -> u32 {
        self.limits.answer_tokens
    }

    /// Whether a request with the longest possible answer stays within the limits; if not, why.
    pub fn allows(&self, request: &Request) -> Result<(), String> {
        let (sent, answered) = (estimate(request), u64::from(request.max_tokens));
        let tokens = self.tokens().saturating_add(sent).saturating_add(answered);
        if tokens > self.limits.max_tokens {
            return Err(format!(
                "the request could bring this run to {tokens} tokens, and `max_tokens` is {}",
                self.limits.max_tokens
            ));
        }
        let cost = self.spent.cost.saturating_add(self.price(sent, answered));
        match self.limits.max_cost {
            Some(most) if cost > most => Err(format!(
                "the request could bring this run to {} dollars, and `max_cost` is {}",
                dollars(cost),
                dollars(most)
            )),
            _ => Ok(()),
        }
    }

    /// Counts a request that was sent. It counts even without a reply, because it may have been answered and billed.
    pub fn charge(&mut self, request: &Request, reply: Option<&Reply>) {
        let sent = reply.and_then(|reply| reply.tokens_in).unwrap_or_else(|| estimate(request));
        let answered = reply.map_or(0, |reply| reply.tokens_out.unwrap_or_else(|| tokens_of(reply.text.len())));
        self.spent.requests += 1;
        self.spent.tokens_in = self.spent.tokens_in.saturating_add(sent);
        self.spent.tokens_out = self.spent.tokens_out.saturating_add(answered);
        self.spent.cost = self.spent.cost.saturating_add(self.price(sent, answered));
    }

    fn tokens(&self) -> u64 {
        self.spent.tokens_in.saturating_add(self.spent.tokens_out)
    }

    fn price(&self, sent: u64, answered: u64) -> u64 {
        sent.saturating_mul(self.limits.price_in).saturating_add(answered.saturating_mul(self.limits.price_out))
    }
}

fn estimate(request: &Request) -> u64 {
    tokens_of(request.system.len() + request.messages.iter().map(|message| message.text.len()).sum::<usize>())
}

fn tokens_of(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(BYTES_PER_TOKEN)
}

/// Formats billionths of a dollar as dollars.
fn dollars(cost: u64) -> String {
    let text = format!("{}.{:09}", cost / 1_000_000_000, cost % 1_000_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::{Message, Role};
    use super::*;

    const LIMITS: Limits =
        Limits { answer_tokens: 100, max_tokens: 1000, price_in: 2_000, price_out: 10_000, max_cost: Some(2_000_000) };

    fn request(bytes: usize) -> Request {
        let message = Message { role: Role::User, text: "x".repeat(bytes) };
        Request { system: String::new(), messages: vec![message], max_tokens: 100, schema: None }
    }

    fn reply(tokens_in: Option<u64>, tokens_out: Option<u64>) -> Reply {
        Reply { text: "123456".to_owned(), cut: false, tokens_in, tokens_out }
    }

    #[test]
    fn the_longest_answer_counts_before_the_request_and_the_real_one_after() {
        let mut budget = Budget::new(LIMITS, Spent::default());
        // 300 tokens sent and 100 received: 600,000 + 1,000,000 billionths.
        budget.allows(&request(900)).unwrap();
        budget.charge(&request(900), Some(&reply(Some(200), Some(10))));
        assert_eq!(budget.spent(), Spent { requests: 1, tokens_in: 200, tokens_out: 10, cost: 500_000 });
        let said = budget.allows(&request(900)).unwrap_err();
        assert_eq!(said, "the request could bring this run to 0.0021 dollars, and `max_cost` is 0.002");
    }

    #[test]
    fn tokens_have_a_limit_of_their_own_and_free_models_keep_it() {
        let limits = Limits { price_in: 0, price_out: 0, max_cost: None, ..LIMITS };
        let mut budget = Budget::new(limits, Spent::default());
        for _ in 0..3 {
            budget.allows(&request(300)).unwrap();
            budget.charge(&request(300), Some(&reply(Some(200), Some(80))));
        }
        let said = budget.allows(&request(300)).unwrap_err();
        assert_eq!(said, "the request could bring this run to 1040 tokens, and `max_tokens` is 1000");
    }

    #[test]
    fn what_the_server_does_not_count_is_estimated_and_a_lost_answer_was_sent() {
        let mut budget = Budget::new(LIMITS, Spent::default());
        budget.charge(&request(900), None);
        assert_eq!(budget.spent(), Spent { requests: 1, tokens_in: 300, tokens_out: 0, cost: 600_000 });
        budget.charge(&request(901), Some(&reply(None, None)));
        assert_eq!(budget.spent().tokens_in, 601);
        assert_eq!(budget.spent().tokens_out, 2);
        budget.charge(&request(1), Some(&reply(Some(u64::MAX), Some(u64::MAX))));
        assert!(budget.allows(&request(1)).is_err(), "a server that counts absurdly ends the asking, not the host");
    }
}
