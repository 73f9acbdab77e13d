// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchFoundation

/// A compiler check of a generated project: its sources and tests together, as one module.
package struct ProjectCheck: Sendable {
    /// The result of a check.
    package struct Report: Sendable, Hashable {
        /// The results of the compiler runs.
        package let results: [SwiftCheck.Result]
        /// The explanation of a skipped check; nil for a complete one.
        package let gap: String?
        /// Whether the check found no errors and skipped no required part.
        package let isValid: Bool

        package var findings: [SwiftCheck.Finding] { results.flatMap(\.findings) }
        package var remarks: [String] { results.flatMap(\.remarks) }
        package var fileCount: Int { results.reduce(0) { $0 + $1.fileCount } }
    }

    /// The required depth of a check.
    package enum Requirement: Sendable, Hashable {
        /// Only the syntax.
        case syntax
        /// Types, or only the syntax if imported modules are missing.
        case typesWherePossible
        /// Types; a missing module is an error.
        case types
    }

    private let toolchain: SwiftToolchain?
    private let requirement: Requirement

    package init(_ toolchain: SwiftToolchain?, requirement: Requirement) {
        self.toolchain = toolchain
        self.requirement = requirement
    }

    package func check(sources: [String], tests: [String]) async throws(FileError) -> Report {
        guard let toolchain else {
            return Report(
                results: [], gap: "Swift was not checked: there is no swiftc in PATH",
                isValid: requirement == .typesWherePossible)
        }
        let missing = requirement == .syntax ? nil : Self.missingModule(of: sources + tests, in: toolchain.runtime)
        let hasTypes = requirement != .syntax && missing == nil
        // Tests are compiled as files of the module that they import.
        let result = try await SwiftCheck(toolchain)
            .check(sources + tests, depth: hasTypes ? .types : .syntax, module: Self.module(of: tests) ?? "Generated")
        let gap = missing.map { name in
            "types were not checked, only syntax: the module \(name) is not next to this program; "
                + "build it (swift build --target AxiomArchitecture), or give its folder with --module-path"
        }
        let isChecked = requirement != .types || hasTypes
        return Report(results: [result], gap: gap, isValid: isChecked && result.isValid)
    }

    /// Checks the Swift files that a plan has written, including types if possible.
    package static func check(
        _ plan: OutputPlan, _ settings: GeneratorSettings, _ toolchain: SwiftToolchain?
    ) async throws -> Report {
        let isSyntaxOnly = try settings.flag(.skipCompilation) ?? false
        let (sources, tests) = try SwiftCheck.files(at: plan.folder)
        let written = Set(plan.steps.filter { $0.new != nil }.map { "\(plan.folder)/\($0.path)" })
        return try await ProjectCheck(toolchain, requirement: isSyntaxOnly ? .syntax : .typesWherePossible)
            .check(sources: sources.filter(written.contains), tests: tests.filter(written.contains))
    }

    /// Returns the first 64 KiB of a file, which contain the imports of a generated file.
    ///
    /// An unreadable file counts as empty; the compiler reports it.
    private static func beginning(of path: String) -> String {
        do throws(FileError) {
            return String(decoding: try AtomicFile(path).read(atMost: 64 << 10) ?? [], as: UTF8.self)
        } catch {
            return ""
        }
    }

    /// Returns the module that tests import with `@testable`.
    private static func module(of tests: [String]) -> String? {
        let prefix = "@testable import "
        for path in tests {
            let text = beginning(of: path)
            let line = text.split(separator: "\n").first { $0.hasPrefix(prefix) }
            let name = line?.dropFirst(prefix.count).prefix { $0 != " " } ?? ""
            // The driver would read `@file` as a file of flags.
            if SwiftNames.isPlainIdentifier(name) { return String(name) }
        }
        return nil
    }

    /// Returns the first runtime module that a file imports but that is not built; nil if there is none.
    private static func missingModule(of files: [String], in runtime: RuntimeModules?) -> String? {
        guard let runtime else { return "LatchRPC" }
        for path in files {
            let text = beginning(of: path)
            for line in text.split(separator: "\n") {
                let words = line.split(separator: " ")
                guard let index = words.firstIndex(of: "import"), index <= 1, words.count > index + 1 else { continue }
                let name = String(words[index + 1])
                if RuntimeModules.names.contains(name), !runtime.has(name) { return name }
            }
        }
        return nil
    }
}
