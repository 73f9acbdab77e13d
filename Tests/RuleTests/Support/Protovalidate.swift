// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchProcess
import LatchProtoCompiler
import LatchRPC
import LatchTesting
import Testing

/// protovalidate, which Scripts/fetch-peers installs.
enum Protovalidate {
    static let hint = "Scripts/fetch-peers rules could not install protovalidate: no network, no python3, or no pip"

    static func install() async -> Bool { await folder.value != nil }

    private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized

    private static let folder = Task<String?, Never> {
        do {
            let script = root.appending(path: "Scripts/fetch-peers").path
            let (ending, output) = try await ChildProcess.run("/usr/bin/env", ["bash", script, "rules"])
            guard ending == .exited(0) else { return nil }
            return String(decoding: output, as: UTF8.self).split(separator: "\n").last.map(String.init)
        } catch {
            return nil
        }
    }

    /// A broken rule as both name it.
    struct Finding: Hashable, Comparable, CustomStringConvertible {
        let path: String
        let rule: String
        let isAboutKey: Bool

        init(path: String, rule: String, isAboutKey: Bool) {
            (self.path, self.rule, self.isAboutKey) = (path, rule, isAboutKey)
        }

        init(_ violation: Violation) {
            self.init(path: violation.path, rule: violation.rule, isAboutKey: violation.isAboutKey)
        }

        static func < (one: Finding, other: Finding) -> Bool {
            (one.path, one.rule, one.isAboutKey ? 1 : 0) < (other.path, other.rule, other.isAboutKey ? 1 : 0)
        }

        var description: String { "\(path) \(rule)\(isAboutKey ? " (key)" : "")" }
    }

    /// The violations that protovalidate finds in messages of a file; nil for a message that it rejects.
    static func findings(in messages: [(name: String, bytes: [UInt8])]) async throws -> [[Finding]?] {
        let files = compile(CheckedProto.text).files
        return try await withTemporaryFolder { path in
            try Data(FileDescriptor.serializedSet(files)).write(to: URL(filePath: "\(path)/set"))
            let lines = messages.map { "\($0.name) \($0.bytes.map(hexadecimal).joined())" }
            try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: "\(path)/messages"))
            let output = try await run("judge.py", ["\(path)/set", "\(path)/messages"])
            return try output.split(separator: "\n").map(read)
        }
    }

    /// The output of a script in Tests/Peers/Rules.
    static func run(_ script: String, _ arguments: [String]) async throws -> String {
        var environment = ProcessInfo.processInfo.environment
        let packages: String = try #require(await folder.value)
        environment["PYTHONPATH"] = packages
        let path = root.appending(path: "Tests/Peers/Rules/\(script)").path
        let (ending, output) = try await ChildProcess.run(
            "/usr/bin/env", ["python3", path] + arguments, environment: environment)
        try #require(ending == .exited(0))
        return String(decoding: output, as: UTF8.self)
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        byte < 16 ? "0" + String(byte, radix: 16) : String(byte, radix: 16)
    }

    private static func read(_ line: Substring) throws -> [Finding]? {
        guard line.hasPrefix("[") else { return nil }
        struct Row: Decodable {
            let finding: Finding
            init(from decoder: any Decoder) throws {
                var values = try decoder.unkeyedContainer()
                finding = Finding(
                    path: try values.decode(String.self), rule: try values.decode(String.self),
                    isAboutKey: try values.decode(Bool.self))
            }
        }
        return try JSONDecoder().decode([Row].self, from: Data(line.utf8)).map(\.finding)
    }
}
