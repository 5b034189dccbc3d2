//! Makes shell scripts call python3 if there is no python.

const std = @import("std");
const gephost = @import("gephost/gephost.zig");

// The instance ends with the call, so nothing is freed.
const allocator = std.heap.wasm_allocator;

pub const panic = gephost.panic;

export fn gephost_propose() void {
    for (0..gephost.findings()) |number| {
        const finding = gephost.Finding{ .number = number };
        if (isOurs(finding)) return proposeFor(finding) catch @panic("out of memory");
    }
}

fn isOurs(finding: gephost.Finding) bool {
    return finding.raises("missing_program") and std.mem.indexOf(u8, finding.title(), "`python`") != null;
}

fn proposeFor(finding: gephost.Finding) !void {
    var changed: usize = 0;
    for (gephost.glob("**/*.sh", 1000)) |path| {
        const script = gephost.read(path) orelse continue;
        const repaired = try repair(script);
        if (repaired.len == script.len) continue;
        if (changed == 0) {
            gephost.candidate(finding, "Call python3 in shell scripts", "The scripts run where python is only python3");
        }
        gephost.newContent(path, repaired);
        changed += 1;
    }
    gephost.info(try std.fmt.allocPrint(allocator, "scripts that call python: {d}", .{changed}));
}

/// The script with python3 for each python that begins a line.
fn repair(script: []const u8) ![]const u8 {
    var copy: std.ArrayList(u8) = .empty;
    var lines = std.mem.splitScalar(u8, script, '\n');
    while (lines.next()) |line| {
        const word = std.mem.trimStart(u8, line, " \t");
        if (std.mem.startsWith(u8, word, "python ")) {
            const begin = line.len - word.len + "python".len;
            try copy.appendSlice(allocator, line[0..begin]);
            try copy.append(allocator, '3');
            try copy.appendSlice(allocator, line[begin..]);
        } else {
            try copy.appendSlice(allocator, line);
        }
        if (lines.peek() != null) try copy.append(allocator, '\n');
    }
    return copy.items;
}
