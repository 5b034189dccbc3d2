//! The providers of models: which one an error of the agent's own requests is about, and how an agent logs in there.

use crate::output::host::host;

/// A part of a line in small letters, and the provider that it names. One that passes requests on to others comes first.
const PROVIDERS: [(&str, &str); 20] = [
    ("vertex", VERTEX),
    ("aiplatform", VERTEX),
    ("bedrock", BEDROCK),
    ("azure", AZURE),
    ("openrouter", OPENROUTER),
    ("ollama", OLLAMA),
    (":11434", OLLAMA),
    ("lm_studio", LM_STUDIO),
    ("lmstudio", LM_STUDIO),
    ("localhost:1234", LM_STUDIO),
    ("gemini", GEMINI),
    ("generativelanguage", GEMINI),
    ("deepseek", "DeepSeek"),
    ("groq", "Groq"),
    ("mistral", "Mistral"),
    ("githubcopilot", "GitHub Copilot"),
    ("xaiexception", "xAI"),
    ("api.x.ai", "xAI"),
    ("anthropic", ANTHROPIC),
    ("openai", OPENAI),
];

const VERTEX: &str = "Vertex AI";
const BEDROCK: &str = "Amazon Bedrock";
const AZURE: &str = "Azure OpenAI";
const OPENROUTER: &str = "OpenRouter";
const GEMINI: &str = "Gemini";
const ANTHROPIC: &str = "Anthropic";
const OPENAI: &str = "OpenAI";
const OLLAMA: &str = "Ollama";
const LM_STUDIO: &str = "LM Studio";

/// The provider that a line names.
pub(crate) fn provider(line: &str) -> Option<&'static str> {
    let line = line.to_ascii_lowercase();
    PROVIDERS.iter().find(|(part, _)| line.contains(part)).map(|(_, name)| *name)
}

/// Whether a line is an error of a client for models, or names the server of a provider.
pub(crate) fn is_of_model(line: &str) -> bool {
    const CLIENTS: [&str; 5] = ["litellm.", "openai.", "anthropic.", "APIConnectionError", "APITimeoutError"];
    CLIENTS.iter().any(|client| line.contains(client)) || host(line).is_some_and(|host| provider(host).is_some())
}

/// Whether a line says that a file with credentials is missing.
pub(crate) fn lacks_credentials_file(line: &str) -> bool {
    let is_missing = ["o such file", "was not found", "oes not exist"].iter().any(|words| line.contains(words));
    is_missing && (line.contains(".json") || line.contains("redential"))
}

/// How an agent gets its credentials for a provider, if there is more to say than for all.
pub(crate) fn login(provider: &str) -> Option<&'static str> {
    Some(match provider {
        VERTEX => {
            "set `GOOGLE_APPLICATION_CREDENTIALS` to a key file that exists on this machine, or run `gcloud auth application-default login`"
        }
        BEDROCK => "set `AWS_PROFILE` or the keys of AWS in the agent's environment, or run `aws sso login`",
        AZURE => "set `AZURE_API_KEY` and `AZURE_API_BASE` in the agent's environment, or run `az login`",
        OPENAI => "set a valid `OPENAI_API_KEY` in the agent's environment or its settings",
        ANTHROPIC => "set a valid `ANTHROPIC_API_KEY` in the agent's environment, or log in with the agent",
        GEMINI => "set a valid `GEMINI_API_KEY` in the agent's environment, or log in with the agent",
        OPENROUTER => "set a valid `OPENROUTER_API_KEY` in the agent's environment or its settings",
        _ => return None,
    })
}

/// What to do about a provider that runs on a machine of one's own and gives no answer.
pub(crate) fn start(provider: &str) -> Option<&'static str> {
    Some(match provider {
        OLLAMA => {
            "start the server of the model before the agent (`ollama serve`), and check its address in the agent's settings"
        }
        LM_STUDIO => "start the server of the model before the agent, and check its address in the agent's settings",
        _ => return None,
    })
}
