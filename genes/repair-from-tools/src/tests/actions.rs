//! What the hosted runner of GitHub says about workflows.

use super::cases::{candidates, repaired};

const PATH: &str = ".github/workflows/ci.yml";

fn workflow(step: &str) -> String {
    format!("on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      {step}\n")
}

#[test]
fn deprecated_versions_are_replaced() {
    for (step, output, expected) in [
        (
            "- uses: actions/upload-artifact@v3",
            "Error: This request has been automatically failed because it uses a deprecated version of `actions/upload-artifact: v3`. Learn more: https://github.blog/x",
            "- uses: actions/upload-artifact@v4",
        ),
        (
            "- uses: actions/cache@v2.1.7",
            "##[error]This request has been automatically failed because it uses a deprecated version of `actions/cache: v2`.",
            "- uses: actions/cache@v4",
        ),
        (
            "- uses: \"actions/checkout@v3\" # pinned",
            "Node.js 16 actions are deprecated. Please update the following actions to use Node.js 20: actions/checkout@v3, actions/unknown@v1. For more information see: https://github.blog/x.",
            "- uses: \"actions/checkout@v4\" # pinned",
        ),
        (
            "- run: echo \"::set-output name=tag::${{ github.ref }}\"",
            "The `set-output` command is deprecated and will be disabled soon.",
            "- run: echo \"tag=${{ github.ref }}\" >> \"$GITHUB_OUTPUT\"",
        ),
    ] {
        let found = repaired("gh run view --log", output, &[(PATH, &workflow(step))]);
        assert_eq!(found, Some(workflow(expected)), "{output}");
    }
}

#[test]
fn what_is_not_sure_is_left_alone() {
    let complaint = "it uses a deprecated version of `actions/upload-artifact: v3`.";
    for (step, output) in [
        ("- uses: actions/upload-artifact@0123456789abcdef # v3", complaint),
        ("- uses: actions/upload-artifact@v4", complaint),
        ("- uses: actions/upload-artifact@v3\n      - uses: actions/upload-artifact@v3", complaint),
        ("- uses: evil/action@v1", "it uses a deprecated version of `evil/action: v1`."),
        ("- uses: actions/checkout@v3", "all fine"),
        ("- run: echo \"::set-output name=a::b\" | tee x", "The `set-output` command is deprecated"),
        ("- run: print(\"::set-output name=a::b\")", "The `set-output` command is deprecated"),
    ] {
        assert!(candidates("gh run view --log", output, &[(PATH, &workflow(step))]).is_empty(), "{step}");
    }
}
