//! Typed reading of an asset's members, with errors that name the field.
//!
//! Assets keep every member, because unknown members are part of the hash. So they are read through a view and not
//! converted into a type.

use serde_json::{Map, Value};

use super::kind::kind_of;

/// Why an asset cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FieldError {
    /// A required member is missing.
    #[error("field `{field}` is missing")]
    Missing {
        /// Which member, with dots for members of members.
        field: String,
    },
    /// A member is of another type.
    #[error("field `{field}` must be {expected}, not {found}")]
    Type {
        /// Which member.
        field: String,
        /// What it should be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// A member's value is not allowed.
    #[error("field `{field}` {problem}")]
    Value {
        /// Which member.
        field: String,
        /// What is wrong, and what would be right.
        problem: String,
    },
}

impl FieldError {
    /// A value that `field` may not hold.
    pub fn value(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Value { field: field.into(), problem: problem.into() }
    }
}

/// A view of an object's members. `null` counts as absent.
#[derive(Debug, Clone)]
pub struct Fields<'a> {
    members: &'a Map<String, Value>,
    prefix: String,
}

impl<'a> Fields<'a> {
    /// Of the object itself.
    pub fn of(members: &'a Map<String, Value>) -> Self {
        Self { members, prefix: String::new() }
    }

    /// Checks `type`, and that `schema_version`, if there is one, is 1.x.
    pub fn expect_asset(&self, kind: &str) -> Result<(), FieldError> {
        let found = self.text("type")?;
        if found != kind {
            return Err(FieldError::value("type", format!("is {found:?}: expected {kind:?}")));
        }
        match self.optional_text("schema_version")? {
            Some(version) if !version.starts_with("1.") => {
                Err(FieldError::value("schema_version", format!("is {version:?}: gephost reads 1.x")))
            }
            _ => Ok(()),
        }
    }

    /// A string.
    pub fn text(&self, field: &str) -> Result<&'a str, FieldError> {
        self.optional_text(field)?.ok_or_else(|| self.missing(field))
    }

    /// A string, or nothing.
    pub fn optional_text(&self, field: &str) -> Result<Option<&'a str>, FieldError> {
        self.read(field, "a string", Value::as_str)
    }

    /// A finite number, or nothing.
    pub fn optional_number(&self, field: &str) -> Result<Option<f64>, FieldError> {
        self.read(field, "a number", Value::as_f64)
    }

    /// A number from 0 to 1, or nothing.
    pub fn optional_share(&self, field: &str) -> Result<Option<f64>, FieldError> {
        let number = self.optional_number(field)?;
        match number {
            Some(number) if !(0.0..=1.0).contains(&number) => {
                let field = format!("{}{field}", self.prefix);
                Err(FieldError::value(field, format!("is {number}: it goes from 0 to 1")))
            }
            _ => Ok(number),
        }
    }

    /// A whole number from 0, or nothing. `2.0` is 2, as JSON makes no difference.
    pub fn optional_count(&self, field: &str) -> Result<Option<u64>, FieldError> {
        self.read(field, "a whole number from 0 to 2^53", |value| value.as_u64().or_else(|| whole(value.as_f64()?)))
    }

    /// A whole number from 0.
    pub fn count(&self, field: &str) -> Result<u64, FieldError> {
        self.optional_count(field)?.ok_or_else(|| self.missing(field))
    }

    /// A boolean.
    pub fn flag(&self, field: &str) -> Result<bool, FieldError> {
        self.read(field, "a boolean", Value::as_bool)?.ok_or_else(|| self.missing(field))
    }

    /// A list of strings.
    pub fn texts(&self, field: &str) -> Result<Vec<String>, FieldError> {
        self.optional_texts(field)?.ok_or_else(|| self.missing(field))
    }

    /// A list of strings, or nothing.
    pub fn optional_texts(&self, field: &str) -> Result<Option<Vec<String>>, FieldError> {
        self.read(field, "an array of strings", |value| {
            value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
        })
    }

    /// An object.
    pub fn object(&self, field: &str) -> Result<Fields<'a>, FieldError> {
        self.optional_object(field)?.ok_or_else(|| self.missing(field))
    }

    /// An object, or nothing.
    pub fn optional_object(&self, field: &str) -> Result<Option<Fields<'a>>, FieldError> {
        let members = self.read(field, "an object", Value::as_object)?;
        Ok(members.map(|members| Fields { members, prefix: format!("{}{field}.", self.prefix) }))
    }

    /// A list of objects, or nothing.
    pub fn optional_objects(&self, field: &str) -> Result<Option<Vec<Fields<'a>>>, FieldError> {
        let list = self.read(field, "an array of objects", |value| {
            value.as_array()?.iter().map(Value::as_object).collect::<Option<Vec<_>>>()
        })?;
        let member = |(place, members)| Fields { members, prefix: format!("{}{field}[{place}].", self.prefix) };
        Ok(list.map(|list| list.into_iter().enumerate().map(member).collect()))
    }

    /// A string, a number or a boolean.
    pub fn scalar(&self, field: &str) -> Result<&'a Value, FieldError> {
        let plain = |value: &'a Value| (!value.is_object() && !value.is_array()).then_some(value);
        self.read(field, "a string, a number or a boolean", plain)?.ok_or_else(|| self.missing(field))
    }

    /// The error that this member has a value outside what it may be.
    pub fn refused(&self, field: &str, problem: impl Into<String>) -> FieldError {
        FieldError::value(format!("{}{field}", self.prefix), problem)
    }

    fn missing(&self, field: &str) -> FieldError {
        FieldError::Missing { field: format!("{}{field}", self.prefix) }
    }

    fn read<T>(
        &self,
        field: &str,
        expected: &'static str,
        convert: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, FieldError> {
        let Some(value) = self.members.get(field).filter(|value| !value.is_null()) else {
            return Ok(None);
        };
        let converted = convert(value).ok_or_else(|| FieldError::Type {
            field: format!("{}{field}", self.prefix),
            expected,
            found: kind_of(value),
        })?;
        Ok(Some(converted))
    }
}

/// A number without a fraction, within what an f64 holds exactly.
fn whole(number: f64) -> Option<u64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
    (number.fract() == 0.0 && (0.0..=EXACT).contains(&number)).then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(members: &Value, read: impl Fn(&Fields<'_>) -> Result<String, FieldError>, expect: &str) {
        let members = members.as_object().expect("an object");
        let found = read(&Fields::of(members)).unwrap_or_else(|error| error.to_string());
        assert_eq!(found, expect, "{members:?}");
    }

    #[test]
    fn an_error_names_the_field_and_what_it_should_be() {
        check(&json!({}), |f| f.text("id").map(str::to_owned), "field `id` is missing");
        check(&json!({"id": null}), |f| f.text("id").map(str::to_owned), "field `id` is missing");
        check(&json!({"id": 3}), |f| f.text("id").map(str::to_owned), "field `id` must be a string, not a number");
        check(
            &json!({"l": ["a", 1]}),
            |f| Ok(f.texts("l")?.join(",")),
            "field `l` must be an array of strings, not an array",
        );
        let nested = |f: &Fields<'_>| f.object("outcome")?.text("status").map(str::to_owned);
        check(&json!({"outcome": {}}), nested, "field `outcome.status` is missing");
    }

    #[test]
    fn counts_are_whole_and_not_negative() {
        let count = |f: &Fields<'_>| Ok(format!("{:?}", f.optional_count("n")?));
        check(&json!({"n": 2}), count, "Some(2)");
        check(&json!({"n": 2.0}), count, "Some(2)");
        check(&json!({}), count, "None");
        for bad in [json!(-1), json!(1.5), json!("2"), json!(1e300)] {
            let found = if bad.is_string() { "a string" } else { "a number" };
            let expect = format!("field `n` must be a whole number from 0 to 2^53, not {found}");
            check(&json!({"n": bad}), count, &expect);
        }
    }

    #[test]
    fn shares_go_from_0_to_1() {
        let share = |f: &Fields<'_>| Ok(format!("{:?}", f.optional_share("s")?));
        check(&json!({"s": 0}), share, "Some(0.0)");
        check(&json!({"s": 1.0}), share, "Some(1.0)");
        check(&json!({"s": 1.1}), share, "field `s` is 1.1: it goes from 0 to 1");
        check(&json!({"s": -0.1}), share, "field `s` is -0.1: it goes from 0 to 1");
    }

    #[test]
    fn the_type_and_the_major_version_are_checked() {
        let kind = |f: &Fields<'_>| f.expect_asset("Gene").map(|()| "ok".to_owned());
        check(&json!({"type": "Gene"}), kind, "ok");
        check(&json!({"type": "Gene", "schema_version": "1.13.0"}), kind, "ok");
        check(&json!({"type": "Capsule"}), kind, "field `type` is \"Capsule\": expected \"Gene\"");
        let newer = "field `schema_version` is \"2.0.0\": gephost reads 1.x";
        check(&json!({"type": "Gene", "schema_version": "2.0.0"}), kind, newer);
    }
}
