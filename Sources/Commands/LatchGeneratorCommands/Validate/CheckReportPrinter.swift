// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchGenerator

/// A printer of a compiler check's report.
struct CheckReportPrinter {
    /// The maximum number of shown errors, unless the report is detailed.
    private static let maximum = 5

    let report: ProjectCheck.Report
    let isDetailed: Bool
    var isCategorized = false

    /// Writes the verdict to standard output, and the findings to standard error.
    func write(to shell: Environment) {
        let errors = report.findings.filter(\.isError)
        let warnings = report.findings.filter { !$0.isError }
        for remark in report.remarks { shell.error.line("error: \(remark.printable)") }
        if isCategorized {
            writeGroups(errors, suffix: "", to: shell)
            writeGroups(warnings, suffix: " (Warnings)", to: shell)
        } else {
            for finding in isDetailed ? errors + warnings : Array(errors.prefix(Self.maximum)) {
                shell.error.line(finding.description.printable)
            }
            if !isDetailed, errors.count > Self.maximum {
                shell.error.line("… and \((errors.count - Self.maximum).counted("more error"))")
            }
        }
        if let gap = report.gap { shell.error.line("\(shell.name): \(gap.printable)") }
        let depth = report.results.contains { $0.depth == .types } ? "type-checked" : "parsed"
        let verdict = report.isValid ? "valid" : "not valid"
        shell.output.line(
            "Swift: \(report.fileCount.counted("file")) \(depth), "
                + "\((errors.count + report.remarks.count).counted("error")), "
                + "\(warnings.count.counted("warning")): \(verdict)")
    }

    private func writeGroups(_ findings: [SwiftCheck.Finding], suffix: String, to shell: Environment) {
        let groups = Dictionary(grouping: findings, by: \.category)
        for (category, members) in groups.sorted(by: { $0.key < $1.key }) {
            shell.error.line("\(category)\(suffix): \(members.count)")
            for finding in isDetailed ? members : Array(members.prefix(Self.maximum)) {
                shell.error.line("  " + finding.description.printable)
            }
        }
    }
}

extension ProjectCheck.Report {
    /// The report as JSON.
    var json: JSONValue {
        let errors = findings.filter(\.isError)
        var object: JSONObject = [
            "all_valid": .bool(isValid), "files_validated": .integer(Int64(fileCount)),
            "total_errors": .integer(Int64(errors.count + remarks.count)),
            "total_warnings": .integer(Int64(findings.count - errors.count)),
            "types_checked": .bool(results.contains { $0.depth == .types }),
            "findings": .array(findings.map(\.json)), "remarks": .array(remarks.map { .string($0) }),
        ]
        if let gap { object["gap"] = .string(gap) }
        return .object(object)
    }
}

extension SwiftCheck.Finding {
    private var severity: String { isError ? "error" : "warning" }

    /// The finding in the compiler's format.
    var description: String { "\(path):\(line):\(column): \(severity): \(message)" }

    fileprivate var json: JSONValue {
        [
            "severity": .string(severity), "file": .string(path), "line": .integer(Int64(line)),
            "column": .integer(Int64(column)), "message": .string(message), "category": .string(category),
        ]
    }
}
