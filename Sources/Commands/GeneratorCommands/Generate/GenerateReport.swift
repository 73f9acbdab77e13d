// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchGenerator
import LatchProto

/// What a run did, for people and for scripts.
struct GenerateReport: Sendable {
    let plan: OutputPlan
    let figures: ProjectRun.Figures
    private let prepared: ProjectRun.Prepared
    let diagnostics: [Diagnostic]
    /// Whether anything was written, or was only to be shown.
    let isWritten: Bool
    var time = Duration.zero
    /// What the Swift compiler said; nil where it was not asked.
    var check: ProjectCheck.Report?

    init(_ prepared: ProjectRun.Prepared, _ diagnostics: [Diagnostic], isWritten: Bool) {
        plan = prepared.plan
        figures = prepared.figures
        self.prepared = prepared
        self.diagnostics = diagnostics
        self.isWritten = isWritten
    }

    private var milliseconds: Int { Int((time.inSeconds * 1000).rounded()) }

    /// What was done, in a line; and in lines for each file where somebody wants to know.
    func text(isVerbose: Bool) -> String {
        let changed = plan.changes.count
        let state = changed == 0 ? " (none has changed)" : ""
        var lines = [
            "Successfully generated \(figures.files) file\(figures.files == 1 ? "" : "s") in \(milliseconds) ms\(state)"
        ]
        if isVerbose {
            lines += plan.steps.map { "  \(Self.past($0.action)) \(plan.folder)/\($0.path)" }
            lines.append(
                "  .proto files \(figures.protoFiles), services \(figures.services), messages \(figures.messages), "
                    + "lines \(prepared.lineCount)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// What would be done, a line for each file that would change.
    var preview: String {
        var lines = plan.changes.map { "would \($0.action.rawValue) \(plan.folder)/\($0.path)" }
        lines += plan.refusals.map { "would refuse \(plan.folder)/\($0.path): \($0.reason.rawValue)" }
        if lines.isEmpty { lines = ["Nothing would change: \(figures.files) files are as they should be."] }
        return lines.joined(separator: "\n") + "\n"
    }

    /// How files would change, as `diff -u` shows it.
    var diff: String {
        plan.changes.map { step in
            LineDiff(
                step.old.map { String(decoding: $0, as: UTF8.self) },
                step.new
            )
            .unified(
                from: step.old == nil ? "/dev/null" : "a/\(step.path)",
                to: step.new == nil ? "/dev/null" : "b/\(step.path)")
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
    /// The same for a script.
    var json: JSONValue {
        let warnings = diagnostics.filter { $0.severity == .warning }
        var object: JSONObject = [
            "success": .bool(check?.isValid ?? true), "written": .bool(isWritten), "current": .bool(plan.isCurrent),
            "generated_files": .array(plan.steps.filter { $0.new != nil }.map { .string("\(plan.folder)/\($0.path)") }),
            "changes": .array(
                plan.changes.map { ["path": .string($0.path), "action": .string($0.action.rawValue)] }),
            "refusals": .array(
                plan.refusals.map { ["path": .string($0.path), "reason": .string($0.reason.rawValue)] }),
            "warnings": .array(warnings.map(\.json)), "stats": stats,
        ]
        if let check { object["validation"] = check.json }
        return .object(object)
    }

    private var stats: JSONValue {
        [
            "generation_time_ms": .integer(Int64(milliseconds)),
            "proto_files_processed": .integer(Int64(figures.protoFiles)),
            "services_generated": .integer(Int64(figures.services)),
            "messages_generated": .integer(Int64(figures.messages)),
            "lines_of_code_generated": .integer(Int64(prepared.lineCount)),
        ]
    }

    /// A run that came to nothing, for a script.
    static func failure(_ error: CommandError, _ diagnostics: [Diagnostic]) -> JSONObject {
        var told: JSONObject = ["code": .string(error.code), "message": .string(error.message)]
        if let hint = error.hint { told["hint"] = .string(hint) }
        return [
            "success": false, "generated_files": [], "error": .object(told),
            "diagnostics": .array(diagnostics.map(\.json)),
        ]
    }
}

extension Diagnostic {
    /// The diagnostic for a script; lines and columns are counted from one.
    var json: JSONValue {
        var object: JSONObject = [
            "severity": .string(severity.rawValue), "file": .string(file), "message": .string(message),
        ]
        if let place {
            object["line"] = .integer(Int64(place.line) + 1)
            object["column"] = .integer(Int64(place.column) + 1)
        }
        if let hint { object["hint"] = .string(hint) }
        return .object(object)
    }
}
