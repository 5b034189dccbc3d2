//! Asks the model about the findings. What it proposes takes the place of the strategy genes' candidates.

use gephost_core::event_log::EntryBody;
use gephost_core::model::{Answer, Fence, Material, NoOp, Outcome, Spent, Step};
use gephost_runner::exchange::{Exchange, Exchanges, Question};

use crate::consultant::{Consultant, random_bits};
use crate::error::AppError;
use crate::project::Project;
use crate::sink::Note;

/// What a model said about the findings.
#[derive(Debug)]
pub struct Consulted {
    /// An answer, or why there is none.
    pub outcome: Outcome,
    /// `model:` and the model's name.
    pub author: String,
    /// The time of the newest event that was read.
    pub created_at: String,
    /// What the model has cost since the consultant was made.
    pub spent: Spent,
    /// Name of the recording, if one is kept.
    pub exchange: Option<String>,
}

impl Consultant {
    /// Asks until the conversation is over, and records it. If nothing came of it, the log says why.
    pub(crate) fn consult(
        &self,
        project: &Project,
        material: Material,
        created_at: String,
    ) -> Result<Consulted, AppError> {
        let fence = Fence::new(random_bits());
        let author = self.author.clone();
        let question = Question { author, created_at, fence, limits: self.limits, spent: self.spent(), material };
        let mut exchange = Exchange::new(&question);
        let mut redactor = project.config.policy.redactor();
        let mut conversation = question.conversation();
        let outcome = loop {
            match conversation.step() {
                Step::Done(outcome) => break outcome,
                Step::Ask(request) => {
                    let reply = self.asked(&project.environment, &mut redactor, &request)?;
                    exchange.add(&request, &reply);
                    conversation.answered(&reply);
                    self.set_spent(conversation.spent());
                }
            }
        };
        exchange.set_outcome(&outcome);
        exchange.at = project.environment.now().to_string();
        let exchange = keep(project, &exchange).unwrap_or_else(|reason| {
            let text = format!("the exchange with the model is not kept: {reason}");
            project.environment.sink.note(Note::Warning(&text));
            None
        });
        let Question { author, created_at, .. } = question;
        let consulted = Consulted { outcome, author, created_at, spent: conversation.spent(), exchange };
        if let Some(no_op) = consulted.no_op() {
            let (model, exchange) = (consulted.author.clone(), consulted.exchange.clone());
            let body = EntryBody::ModelNoOp { model, no_op: no_op.kind, reason: no_op.reason.clone(), exchange };
            project.append(&body)?;
        }
        Ok(consulted)
    }
}

fn keep(project: &Project, exchange: &Exchange) -> Result<Option<String>, String> {
    project.create_state().map_err(|error| error.to_string())?;
    let keep = usize::try_from(project.config.file.recordings.keep).unwrap_or(usize::MAX);
    Exchanges::new(&project.state.exchanges()).write(exchange, keep).map_err(|error| error.to_string())
}

impl Consulted {
    /// What was answered, also if that holds no proposal.
    pub fn answer(&self) -> Option<&Answer> {
        match &self.outcome {
            Outcome::Answer(answer) | Outcome::NoOp(_, Some(answer)) => Some(answer),
            Outcome::NoOp(_, None) => None,
        }
    }

    /// Why there is no proposal.
    pub fn no_op(&self) -> Option<&NoOp> {
        match &self.outcome {
            Outcome::NoOp(no_op, _) => Some(no_op),
            Outcome::Answer(_) => None,
        }
    }

    /// Why there is what there is, in a line.
    pub fn reason(&self) -> String {
        self.no_op().map_or_else(|| "`--diagnose model`: it was asked".to_owned(), |no_op| no_op.reason.clone())
    }
}
