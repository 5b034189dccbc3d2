//! Black-box tests of gephost, and tests of the sandbox with hostile guests.

mod apply;
mod bad_input;
mod cache;
mod corpus;
mod custom_gene;
mod cycle;
mod dist;
mod docs;
mod guests;
mod interrupt;
mod past;
mod record;
mod repairs;
mod sandbox;
mod scene;
