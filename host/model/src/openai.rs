//! The format of OpenAI's Chat Completions API, which many other servers use too.

use gephost_core::model::{Reply, Request, Role};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::endpoint::Endpoint;

/// The JSON body of a request.
pub(crate) fn body(endpoint: &Endpoint, request: &Request) -> Value {
    let mut messages = vec![json!({ "role": "system", "content": request.system })];
    messages.extend(request.messages.iter().map(|message| {
        let role = match message.role {
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        json!({ "role": role, "content": message.text })
    }));
    let mut body = json!({ "model": endpoint.model, "messages": messages, "stream": false });
    let limit = if endpoint.is_openai() { "max_completion_tokens" } else { "max_tokens" };
    body[limit] = request.max_tokens.into();
    if let Some(schema) = request.schema.as_ref().filter(|_| endpoint.enforce_schema) {
        body["response_format"] = json!({
            "type": "json_schema",
            "json_schema": { "name": "answer", "strict": true, "schema": schema },
        });
    }
    body
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice {
    message: AnswerMessage,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct AnswerMessage {
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default)]
    prompt_tokens: Option<u64>,
    #[serde(default)]
    completion_tokens: Option<u64>,
}

/// Reads the answer from the JSON body of a response.
pub(crate) fn reply(body: &str) -> Result<Reply, serde_json::Error> {
    let completion: Completion = serde_json::from_str(body)?;
    let usage = completion.usage;
    let choice = completion.choices.into_iter().next();
    let cut = choice.as_ref().is_some_and(|choice| choice.finish_reason.as_deref() == Some("length"));
    let text = choice.and_then(|choice| choice.message.content.or(choice.message.refusal)).unwrap_or_default();
    Ok(Reply {
        text,
        cut,
        tokens_in: usage.as_ref().and_then(|usage| usage.prompt_tokens),
        tokens_out: usage.as_ref().and_then(|usage| usage.completion_tokens),
    })
}

#[cfg(test)]
mod tests {
    use gephost_core::model::{Message, schema};

    use super::*;
    use crate::endpoint::Api;

    fn request() -> Request {
        let message = |role, text: &str| Message { role, text: text.to_owned() };
        let messages = vec![message(Role::User, "u"), message(Role::Assistant, "a"), message(Role::User, "v")];
        Request { system: "s".to_owned(), messages, max_tokens: 9, schema: Some(schema()) }
    }

    #[test]
    fn a_request_has_the_conversation_the_limit_and_the_schema() {
        let local = Endpoint::new(Api::OpenAi, "http://localhost/v1", "m", true).unwrap();
        let body = body(&local, &request());
        let roles: Vec<&str> = body["messages"].as_array().unwrap().iter().filter_map(|m| m["role"].as_str()).collect();
        assert_eq!(roles, ["system", "user", "assistant", "user"]);
        assert_eq!((body["model"].as_str(), body["max_tokens"].as_u64()), (Some("m"), Some(9)));
        assert_eq!(body["response_format"]["json_schema"]["schema"], schema());
        let openai = Endpoint::new(Api::OpenAi, "https://api.openai.com/v1", "m", false).unwrap();
        let body = super::body(&openai, &request());
        assert_eq!((&body["max_tokens"], &body["max_completion_tokens"]), (&Value::Null, &9.into()));
        assert_eq!(body["response_format"], Value::Null);
    }

    #[test]
    fn a_response_is_read() {
        let whole = r#"{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"{}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}"#;
        let expected = Reply { text: "{}".to_owned(), cut: false, tokens_in: Some(5), tokens_out: Some(2) };
        assert_eq!(reply(whole).unwrap(), expected);
        let cut = r#"{"choices":[{"message":{"content":"{\"a"},"finish_reason":"length"}]}"#;
        assert!(reply(cut).unwrap().cut);
        for empty in [r#"{"choices":[]}"#, r#"{"choices":[{"message":{"content":null}}]}"#] {
            assert_eq!(reply(empty).unwrap().text, "", "{empty}");
        }
        for foreign in ["", "[]", "{}", "<html>", r#"{"choices":1}"#, r#"{"error":{"message":"x"}}"#] {
            assert!(reply(foreign).is_err(), "{foreign}");
        }
    }
}
