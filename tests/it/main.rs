//! Black-box tests of gephost, and tests of the sandbox with hostile guests.

mod apply;
mod bad_input;
mod cache;
mod checkout;
mod corpus;
mod custom_gene;
mod cycle;
mod dist;
mod docs;
mod doctor;
mod door;
mod grants;
mod guests;
mod interrupt;
mod isolate;
mod languages;
mod past;
mod policy;
mod record;
mod repairs;
mod replay;
mod sandbox;
mod scan;
mod scene;
mod search;
mod versions;
