// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
package import LatchCommand
import LatchCore
import LatchProcess
import LatchGenerator

/// Looks at what the generator stands on: what it writes to, and what judges what it wrote.
package struct GeneratorDoctor: Sendable {
    private let environment: [String: String]
    private let program: String
    private let needsSwift: Bool

    /// - Parameter needsSwift: Whether it is wrong that there is no Swift compiler; who does not generate needs none.
    package init(environment: [String: String], program: String = currentProgram, needsSwift: Bool = true) {
        self.environment = environment
        self.needsSwift = needsSwift
        self.program = program
    }

    /// All findings, those first without which nothing works.
    package func look() async -> [Diagnosis] {
        let toolchain = SwiftToolchain.find(in: environment, program: program)
        return [temporaryFolder(), await swift(toolchain), runtime(toolchain), await protoc()]
    }

    /// Whether files can be written and read back.
    private func temporaryFolder() -> Diagnosis {
        let folder = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        let file = "\(folder)/latchwork-doctor-\(RandomSource.system.identifier())"
        do {
            try AtomicFile(file).replace(with: Array(file.utf8))
            let bytes = try AtomicFile(file).read()
            try AtomicFile(file).remove()
            guard bytes == Array(file.utf8) else {
                return .wrong("temp folder", "What is written to \(folder) is not what is read back.", hint: nil)
            }
            return .fine("temp folder", "can be written to \(folder)", facts: ["folder": .string(folder)])
        } catch {
            return .wrong(
                "temp folder", error.description, hint: "Set TMPDIR to a folder that this user may write to.",
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
                hint: "Install Swift 6.2 or later (swift.org/install); generating works without, --validate does not.")
        }
        do {
            let version = try await toolchain.version()
            let facts: JSONObject = ["path": .string(toolchain.compiler), "version": .string(version)]
            guard let number = Self.number(in: version), number.major >= 6 else {
                return .wrong(
                    "swift", "\(toolchain.compiler): \(version)", hint: "Generated code needs Swift 6.", facts: facts)
            }
            return .fine("swift", "\(version)", "at \(toolchain.compiler)", facts: facts)
        } catch {
            return .wrong("swift", error.description, hint: "Repair the toolchain, or set SWIFT_EXEC.")
        }
    }

    /// `Swift version 6.3.1 (…)`.
    private static func number(in text: String) -> (major: Int, minor: Int)? {
        guard let start = text.firstRange(of: "version ")?.upperBound else { return nil }
        let parts = text[start...].prefix { $0 == "." || $0.isNumber }.split(separator: ".").compactMap { Int($0) }
        return parts.count >= 2 ? (parts[0], parts[1]) : nil
    }

    /// Whether generated code can be type-checked here; what cannot be is no fault of this machine.
    private func runtime(_ toolchain: SwiftToolchain?) -> Diagnosis {
        guard let runtime = toolchain?.runtime else {
            return .fine(
                "runtime", "not beside this program, so that --validate checks syntax alone; swift build makes it",
                facts: ["found": false])
        }
        return .fine(
            "runtime", "LatchRPC in \(runtime.folder)", facts: ["found": true, "folder": .string(runtime.folder)])
    }

    /// It is not needed, and some have it.
    private func protoc() async -> Diagnosis {
        guard let path = SwiftToolchain.program("protoc", in: environment) else {
            return .fine(
                "protoc", "none, and none is needed: this program compiles .proto files", facts: ["found": false])
        }
        do {
            let (_, output) = try await ChildProcess.run(path, ["--version"])
            let version = String(decoding: output, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
            return .fine(
                "protoc", "\(version) at \(path), which may call protoc-gen-latch",
                facts: ["found": true, "version": .string(version)])
        } catch {
            return .fine("protoc", "\(path) does not run, and is not needed", facts: ["found": false])
        }
    }
}
