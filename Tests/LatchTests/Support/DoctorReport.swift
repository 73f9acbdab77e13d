// SPDX-License-Identifier: Apache-2.0

import LatchCore

@testable import latch

/// The findings of `latch admin doctor`, with its ending and all that it printed.
struct DoctorReport {
    let outcome: BuiltProgram.Outcome
    let findings: [JSONValue]

    private init(_ outcome: BuiltProgram.Outcome) throws {
        self.outcome = outcome
        findings = try JSONValue(parsing: outcome.output.joined())["findings"]?.arrayValue ?? []
    }

    var printed: String { (outcome.output + outcome.error).joined(separator: "\n") }

    /// The subjects of the checks that failed.
    var failures: Set<String> { subjects { $0["fine"] == false } }
    var warnings: Set<String> { subjects { $0["warning"] == true } }

    func says(_ subject: String, _ text: String) -> Bool {
        findings.contains { $0["subject"]?.stringValue == subject && $0["says"]?.stringValue?.contains(text) == true }
    }

    private func subjects(_ isIncluded: (JSONValue) -> Bool) -> Set<String> {
        Set(findings.filter(isIncluded).compactMap { $0["subject"]?.stringValue })
    }

    /// Runs the command.
    static func of(
        _ home: CommandHome, _ arguments: [String] = [], _ environment: [String: String] = [:]
    ) async throws -> DoctorReport {
        let call = try home.start(["admin", "doctor", "--json"] + arguments, environment: environment)
        return try DoctorReport(await call.outcome())
    }
}
