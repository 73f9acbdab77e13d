// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import PortableFoundation

/// A compiler check of a generated project: its sources and tests together, as one module.
package struct ProjectCheck: Sendable {
    /// The result of a check.
    package struct Report: Sendable, Hashable {
        /// The results of the compiler runs.
        package let results: [SwiftCheck.Result]
        /// The explanation of a skipped check; nil for a complete one.
        package let gap: String?
        /// Whether there are no errors, and no required check was skipped.
        package let isValid: Bool

        package var findings: [SwiftCheck.Finding] { results.flatMap(\.findings) }
        package var remarks: [String] { results.flatMap(\.remarks) }
        package var fileCount: Int { results.reduce(0) { $0 + $1.fileCount } }
    }

    /// The required depth of a check.
    package enum Requirement: Sendable, Hashable {
        /// Syntax only.
        case syntax
        /// Types, or syntax only where the imported modules are missing.
        case typesWherePossible
        /// Types; missing modules are an error.
        case types
    }

    private let toolchain: SwiftToolchain?
    private let requirement: Requirement

    package init(_ toolchain: SwiftToolchain?, requirement: Requirement) {
        self.toolchain = toolchain
        self.requirement = requirement
    }

    /// Checks files.
    package func check(sources: [String], tests: [String]) async throws(FileError) -> Report {
        guard let toolchain else {
            return Report(
                results: [], gap: "Swift was not checked: there is no swiftc in PATH",
                isValid: requirement == .typesWherePossible)
        }
        let hasTypes = requirement != .syntax && toolchain.runtime != nil
        // Tests are compiled as files of the module that they import.
        let result = try await SwiftCheck(toolchain)
            .check(sources + tests, depth: hasTypes ? .types : .syntax, module: Self.module(of: tests) ?? "Generated")
        let gap = hasTypes || requirement == .syntax ? nil : Self.missingModules
        let isChecked = requirement != .types || hasTypes
        return Report(results: [result], gap: gap, isValid: isChecked && result.isValid)
    }

    /// Checks the Swift files that a plan has written, of which types only where that is possible.
    package static func check(
        _ plan: OutputPlan, _ settings: GeneratorSettings, _ toolchain: SwiftToolchain?
    ) async throws -> Report {
        let isSyntaxOnly = try settings.flag(.skipCompilation) ?? false
        let (sources, tests) = try SwiftCheck.files(at: plan.folder)
        let written = Set(plan.steps.filter { $0.new != nil }.map { "\(plan.folder)/\($0.path)" })
        return try await ProjectCheck(toolchain, requirement: isSyntaxOnly ? .syntax : .typesWherePossible)
            .check(sources: sources.filter(written.contains), tests: tests.filter(written.contains))
    }

    /// Returns the module that tests import with `@testable`.
    private static func module(of tests: [String]) -> String? {
        let prefix = "@testable import "
        for path in tests {
            let text = String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
            let line = text.split(separator: "\n").first { $0.hasPrefix(prefix) }
            if let line { return String(line.dropFirst(prefix.count).prefix { $0 != " " }) }
        }
        return nil
    }

    private static let missingModules =
        "types were not checked, only syntax: the module LatchRPC is not next to this program; "
        + "build it (swift build --target AxiomArchitecture), or give its folder with --module-path"
}
