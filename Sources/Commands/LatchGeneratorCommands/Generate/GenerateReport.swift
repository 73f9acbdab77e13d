// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchGenerator
import LatchProtoCompiler

/// The report of a run, as text and as JSON.
struct GenerateReport: Sendable {
    let prepared: ProjectRun.Prepared
    let diagnostics: [Diagnostic]
    /// Whether the files were written, or only shown.
    let isWritten: Bool
    var time = Duration.zero
    /// The result of the compiler check; nil if it did not run.
    var check: ProjectCheck.Report?

    var plan: OutputPlan { prepared.plan }
    private var statistics: ProjectRun.Statistics { prepared.statistics }
    private var milliseconds: Int { Int((time.inSeconds * 1000).rounded()) }

    /// Returns the result as one line; if verbose, also one line for each file.
    func text(isVerbose: Bool) -> String {
        let changed = plan.changes.count
        let state = changed == 0 ? " (none has changed)" : ""
        var lines = [
            "Successfully generated \(statistics.files.counted("file")) in \(milliseconds) ms\(state)"
        ]
        if isVerbose {
            lines += plan.steps.map { "  \(Self.past($0.action)) \(shown($0.path))" }
            lines.append(
                "  .proto files \(statistics.protoFiles), services \(statistics.services), messages \(statistics.messages), "
                    + "lines \(prepared.lineCount)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The planned changes, with a line for each file.
    var preview: String {
        var lines = plan.changes.map { "would \($0.action.rawValue) \(shown($0.path))" }
        lines += plan.conflicts.map { "would refuse \(shown($0.path)): \($0.reason.rawValue)" }
        if lines.isEmpty {
            let files = statistics.files.counted("file")
            lines = ["Nothing would change: \(files) \(statistics.files == 1 ? "is as it" : "are as they") should be."]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the path of a file in a form that is safe on a terminal.
    private func shown(_ path: String) -> String { "\(plan.folder)/\(path)".printable }

    /// The planned changes in the format of `diff -u`, without the files' control characters.
    var diff: String {
        plan.changes.map { step in
            UnifiedDiff(step.old.map { String(decoding: $0, as: UTF8.self) }, step.new).unified(
                from: step.old == nil ? "/dev/null" : "a/\(step.path.printable)",
                to: step.new == nil ? "/dev/null" : "b/\(step.path.printable)"
            ).printableLines
        }.joined()
    }

    private static func past(_ action: OutputPlan.Action) -> String {
        switch action {
        case .create: "created  "
        case .update: "updated  "
        case .keep: "unchanged"
        case .remove: "removed  "
        }
    }
}

extension GenerateReport {
    /// The report as JSON.
    var json: JSONValue {
        let warnings = diagnostics.filter { $0.severity == .warning }
        var object: JSONObject = [
            "success": .bool(check?.isValid ?? true), "written": .bool(isWritten), "current": .bool(plan.isCurrent),
            "generated_files": .array(plan.steps.filter { $0.new != nil }.map { .string("\(plan.folder)/\($0.path)") }),
            "changes": .array(
                plan.changes.map { ["path": .string($0.path), "action": .string($0.action.rawValue)] }),
            "refusals": .array(
                plan.conflicts.map { ["path": .string($0.path), "reason": .string($0.reason.rawValue)] }),
            "warnings": .array(warnings.map(\.json)), "stats": stats,
        ]
        if let check { object["validation"] = check.json }
        return .object(object)
    }

    private var stats: JSONValue {
        [
            "generation_time_ms": .integer(Int64(milliseconds)),
            "proto_files_processed": .integer(Int64(statistics.protoFiles)),
            "services_generated": .integer(Int64(statistics.services)),
            "messages_generated": .integer(Int64(statistics.messages)),
            "lines_of_code_generated": .integer(Int64(prepared.lineCount)),
        ]
    }

    /// Returns a failed run as JSON.
    static func failure(_ error: CommandError, _ diagnostics: [Diagnostic]) -> JSONObject {
        var failure: JSONObject = ["code": .string(error.code), "message": .string(error.message)]
        if let hint = error.hint { failure["hint"] = .string(hint) }
        return [
            "success": false, "generated_files": [], "error": .object(failure),
            "diagnostics": .array(diagnostics.map(\.json)),
        ]
    }
}

extension Diagnostic {
    /// The diagnostic as JSON; lines and columns are counted from one.
    var json: JSONValue {
        var object: JSONObject = [
            "severity": .string(severity.rawValue), "file": .string(file), "message": .string(message),
        ]
        if let position {
            object["line"] = .integer(Int64(position.line) + 1)
            object["column"] = .integer(Int64(position.column) + 1)
        }
        if let hint { object["hint"] = .string(hint) }
        return .object(object)
    }
}
