//! The gephost SDK for genes in Zig, on top of the SDK for C. The gene exports `gephost_propose`.

const std = @import("std");

pub const Text = extern struct {
    data: [*]const u8,
    length: usize,

    pub fn slice(self: Text) []const u8 {
        return self.data[0..self.length];
    }
};

extern fn gephost_findings() usize;
extern fn gephost_finding_id(finding: usize) Text;
extern fn gephost_finding_kind(finding: usize) Text;
extern fn gephost_finding_title(finding: usize) Text;
extern fn gephost_finding_hypothesis(finding: usize) Text;
extern fn gephost_finding_direction(finding: usize) Text;
extern fn gephost_finding_occurrences(finding: usize) u32;
extern fn gephost_finding_evidence(finding: usize) usize;
extern fn gephost_finding_line(finding: usize, evidence: usize) Text;
extern fn gephost_finding_signals(finding: usize) usize;
extern fn gephost_finding_signal(finding: usize, signal: usize) Text;
extern fn gephost_glob(pattern: [*:0]const u8, limit: u32, paths: *[*]const Text) usize;
extern fn gephost_read(path: [*:0]const u8, content: *Text) bool;
extern fn gephost_log(level: u8, data: [*]const u8, length: usize) void;
extern fn gephost_candidate(finding: usize, title: [*:0]const u8, objective: [*:0]const u8) void;
extern fn gephost_new_content(path: [*:0]const u8, data: [*]const u8, length: usize) void;
extern fn gephost_delete(path: [*:0]const u8) void;
extern fn gephost_test_to_run(command: [*:0]const u8) void;
extern fn gephost_rollback_plan(plan: [*:0]const u8) void;
extern fn gephost_risk(level: u8) void;
extern fn gephost_fail(code: [*:0]const u8, message: [*:0]const u8) void;

/// A finding of the diagnosis.
pub const Finding = struct {
    number: usize,

    pub fn id(self: Finding) []const u8 {
        return gephost_finding_id(self.number).slice();
    }

    pub fn kind(self: Finding) []const u8 {
        return gephost_finding_kind(self.number).slice();
    }

    pub fn title(self: Finding) []const u8 {
        return gephost_finding_title(self.number).slice();
    }

    pub fn hypothesis(self: Finding) []const u8 {
        return gephost_finding_hypothesis(self.number).slice();
    }

    pub fn direction(self: Finding) []const u8 {
        return gephost_finding_direction(self.number).slice();
    }

    pub fn occurrences(self: Finding) u32 {
        return gephost_finding_occurrences(self.number);
    }

    /// How many lines of evidence there are.
    pub fn lines(self: Finding) usize {
        return gephost_finding_evidence(self.number);
    }

    /// A line of the evidence.
    pub fn line(self: Finding, evidence: usize) []const u8 {
        return gephost_finding_line(self.number, evidence).slice();
    }

    pub fn raises(self: Finding, signal: []const u8) bool {
        for (0..gephost_finding_signals(self.number)) |i| {
            if (std.mem.eql(u8, gephost_finding_signal(self.number, i).slice(), signal)) return true;
        }
        return false;
    }
};

/// How many findings there are. They are numbered from the most important one.
pub fn findings() usize {
    return gephost_findings();
}

/// The paths of the files that match a glob, sorted. Each is followed by a zero byte.
pub fn glob(pattern: [*:0]const u8, limit: u32) []const Text {
    var paths: [*]const Text = undefined;
    const count = gephost_glob(pattern, limit, &paths);
    return if (count == 0) &.{} else paths[0..count];
}

/// A whole file; null if there is no such file, or if this gene may not see it.
pub fn read(path: Text) ?[]const u8 {
    var content: Text = undefined;
    return if (gephost_read(@ptrCast(path.data), &content)) content.slice() else null;
}

/// A message to the operator, who sees it with `-v`.
pub fn debug(message: []const u8) void {
    gephost_log(0, message.ptr, message.len);
}

/// A message to the operator, who sees it with `-v`.
pub fn info(message: []const u8) void {
    gephost_log(1, message.ptr, message.len);
}

/// Logs that the gene left something out.
pub fn warn(message: []const u8) void {
    gephost_log(2, message.ptr, message.len);
}

/// Logs why the gene is about to fail.
pub fn err(message: []const u8) void {
    gephost_log(3, message.ptr, message.len);
}

/// Begins a candidate for a finding, with its evidence. The functions below complete the last one. A candidate without
/// changes has the files that the gene wrote.
pub fn candidate(finding: Finding, title: [*:0]const u8, objective: [*:0]const u8) void {
    gephost_candidate(finding.number, title, objective);
}

/// A change: the whole new content of a file.
pub fn newContent(path: Text, content: []const u8) void {
    gephost_new_content(@ptrCast(path.data), content.ptr, content.len);
}

/// A change: a file to delete.
pub fn delete(path: Text) void {
    gephost_delete(@ptrCast(path.data));
}

/// A command that must succeed afterwards.
pub fn testToRun(command: [*:0]const u8) void {
    gephost_test_to_run(command);
}

/// How to undo the change.
pub fn rollbackPlan(plan: [*:0]const u8) void {
    gephost_rollback_plan(plan);
}

/// The gene's own estimate of the risk. The host computes the risk itself.
pub const Risk = enum(u8) { low, medium, high };

pub fn risk(level: Risk) void {
    gephost_risk(@intFromEnum(level));
}

/// Fails the call. `code` is a short word for programs.
pub fn fail(code: [*:0]const u8, message: [*:0]const u8) void {
    gephost_fail(code, message);
}

/// Logs the message of a panic and traps; gephost names the author's line. The handler of the standard library reads debug
/// information, which takes the compiler longer than the gene itself. Use it as `pub const panic = gephost.panic;`.
pub const panic = std.debug.FullPanic(struct {
    fn call(message: []const u8, _: ?usize) noreturn {
        err(message);
        @trap();
    }
}.call);
