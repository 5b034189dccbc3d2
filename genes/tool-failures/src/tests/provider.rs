//! What an agent's own requests to a model say: which provider gave no answer, and which credentials are missing.

use gephost_gene::run_log::FailureKind as K;

use crate::analysis::Analysis;
use crate::call::Call;
use crate::findings::reports;
use crate::report::Report;

/// The findings of exceptions outside of any call.
fn raised(lines: &[&str]) -> Vec<Report> {
    let mut analysis = Analysis::default();
    for (line, event) in lines.iter().zip(0..) {
        let kind = K::Other;
        analysis.add(&Call { event, exception: true, tool: None, name: "", kind, output: line, ..Call::FAILED });
    }
    analysis.finish(Vec::new());
    reports(&analysis)
}

#[test]
fn a_provider_that_gives_no_answer_is_named() {
    for (line, name, advice) in [
        ("litellm.APIConnectionError: APIConnectionError: OpenAIException - {", "OpenAI", "check whether"),
        ("litellm.InternalServerError: AnthropicException - Connection error.", "Anthropic", "check whether"),
        ("litellm.APIConnectionError: OllamaException - [Errno 111] Connection refused", "Ollama", "`ollama serve`"),
        (
            "litellm.ServiceUnavailableError: OllamaException: [WinError 10061] No connection could be made because the target machine actively refused it",
            "Ollama",
            "`ollama serve`",
        ),
        (
            "litellm.APIConnectionError: OpenrouterException - peer closed connection without sending complete message body",
            "OpenRouter",
            "check whether",
        ),
        (
            "litellm.APIConnectionError: VertexAIException - [Errno -2] Name or service not known",
            "Vertex AI",
            "check whether",
        ),
        ("openai.APITimeoutError: Request timed out.", "OpenAI", "check whether"),
        ("API Error: getaddrinfo ENOTFOUND https://api.anthropic.com/v1", "Anthropic", "check whether"),
        ("connect ECONNREFUSED http://localhost:11434/api/chat", "Ollama", "`ollama serve`"),
    ] {
        let found = raised(&[line]);
        assert_eq!(found[0].kind, "model_connection", "{line}: {}", found[0].title);
        assert_eq!(found[0].title, format!("requests to the model's provider got no answer: `{name}`"));
        assert!(found[0].direction.contains(advice), "{line}: {}", found[0].direction);
    }
}

#[test]
fn missing_credentials_of_a_provider_are_one_finding_with_what_to_do() {
    let vertex = [
        "litellm.APIConnectionError: [Errno 2] No such file or directory: '/w/vertex-key.json'",
        "litellm.APIConnectionError: VertexAIException - Your default credentials were not found.",
        "litellm.APIConnectionError: VertexAIException - File /w/key.json was not found.",
        "litellm.BadRequestError: VertexAIException - Unable to load vertex credentials from environment. Got={}",
    ];
    let found = raised(&vertex);
    // Two of the same class of error in a row are one with a retry.
    assert_eq!((found[0].kind, found[0].occurrences, found.len()), ("login_missing", 2, 1), "{found:#?}");
    assert!(found[0].direction.contains("GOOGLE_APPLICATION_CREDENTIALS"), "{}", found[0].direction);
    assert_eq!(found[0].title, "credentials for the model's provider are missing or refused: `Vertex AI`");
    for (line, advice) in [
        ("litellm.BadRequestError: BedrockException - Unable to locate credentials", "AWS_PROFILE"),
        ("litellm.APIConnectionError: BedrockException - The config profile (dev) could not be found", "AWS_PROFILE"),
        ("litellm.AuthenticationError: AzureException - DefaultAzureCredential failed to retrieve a token", "az login"),
        ("litellm.AuthenticationError: AnthropicException - invalid x-api-key", "ANTHROPIC_API_KEY"),
        (
            "openai.OpenAIError: The api_key client option must be set either by passing api_key to the client",
            "OPENAI_API_KEY",
        ),
        ("litellm.AuthenticationError: DeepseekException - Authentication Fails", "log in on this machine"),
    ] {
        let found = raised(&[line]);
        assert_eq!(found[0].kind, "login_missing", "{line}: {}", found[0].title);
        assert!(found[0].direction.contains(advice), "{line}: {}", found[0].direction);
    }
}

#[test]
fn other_errors_of_a_client_and_of_tools_keep_their_cause() {
    for (line, kind) in [
        ("litellm.InternalServerError: AnthropicException - Overloaded", "provider_limits"),
        ("litellm.RateLimitError: OpenAIException - rate limit", "provider_limits"),
        ("litellm.NotFoundError: OpenAIException - the model `a` does not exist", "missing_path"),
        ("connect ECONNREFUSED http://localhost:5432/", "network"),
    ] {
        let found = raised(&[line]);
        assert!(found[0].kind != "model_connection" && found[0].kind != "login_missing", "{kind}: {}", found[0].title);
    }
    let mut analysis = Analysis::default();
    let output = "Traceback (most recent call last):\nopenai.APIConnectionError: Connection error.";
    analysis.add(&Call { input: "python a.py", kind: K::Traceback, output, ..Call::FAILED });
    assert_ne!(reports(&analysis)[0].kind, "model_connection", "a program of the project asked");
}

/// What the agent's program says of a reply ends with a hint, and begins with what is wrong.
#[test]
fn a_message_outside_of_a_call_is_told_by_its_first_sentence() {
    for (said, title) in [
        (
            "Please always provide EXACTLY ONE action in triple backticks, found 0 actions.\n\nPlease format your action as \
             shown.\n\nIf you have completed it, see the first message about how to\nsubmit your solution (you will not be \
             able to continue after that).",
            "Please always provide EXACTLY ONE action in triple backticks, found 0 actions.",
        ),
        ("The reply had no tool call.\nUse one of: a, b\nTry it once more.", "The reply had no tool call."),
        // A line that names an error says more.
        ("Working on it.\nError: context length exceeded\nTry it once more.", "Error: context length exceeded"),
    ] {
        let found = raised(&[said, said]);
        assert_eq!(found[0].title, title);
    }
}
