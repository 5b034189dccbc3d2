//! Sharing over GEP-A2A: the command line against the real hub, and the hub against plain HTTP.

mod components;
mod conformance;
mod faults;
mod faulty_network;
mod folders;
mod nodes;
mod openapi;
mod others;
