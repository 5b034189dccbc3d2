//! The labelled texts: `positive.txt` (rule, file, text) and `negative.txt` (file, text), by tabs.
//!
//! A line holds no secret: `{}` cuts what would be one and is taken out, and `{b62:20}` becomes twenty random
//! characters when the line is read. The same line at the same place always gives the same text. `\n` is a line feed.

/// One text with what is known about it.
pub(crate) struct Labelled {
    /// The rule that must find something; `None` where nothing may.
    pub(crate) rule: Option<String>,
    pub(crate) file: String,
    pub(crate) text: String,
}

/// All of them.
pub(crate) fn all() -> Vec<Labelled> {
    let lines = |data: &'static str| data.lines().filter(|line| !line.starts_with('#')).enumerate();
    let positive = lines(include_str!("positive.txt")).map(|(at, line)| {
        let mut fields = line.splitn(3, '\t').map(str::to_owned);
        let mut field = || fields.next().expect("three fields");
        Labelled { rule: Some(field()), file: field(), text: made(&field(), at) }
    });
    let negative = lines(include_str!("negative.txt")).map(|(at, line)| {
        let (file, text) = line.split_once('\t').expect("two fields");
        Labelled { rule: None, file: file.to_owned(), text: made(text, at + 10_000) }
    });
    positive.chain(negative).collect()
}

fn made(text: &str, seed: usize) -> String {
    let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ (seed as u64 + 1).wrapping_mul(0xBF58_476D_1CE4_E5B9));
    let text = text.replace("\\n", "\n");
    let mut made = String::with_capacity(text.len() * 2);
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once('{') {
        made.push_str(before);
        let mark = after.split_once('}').and_then(|(mark, tail)| Some((random.filling(mark)?, tail)));
        if let Some((filling, tail)) = mark {
            made.push_str(&filling);
            rest = tail;
        } else {
            made.push('{');
            rest = after;
        }
    }
    made + rest
}

const B62: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % below
    }

    /// What a mark stands for; `None` where the braces are the text's own.
    fn filling(&mut self, mark: &str) -> Option<String> {
        if mark.is_empty() {
            return Some(String::new());
        }
        if mark == "uuid" {
            let parts = [8, 4, 4, 4, 12].map(|length| self.of("0123456789abcdef", length));
            return Some(parts.join("-"));
        }
        let (kind, length) = mark.split_once(':')?;
        let length = length.parse().ok()?;
        let alphabet = match kind {
            "b62" => B62.to_owned(),
            "b64" => format!("{B62}+/"),
            "url" => format!("{B62}_-"),
            "hex" => "0123456789abcdef".to_owned(),
            "dec" => return Some(format!("{}{}", 1 + self.next(9), self.of("0123456789", length - 1))),
            "up" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".to_owned(),
            "age" => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L".to_owned(),
            // What a generator of passwords makes: one of each kind at least.
            "pw" => return Some(format!("{}7#k", self.of(&format!("{B62}{B62}!#%^*+="), length - 3))),
            _ => return None,
        };
        Some(self.of(&alphabet, length))
    }

    fn of(&mut self, alphabet: &str, length: usize) -> String {
        (0..length).map(|_| char::from(alphabet.as_bytes()[self.next(alphabet.len())])).collect()
    }
}
