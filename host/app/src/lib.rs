//! The application: an open [`Project`], and the use cases over it.
//!
//! This crate ties `gephost-core` (decisions), `gephost-runner` (effects) and `gephost-model` together. It prints
//! nothing, reads neither the environment nor the clock, knows no command line and no exit code: it takes plain values
//! and an [`Environment`], and gives typed results and an [`AppError`].
//!
//! | use case | what it does |
//! |---|---|
//! | [`Project::diagnose`], [`Project::select`], [`Project::propose`] | a cycle as far as that stage ([`cycle`]) |
//! | [`Project::run`] | a whole cycle ([`run`]) |
//! | [`Project::apply`] | applies a saved proposal ([`apply`]) |
//! | [`Project::autopilot`] | cycles until there is a reason to stop ([`autopilot`]) |
//! | [`Project::approve`], [`Project::reject`] | what a person says to waiting proposals ([`approvals`]) |
//! | [`Project::rollback`], [`Project::undo`] | takes published changes back ([`rollback`]) |
//! | [`Project::first_config`] | the config that fits a project without one ([`init`]) |
//! | [`Project::discover`] | which sessions of agents are the project's own ([`sessions`]) |
//! | [`Project::make_checkpoint`], [`Project::compare_checkpoint`], [`Project::prove_entry`] | what others can check of the log ([`checkpoints`]) |
//! | [`Project::list_assets`], [`Project::export_assets`], [`Project::import_assets`] | the assets folder ([`assets`]) |
//! | [`Project::publish`], [`Project::fetch_assets`], [`Project::sync`], [`a2a::Node`] | shares assets over a hub ([`a2a`]) |
//! | [`Project::distill`] | a draft of a gene from capsules that held ([`distill`]) |
//! | [`vouching::sign_gene`], [`Project::vouching`] | who vouches for gene files ([`vouching`]) |
//! | [`Project::add_gene`], [`Project::pull_gene`], [`Project::push_gene`] | components from elsewhere ([`components`]) |
//! | [`authoring`] | begins, builds, packs, checks and tests a gene |
//! | [`Project::report`], [`Project::story`], [`Project::status`] | what happened, and what is going on |
//!
//! `examples/embed` runs a cycle from another program.

pub mod a2a;
pub mod apply;
pub mod approvals;
pub mod assets;
pub mod authoring;
pub mod autopilot;
pub mod backtest;
mod brought;
pub mod checkpoints;
mod commands;
pub mod components;
pub mod consult;
mod consultant;
mod contents;
mod counted_config;
pub mod cycle;
mod deadline;
pub mod distill;
mod environment;
mod error;
pub mod evidence;
pub mod files;
pub mod gene_call;
pub mod gene_file;
pub mod gene_ids;
pub mod gene_list;
pub mod genes;
pub mod hub;
pub mod impact;
pub mod init;
pub mod land;
mod model_access;
pub mod observe;
mod operation;
pub mod past;
mod project;
mod proposals;
pub mod report;
pub mod rollback;
pub mod run;
pub mod search_record;
mod serve;
pub mod sessions;
mod sink;
pub mod stages;
mod states;
pub mod status;
mod stops;
pub mod text_genes;
mod traces;
pub mod trust;
pub mod vouching;

pub use environment::{Environment, Program};
pub use error::{AppError, COMPILE_BUDGET, ErrorKind};
pub use project::{Project, base, base_at, head, log_failed};
pub use serve::serve;
pub use sink::{Note, Silent, Sink};
pub use states::{list_states, remove_state};
pub use stops::{KillSwitch, StopSign};
