// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
package import LatchCore
package import LatchProcess

/// Has the Swift compiler judge generated files: all of a module together, as a build would.
package struct SwiftCheck: Sendable {
    /// How far the compiler goes.
    package enum Depth: String, Sendable, Hashable {
        /// Whether the files are Swift at all.
        case syntax
        /// Whether all types fit, in the language mode of Swift 6.
        case types
    }

    /// What the compiler says of one place.
    package struct Finding: Sendable, Hashable {
        package let path: String
        package let line: Int
        package let column: Int
        package let isError: Bool
        package let message: String
    }

    /// What came of a check.
    package struct Outcome: Sendable, Hashable {
        /// How far it went.
        package let depth: Depth
        /// How many files were looked at.
        package let fileCount: Int
        package let findings: [Finding]
        /// What the compiler says that is about no place, such as that it found no module.
        package let remarks: [String]
        /// Whether the compiler took the files.
        package let isValid: Bool
    }

    private let toolchain: SwiftToolchain

    package init(_ toolchain: SwiftToolchain) { self.toolchain = toolchain }

    /// Judges files as one module.
    ///
    /// - Parameters:
    ///   - depth: How far to go; types need the modules that the files import.
    ///   - module: The name of the module.
    package func check(
        _ files: [String], depth: Depth, module: String = "Generated"
    ) async throws(FileFailure) -> Outcome {
        guard !files.isEmpty else {
            return Outcome(depth: depth, fileCount: 0, findings: [], remarks: [], isValid: true)
        }
        var arguments = ["-swift-version", "6", "-no-color-diagnostics", "-module-name", module]
        arguments += depth == .types ? ["-typecheck"] + (toolchain.runtime?.flags ?? []) : ["-parse"]
        // One file alone would be taken for a script.
        arguments += ["-parse-as-library"] + files.map(Self.spelled)
        let (ending, output) = try await ChildProcess.run(toolchain.compiler, arguments, errors: .joined)
        let (findings, remarks) = Self.read(String(decoding: output, as: UTF8.self))
        return Outcome(
            depth: depth, fileCount: files.count, findings: findings, remarks: remarks, isValid: ending == .exited(0))
    }

    /// A path that cannot be taken for a flag.
    private static func spelled(_ path: String) -> String { path.hasPrefix("-") ? "./" + path : path }

    /// `path:line:column: error: what`; the lines of source below it are left out.
    private static func read(_ text: String) -> (findings: [Finding], remarks: [String]) {
        var (findings, remarks) = ([Finding](), [String]())
        var seen: Set<Finding> = []
        for line in text.split(separator: "\n") {
            for (mark, isError) in [(": error: ", true), (": warning: ", false)] {
                guard let range = line.firstRange(of: mark), !line.hasPrefix(" ") else { continue }
                let message = String(line[range.upperBound...])
                // Tests are judged as files of the module that they import.
                if message.hasSuffix("ignoring import") { continue }
                let head = line[..<range.lowerBound].split(separator: ":", omittingEmptySubsequences: false)
                if head.count >= 3, let column = Int(head[head.count - 1]), let row = Int(head[head.count - 2]) {
                    let path = head.dropLast(2).joined(separator: ":")
                    let finding = Finding(path: path, line: row, column: column, isError: isError, message: message)
                    if seen.insert(finding).inserted { findings.append(finding) }
                } else if isError, !remarks.contains(message) {
                    remarks.append(message)
                }
            }
        }
        return (findings, remarks)
    }
}

extension SwiftCheck.Finding {
    /// What it is about, for those who read many of them.
    package var category: String {
        let text = message.lowercased()
        if text.contains("no such module") || text.contains("missing required module") || text.contains("import ") {
            return "Imports"
        }
        if text.contains("sendable") || text.contains("actor") || text.contains("concurren")
            || text.contains("data race")
        {
            return "Concurrency"
        }
        if text.contains("expected") || text.contains("unterminated") || text.contains("consecutive statements")
            || text.contains("extraneous")
        {
            return "Syntax"
        }
        if text.contains("private") || text.contains("internal") || text.contains("inaccessible") {
            return "Access Control"
        }
        return "Types"
    }
}

extension SwiftCheck {
    /// The Swift files at a path, in the order of their names; those in folders named `Tests` apart.
    package static func files(at path: String) throws(GeneratorError) -> (sources: [String], tests: [String]) {
        let found = try FilesBelow.find(path, suffix: ".swift")
        let (sources, tests) = (found.filter { !isTest($0) }, found.filter(isTest))
        return (sources, tests)
    }

    private static func isTest(_ path: String) -> Bool { path.split(separator: "/").dropLast().contains("Tests") }
}
