// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchFoundation
import LatchProcess
import LatchProtoCompiler

/// A check of generated files by the Swift compiler, with all files of a module together.
package struct SwiftCheck: Sendable {
    /// The depth of a check.
    package enum Depth: String, Sendable, Hashable {
        /// Only the syntax.
        case syntax
        /// Types, in the Swift 6 language mode.
        case types
    }

    /// A diagnostic of the compiler.
    package struct Finding: Sendable, Hashable {
        package let path: String
        package let line: Int
        package let column: Int
        package let isError: Bool
        package let message: String
    }

    /// The result of a check.
    package struct Result: Sendable, Hashable {
        /// The depth of the check.
        package let depth: Depth
        /// The number of checked files.
        package let fileCount: Int
        package let findings: [Finding]
        /// The errors without a location, such as a missing module.
        package let remarks: [String]
        /// Whether the compiler accepted the files.
        package let isValid: Bool
    }

    private let toolchain: SwiftToolchain
    private let deadline: Duration

    /// - Parameter deadline: The time limit of the compiler.
    package init(_ toolchain: SwiftToolchain, deadline: Duration = ChildProcess.compilerDeadline) {
        self.toolchain = toolchain
        self.deadline = deadline
    }

    /// Checks files as one module.
    ///
    /// - Parameters:
    ///   - depth: The depth of the check; `types` needs the imported modules.
    ///   - module: The name of the module.
    package func check(
        _ files: [String], depth: Depth, module: String = "Generated"
    ) async throws(FileError) -> Result {
        guard !files.isEmpty else {
            return Result(depth: depth, fileCount: 0, findings: [], remarks: [], isValid: true)
        }
        var arguments = ["-swift-version", "6", "-no-color-diagnostics", "-module-name", module]
        arguments += depth == .types ? ["-typecheck"] + (toolchain.runtime?.flags ?? []) : ["-parse"]
        // Without the flag, a single file would be compiled as a script.
        arguments += ["-parse-as-library"] + files.map(Self.argument)
        let run = try await ChildProcess.runCompiler(toolchain.compiler, arguments, deadline: deadline)
        guard let (ending, output) = run else {
            let remark = "\(toolchain.compiler) had not ended after \(deadline.inSeconds) seconds, and was ended"
            return Result(depth: depth, fileCount: files.count, findings: [], remarks: [remark], isValid: false)
        }
        let (findings, remarks) = Self.parse(String(decoding: output, as: UTF8.self))
        return Result(
            depth: depth, fileCount: files.count, findings: findings, remarks: remarks, isValid: ending == .exited(0))
    }

    /// Returns an absolute path, which the compiler cannot mistake for a flag or a file of flags (`@flags`), even when
    /// it shortens it.
    private static func argument(_ path: String) -> String {
        path.utf8.first == UInt8(ascii: "/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }

    /// Parses lines such as `path:line:column: error: message`, and skips the source lines below them.
    private static func parse(_ text: String) -> (findings: [Finding], remarks: [String]) {
        var (findings, remarks, seen) = ([Finding](), [String](), Set<Finding>())
        for line in text.split(separator: "\n") {
            for (marker, isError) in [(": error: ", true), (": warning: ", false)] {
                // The driver's error does not name a program: "error: filename "a.swift" used twice: …".
                if isError, line.hasPrefix("error: ") {
                    let message = String(line.dropFirst("error: ".count))
                    if !remarks.contains(message) { remarks.append(message) }
                    continue
                }
                guard let range = line.firstRange(of: marker), !line.hasPrefix(" ") else { continue }
                let message = String(line[range.upperBound...])
                // Tests are compiled as files of the module that they import.
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
    /// The category of the diagnostic.
    package var category: String {
        let text = message.lowercased()
        return Self.categories.first { $0.value.contains { text.contains($0) } }?.key ?? "Types"
    }

    /// The message parts that identify the categories, in order of precedence.
    private static let categories: KeyValuePairs = [
        "Imports": ["no such module", "missing required module", "import "],
        "Concurrency": ["sendable", "actor", "concurren", "data race"],
        "Syntax": ["expected", "unterminated", "consecutive statements", "extraneous"],
        "Access Control": ["private", "internal", "inaccessible"],
    ]
}

extension SwiftCheck {
    /// Returns the Swift files at a path, sorted by name; those in folders named `Tests` are separate.
    package static func files(at path: String) throws(GeneratorError) -> (sources: [String], tests: [String]) {
        func isTest(_ path: String) -> Bool { path.pathParts.dropLast().contains("Tests") }
        let found = try FileSearch.find(path, suffix: ".swift")
        // The compiler would wait for a pipe, and quote the file that a link leads to.
        for file in found where FileStatus(of: file, followsLink: false)?.isFile != true {
            throw .missingInput("'\(file)' is not a file.", hint: "Remove it, or check another folder.")
        }
        // The compiler reads each file completely.
        for file in found where (FileSearch.size(of: file) ?? 0) > UInt64(OutputPlan.maximumFileSize) {
            throw .missingInput("'\(file)' has more than 64 MiB.", hint: "Remove it, or check another folder.")
        }
        return (found.filter { !isTest($0) }, found.filter(isTest))
    }
}
