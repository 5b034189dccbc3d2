//! The format of Anthropic's Messages API. The answer's schema is given as a tool that the model must call. The input
//! of that call is the answer.

use gephost_core::model::{Reply, Request, Role};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::endpoint::Endpoint;

/// Value of the header `anthropic-version`.
pub(crate) const VERSION: &str = "2023-06-01";
/// Name of the tool.
const TOOL: &str = "answer";

/// The JSON body of a request.
pub(crate) fn body(endpoint: &Endpoint, request: &Request) -> Value {
    let messages = request.messages.iter().map(|message| {
        let role = match message.role {
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        json!({ "role": role, "content": message.text })
    });
    let mut body = json!({
        "model": endpoint.model,
        "max_tokens": request.max_tokens,
        "system": request.system,
        "messages": messages.collect::<Vec<_>>(),
    });
    if let Some(schema) = request.schema.as_ref().filter(|_| endpoint.enforce_schema) {
        body["tools"] = json!([{ "name": TOOL, "description": "Gives the answer.", "input_schema": schema }]);
        body["tool_choice"] = json!({ "type": "tool", "name": TOOL });
    }
    body
}

#[derive(Deserialize)]
struct Response {
    content: Vec<Block>,
    #[serde(default)]
    stop_reason: Option<String>,
    #[serde(default)]
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    input: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default)]
    input_tokens: Option<u64>,
    #[serde(default)]
    output_tokens: Option<u64>,
}

/// Reads the answer from the JSON body of a response.
pub(crate) fn reply(body: &str) -> Result<Reply, serde_json::Error> {
    let response: Response = serde_json::from_str(body)?;
    let called = response.content.iter().find(|block| block.kind == "tool_use").and_then(|block| block.input.as_ref());
    let text = || response.content.iter().filter(|block| block.kind == "text").map(|block| block.text.as_str());
    Ok(Reply {
        text: called.map_or_else(|| text().collect(), |input| input.get().to_owned()),
        cut: response.stop_reason.as_deref() == Some("max_tokens"),
        tokens_in: response.usage.as_ref().and_then(|usage| usage.input_tokens),
        tokens_out: response.usage.as_ref().and_then(|usage| usage.output_tokens),
    })
}

#[cfg(test)]
mod tests {
    use gephost_core::model::{Message, schema};

    use super::*;
    use crate::endpoint::Api;

    #[test]
    fn a_request_makes_the_model_call_a_tool_whose_input_is_the_answer() {
        let endpoint = Endpoint::new(Api::Anthropic, "https://api.anthropic.com/v1", "m", true).unwrap();
        let messages = vec![Message { role: Role::User, text: "u".to_owned() }];
        let body =
            body(&endpoint, &Request { system: "s".to_owned(), messages, max_tokens: 9, schema: Some(schema()) });
        assert_eq!((body["system"].as_str(), body["max_tokens"].as_u64()), (Some("s"), Some(9)));
        assert_eq!(body["tool_choice"]["name"], body["tools"][0]["name"]);
        assert_eq!(body["tools"][0]["input_schema"], schema());
    }

    #[test]
    fn a_reply_is_the_input_of_the_call_or_else_the_text() {
        let called = r#"{"content":[{"type":"text","text":"I will"},{"type":"tool_use","id":"t","name":"answer","input":{"summary": "s"}}],"stop_reason":"tool_use","usage":{"input_tokens":5,"output_tokens":2}}"#;
        let expected =
            Reply { text: r#"{"summary": "s"}"#.to_owned(), cut: false, tokens_in: Some(5), tokens_out: Some(2) };
        assert_eq!(reply(called).unwrap(), expected);
        let text = r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"stop_reason":"max_tokens"}"#;
        let reply = super::reply(text).unwrap();
        assert_eq!((reply.text.as_str(), reply.cut), ("ab", true));
        assert_eq!(super::reply(r#"{"content":[]}"#).unwrap().text, "");
        for foreign in ["", "{}", r#"{"content":"x"}"#, r#"{"type":"error","error":{"message":"x"}}"#] {
            assert!(super::reply(foreign).is_err(), "{foreign}");
        }
    }
}
