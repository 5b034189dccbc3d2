//! Which program fails behind `ssh`, `docker exec`, `kubectl exec` or `wsl`, and where it runs.

use crate::call::Call;
use crate::cause::Cause;
use crate::causes::classify::Classified;
use crate::causes::program::program;
use crate::command::remote::elsewhere;
use crate::command::shell::{acts, steps};

/// The program that fails on another host or in a container, and where that is. What `ssh` and `docker` say themselves is theirs.
pub(crate) fn inside(call: &Call<'_>, failure: &Classified<'_>) -> Option<(String, String)> {
    const STARTS: [&str; 5] = ["ssh", "docker", "podman", "kubectl", "wsl"];
    const OWN: [&str; 6] = ["ssh: ", "Host key", "daemon", "OCI runtime", "ontainer", "rror from server"];
    let starter = failure.program.split(' ').next().filter(|starter| STARTS.contains(starter))?;
    let is_own = matches!(
        failure.cause,
        Cause::Login | Cause::Network | Cause::Reset | Cause::Timeout | Cause::Terminal | Cause::Silent
    ) || OWN.iter().any(|words| failure.line.contains(words));
    let acts = acts(call.input);
    let act = acts.iter().rfind(|act| !is_own && act.step.program == starter)?;
    let (place, command) = elsewhere(act)?;
    let steps = steps(&command);
    let name = program(&Call { input: &command, ..*call }, failure.line, &steps, failure.cause);
    // What runs behind another one of these is not looked for.
    let is_known = !name.is_empty() && !steps.is_empty() && !name.starts_with("ssh") && !name.ends_with("exec");
    is_known.then(|| (name, place.to_owned()))
}
