// SPDX-License-Identifier: Apache-2.0

package import LatchCommand
import LatchCore
import LatchFoundation
import LatchGenerator
import LatchProcess

/// A check of the generator's environment: the output folder, the compilers and the runtime.
package struct GeneratorDoctor: Sendable {
    private let environment: [String: String]
    private let program: String
    private let needsSwift: Bool

    /// - Parameter needsSwift: Whether a missing Swift compiler is a failure.
    package init(environment: [String: String], program: String = executablePath, needsSwift: Bool = true) {
        self.environment = environment
        self.needsSwift = needsSwift
        self.program = program
    }

    /// Returns the findings, required ones first.
    package func diagnose() async -> [Diagnosis] {
        let toolchain = SwiftToolchain.find(in: environment, program: program)
        return [temporaryFolder(), await swift(toolchain), runtime(toolchain), await protoc()]
    }

    /// Checks that files can be written and read.
    private func temporaryFolder() -> Diagnosis {
        let folder = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        let file = "\(folder)/latchwork-doctor-\(RandomSource.system.identifier())"
        do {
            try AtomicFile(file).replace(with: Array(file.utf8))
            let bytes = try AtomicFile(file).read()
            try AtomicFile(file).remove()
            guard bytes == Array(file.utf8) else {
                return .wrong("temp folder", "A file in \(folder) changed after it was written.", hint: nil)
            }
            return .fine("temp folder", "can be written to \(folder)", facts: ["folder": .string(folder)])
        } catch {
            return .wrong(
                "temp folder", error.description, hint: "Set TMPDIR to a writable folder.",
                facts: ["folder": .string(folder)])
        }
    }

    private func swift(_ toolchain: SwiftToolchain?) async -> Diagnosis {
        guard let toolchain else {
            guard needsSwift else {
                return .fine("swift", "no swiftc in PATH; only 'generate --validate' and 'validate' need it")
            }
            return .wrong(
                "swift", "There is no swiftc in PATH.",
                hint: "Install Swift 6.3 or later (swift.org/install); only --validate needs it.")
        }
        do {
            let version = try await toolchain.version()
            let facts: JSONObject = ["path": .string(toolchain.compiler), "version": .string(version)]
            guard let number = Self.number(in: version), number >= (6, 3) else {
                return .wrong(
                    "swift", "\(toolchain.compiler): \(version)", hint: "Generated code needs Swift 6.3 or later.",
                    facts: facts)
            }
            return .fine("swift", "\(version)", "at \(toolchain.compiler)", facts: facts)
        } catch {
            return .wrong("swift", error.description, hint: "Repair the toolchain, or set SWIFT_EXEC.")
        }
    }

    /// Parses `Swift version 6.3.1 (…)`.
    private static func number(in text: String) -> (major: Int, minor: Int)? {
        guard let start = text.firstRange(of: "version ")?.upperBound else { return nil }
        let parts = text[start...].prefix { $0 == "." || $0.isNumber }.split(separator: ".").compactMap { Int($0) }
        return parts.count >= 2 ? (parts[0], parts[1]) : nil
    }

    /// Checks whether generated code can be type-checked; a missing module is not a failure.
    private func runtime(_ toolchain: SwiftToolchain?) -> Diagnosis {
        guard let runtime = toolchain?.runtime else {
            return .fine(
                "runtime", "not next to this program: --validate checks only syntax until swift build creates it",
                facts: ["found": false])
        }
        return .fine(
            "runtime", "LatchRPC in \(runtime.folder)", facts: ["found": true, "folder": .string(runtime.folder)])
    }

    /// Looks for protoc, which is optional.
    private func protoc() async -> Diagnosis {
        guard let path = SwiftToolchain.program("protoc", in: environment) else {
            return .fine(
                "protoc", "none; it is not needed, since this program compiles .proto files", facts: ["found": false])
        }
        do {
            guard let (_, output) = try await ChildProcess.runCompiler(path, ["--version"]) else {
                return .fine("protoc", "\(path) does not end; it is not needed", facts: ["found": false])
            }
            let version = String(decoding: output, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
            return .fine(
                "protoc", "\(version) at \(path), which can call protoc-gen-latch",
                facts: ["found": true, "version": .string(version)])
        } catch {
            return .fine("protoc", "\(path) does not run; it is not needed", facts: ["found": false])
        }
    }
}

/// `doctor` of the generator; the one of `latch` also checks accounts.
package enum GeneratorDoctorSubcommand {
    package static func subcommand(of program: String) -> Subcommand {
        Subcommand(
            name: "doctor", summary: "checks the environment of the generator",
            discussion: "It changes nothing, and exits with 1 if a check fails.", options: [GenerateSubcommand.json],
            examples: [
                "\(program) doctor": "check that clients can be generated and compiled"
            ],
            body: { invocation, shell in
                let found = await GeneratorDoctor(environment: shell.variables).diagnose()
                if invocation.has(GenerateSubcommand.json) {
                    shell.json([
                        "fine": .bool(found.allSatisfy(\.isFine)), "version": .string(packageVersion),
                        "findings": .array(found.map(\.json)),
                    ])
                } else {
                    shell.output.write(found.text(shell.style(of: shell.output)))
                }
                return found.allSatisfy(\.isFine) ? .success : .failure
            })
    }
}
