//! One suite for every queue: the promises of `JobQueue`, kept in memory, in PostgreSQL and in NATS JetStream.
//!
//! The suite starts the servers itself, on loopback and in a temporary folder. A server that is not installed is reported,
//! and its tests are skipped.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test that panics fails; the suite starts servers and workers as processes, and waits for leases to end"
)]

mod backend;
mod cases;
mod child;
mod model;
mod own_servers;
mod remote;
mod servers;

/// Runs each case on each queue.
macro_rules! suite {
    ($($case:ident)*) => {
        mod local {
            $(#[test] fn $case() { crate::cases::$case(&crate::backend::Local); })*
        }
        mod postgres {
            $(#[test] fn $case() { crate::servers::with_postgres(|server| crate::cases::$case(server)); })*
        }
        mod nats {
            $(#[test] fn $case() { crate::servers::with_nats(|server| crate::cases::$case(server)); })*
        }
    };
}

suite! {
    a_key_is_added_once
    the_oldest_job_is_leased_first
    two_workers_never_hold_one_job
    the_job_of_a_lost_worker_goes_to_another
    an_extended_lease_holds
    the_first_result_stands
    a_poison_job_is_given_up_with_its_last_reason
    a_job_lost_in_its_last_attempt_is_given_up
    a_full_queue_accepts_again_after_an_end
    blobs_are_kept_as_they_were_stored_first
    ends_survive_a_new_connection
    any_key_and_large_bytes_are_kept_exactly
    what_no_queue_could_keep_is_refused
    many_workers_do_each_job_once
}

/// Runs each case on each queue that other machines reach.
macro_rules! remote_suite {
    ($($case:ident)*) => {
        mod remote_postgres {
            $(#[test] fn $case() { crate::servers::with_postgres(crate::remote::$case); })*
        }
        mod remote_nats {
            $(#[test] fn $case() { crate::servers::with_nats(crate::remote::$case); })*
        }
    };
}

remote_suite! {
    the_job_of_a_killed_process_goes_to_another
    no_worker_clock_matters
    other_bounds_are_refused
    a_wrong_password_is_refused_and_not_shown
    all_first_handles_make_one_queue
}
