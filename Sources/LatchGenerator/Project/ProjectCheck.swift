// SPDX-License-Identifier: Apache-2.0

package import LatchCore

/// Judges a generated tree: its sources as one module, and its tests as far as they can be judged without it.
package struct ProjectCheck: Sendable {
    /// What came of it.
    package struct Report: Sendable, Hashable {
        /// What the compiler said, of sources and of tests.
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
        let check = SwiftCheck(toolchain)
        let hasTypes = demand != .syntax && toolchain.runtime != nil
        var outcomes = [try await check.check(sources, depth: hasTypes ? .types : .syntax)]
        if !tests.isEmpty { outcomes.append(try await check.check(tests, depth: .syntax)) }
        let gap = hasTypes || demand == .syntax ? nil : Self.missingModules
        let isChecked = demand != .types || hasTypes
        return Report(outcomes: outcomes, gap: gap, isValid: isChecked && outcomes.allSatisfy(\.isValid))
    }

    private static let missingModules =
        "types were not checked, only syntax: the module LatchRPC is not beside this program; "
        + "build it (swift build --target AxiomArchitecture), or name its folder with --module-path"
}
