//! Notes the most important failure in docs/known-failures.md, where the agent reads it in its next session.

const std = @import("std");
const gephost = @import("gephost/gephost.zig");

const notes_file = "docs/known-failures.md";

// The instance ends with the call, so nothing is freed.
const allocator = std.heap.wasm_allocator;

pub const panic = gephost.panic;

export fn gephost_propose() void {
    if (gephost.findings() == 0) return;
    proposeFor(.{ .number = 0 }) catch |problem| gephost.fail("failed", @errorName(problem));
}

fn proposeFor(finding: gephost.Finding) !void {
    var threaded: std.Io.Threaded = .init_single_threaded;
    const io = threaded.io();
    const workspace = std.Io.Dir.cwd();
    const notes = workspace.readFileAlloc(io, notes_file, allocator, .limited(4 << 20)) catch |problem| switch (problem) {
        error.FileNotFound => heading: {
            try workspace.createDirPath(io, "docs");
            break :heading "# Known failures\n";
        },
        else => return problem,
    };
    const note = try std.fmt.allocPrint(allocator, "\n- {s}: {s}\n", .{ finding.title(), finding.direction() });
    if (std.mem.indexOf(u8, notes, note) != null) return;
    const text = try std.mem.concat(allocator, u8, &.{ notes, note });
    try workspace.writeFile(io, .{ .sub_path = notes_file, .data = text });
    gephost.info(try std.fmt.allocPrint(allocator, "noted: {s}", .{finding.id()}));
    gephost.candidate(finding, "Write down the most important failure", "The agent reads about the failure before it happens again");
}
