// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
package import LatchCore

/// Judges a generated tree: its sources and their tests together, as one module.
package struct ProjectCheck: Sendable {
    /// What came of it.
    package struct Report: Sendable, Hashable {
        /// What the compiler said.
        package let outcomes: [SwiftCheck.Outcome]
        /// What was not checked, and why; nil where everything was.
        package let gap: String?
        /// Whether nothing was found wrong, and nothing was left out that had to be checked.
        package let isValid: Bool

        package var findings: [SwiftCheck.Finding] { outcomes.flatMap(\.findings) }
        package var remarks: [String] { outcomes.flatMap(\.remarks) }
        package var fileCount: Int { outcomes.reduce(0) { $0 + $1.fileCount } }
    }

    /// How much must be checked.
    package enum Demand: Sendable, Hashable {
        /// Syntax alone.
        case syntax
        /// Types, and syntax alone where the modules are not there that the files import.
        case typesWherePossible
        /// Types; without the modules nothing is valid.
        case types
    }

    private let toolchain: SwiftToolchain?
    private let demand: Demand

    package init(_ toolchain: SwiftToolchain?, demand: Demand) {
        self.toolchain = toolchain
        self.demand = demand
    }

    /// Judges files.
    package func check(sources: [String], tests: [String]) async throws(FileFailure) -> Report {
        guard let toolchain else {
            return Report(
                outcomes: [], gap: "no Swift was checked: there is no swiftc in PATH",
                isValid: demand == .typesWherePossible)
        }
        let hasTypes = demand != .syntax && toolchain.runtime != nil
        // Tests need what they test: as files of its module they have it, whatever that is called.
        let outcome = try await SwiftCheck(toolchain)
            .check(sources + tests, depth: hasTypes ? .types : .syntax, module: Self.module(of: tests) ?? "Generated")
        let gap = hasTypes || demand == .syntax ? nil : Self.missingModules
        let isChecked = demand != .types || hasTypes
        return Report(outcomes: [outcome], gap: gap, isValid: isChecked && outcome.isValid)
    }

    /// The module that tests import to test it.
    private static func module(of tests: [String]) -> String? {
        let mark = "@testable import "
        for path in tests {
            let text = String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
            let line = text.split(separator: "\n").first { $0.hasPrefix(mark) }
            if let line { return String(line.dropFirst(mark.count).prefix { $0 != " " }) }
        }
        return nil
    }

    private static let missingModules =
        "types were not checked, only syntax: the module LatchRPC is not beside this program; "
        + "build it (swift build --target AxiomArchitecture), or name its folder with --module-path"
}
