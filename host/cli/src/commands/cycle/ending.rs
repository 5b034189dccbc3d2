//! How the commands of a cycle end.

use gephost_app::apply::Ended;
use gephost_app::consult::Consulted;

use crate::exit_code::Exit;
use crate::render;

/// How a command ends for what became of a cycle: what was to land and did not is a conflict.
pub(in crate::commands) fn exit_of_ended(ended: &Ended) -> Exit {
    match (&ended.published, ended.landed.as_ref().and_then(|landed| landed.refusal())) {
        (None, _) => Exit::Invalid,
        (Some(_), Some(_)) => Exit::Conflict,
        (Some(_), None) => Exit::Done,
    }
}

/// How a command ends for what the model said, if that is not as usual.
pub(super) fn exit_of_model(consulted: Option<&Consulted>) -> Option<Exit> {
    consulted.and_then(render::model::exit)
}
