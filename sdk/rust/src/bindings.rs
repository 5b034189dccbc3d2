//! The generated bindings, one module for each world. All worlds share the types and imports of `imports`, so that
//! [`Finding`](crate::Finding) is the same type in each of them. The world `gene` needs no module: a gene of that world
//! exports both `heuristic` and `strategy`, and the linker joins their imports.
#![expect(missing_docs, clippy::pedantic, reason = "generated from wit/gene.wit, which documents each item")]

/// The imports that every gene may use.
pub mod imports {
    wit_bindgen::generate!({ path: "wit", world: "imports", additional_derives: [PartialEq] });
}

/// The world `heuristic`.
pub mod heuristic {
    wit_bindgen::generate!({
        path: "wit",
        world: "heuristic",
        pub_export_macro: true,
        export_macro_name: "export_heuristic",
        with: {
            "gephost:gene/types@0.1.2": crate::bindings::imports::gephost::gene::types,
            "gephost:gene/run-log@0.1.2": crate::bindings::imports::gephost::gene::run_log,
            "gephost:gene/workspace@0.1.2": crate::bindings::imports::gephost::gene::workspace,
            "gephost:gene/history@0.1.2": crate::bindings::imports::gephost::gene::history,
            "gephost:gene/completion@0.1.2": crate::bindings::imports::gephost::gene::completion,
            "gephost:gene/logging@0.1.2": crate::bindings::imports::gephost::gene::logging,
            "gephost:gene/settings@0.1.2": crate::bindings::imports::gephost::gene::settings,
            "gephost:gene/explanation@0.1.2": crate::bindings::imports::gephost::gene::explanation,
            "gephost:gene/coverage@0.1.2": crate::bindings::imports::gephost::gene::coverage,
        },
    });
}

/// The world `strategy`.
pub mod strategy {
    wit_bindgen::generate!({
        path: "wit",
        world: "strategy",
        pub_export_macro: true,
        export_macro_name: "export_strategy",
        with: {
            "gephost:gene/types@0.1.2": crate::bindings::imports::gephost::gene::types,
            "gephost:gene/run-log@0.1.2": crate::bindings::imports::gephost::gene::run_log,
            "gephost:gene/workspace@0.1.2": crate::bindings::imports::gephost::gene::workspace,
            "gephost:gene/history@0.1.2": crate::bindings::imports::gephost::gene::history,
            "gephost:gene/completion@0.1.2": crate::bindings::imports::gephost::gene::completion,
            "gephost:gene/logging@0.1.2": crate::bindings::imports::gephost::gene::logging,
            "gephost:gene/settings@0.1.2": crate::bindings::imports::gephost::gene::settings,
            "gephost:gene/explanation@0.1.2": crate::bindings::imports::gephost::gene::explanation,
            "gephost:gene/coverage@0.1.2": crate::bindings::imports::gephost::gene::coverage,
        },
    });
}
