//! What an author of genes needs: the contract, new projects, the steps that build them, and the packing of what a compiler
//! wrote into a component.
//!
//! Everything here is a function of bytes and texts that it is handed. Nothing here reads or writes a file, starts a
//! program, or uses the network: the command line does.
//!
//! | module | what |
//! |---|---|
//! | [`contract`] | the WIT package that genes are written against |
//! | [`language`] | the languages, and what each needs |
//! | [`lines`] | which lines of the author's a trap can name |
//! | [`interpreter`] | languages whose code is data for an interpreter |
//! | [`recipe`] | the steps that build a project |
//! | [`project`] | the files of a new project |
//! | [`pack`] | makes a component of a module, and writes the manifest |

pub mod contract;
pub mod interpreter;
pub mod language;
pub mod lines;
pub mod pack;
pub mod project;
pub mod recipe;
mod rename;
mod sections;
