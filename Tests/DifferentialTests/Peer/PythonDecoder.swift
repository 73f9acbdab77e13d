// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchProcess
import LatchProtoCompiler

/// Google's protobuf for Python (upb below, json_format above), which Scripts/fetch-peers installs.
enum PythonDecoder {
    /// The comment of a skipped suite.
    static let hint =
        "Scripts/fetch-peers rules could not install protobuf from PyPI: no network, no python3, or no pip"

    /// Whether it is there, installed now where it was not.
    static func install() async -> Bool { await folder.value != nil }

    /// Python's result for an input.
    struct Answer {
        let isAccepted: Bool
        /// The name of its leniency in Tests/Peers/Protobuf/decode.py, or the reason of its refusal.
        let notes: String
        let bytes: [UInt8]
        /// Nil where the message cannot be said in JSON.
        let json: [UInt8]?
    }

    /// Reads each input, in their order.
    static func read(_ inputs: [Input]) async throws -> [Answer] {
        guard let folder = await folder.value else { throw CocoaError(.fileNoSuchFile) }
        let descriptors = try descriptors()
        let requests = inputs.flatMap { input in
            [input.isJSON ? Array("j".utf8) : Array("b".utf8), Array(input.name.utf8), input.bytes].flatMap(framed)
        }
        let files = FileManager.default
        let place = files.temporaryDirectory.appending(path: "latch-differential-\(UUID().uuidString)").path
        try files.createDirectory(atPath: place, withIntermediateDirectories: true)
        let answers: Result<[Answer], any Error>
        do { answers = .success(try await run(folder, place, descriptors, requests)) } catch {
            answers = .failure(error)
        }
        try files.removeItem(atPath: place)
        return try answers.get()
    }

    private static func run(
        _ folder: String, _ place: String, _ descriptors: [UInt8], _ requests: [UInt8]
    ) async throws -> [Answer] {
        try Data(descriptors).write(to: URL(filePath: "\(place)/set"))
        try Data(requests).write(to: URL(filePath: "\(place)/requests"))
        var environment = ProcessInfo.processInfo.environment
        environment["PYTHONPATH"] = folder
        let script = root.appending(path: "Tests/Peers/Protobuf/decode.py").path
        let (ending, output) = try await ChildProcess.run(
            "/usr/bin/env", ["python3", script] + ["set", "requests", "answers"].map { "\(place)/\($0)" },
            environment: environment, errors: .joined)
        guard ending == .exited(0) else { throw Failure(output: String(decoding: output, as: UTF8.self)) }
        return answers(Array(try Data(contentsOf: URL(filePath: "\(place)/answers"))))
    }

    struct Failure: Error { let output: String }

    private static func framed(_ part: [UInt8]) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: part.count >> ($0 * 8)) } + part
    }

    private static func answers(_ bytes: [UInt8]) -> [Answer] {
        var at = 0
        func part() -> [UInt8] {
            let length = (0..<4).reduce(0) { $0 | Int(bytes[at + $1]) << ($1 * 8) }
            defer { at += 4 + length }
            return Array(bytes[at + 4..<at + 4 + length])
        }
        var answers: [Answer] = []
        while at < bytes.count {
            let isAccepted = part() == Array("1".utf8)
            let notes = String(decoding: part(), as: UTF8.self)
            let (encoded, json) = (part(), part())
            answers.append(
                Answer(isAccepted: isAccepted, notes: notes, bytes: encoded, json: json == Array("-".utf8) ? nil : json)
            )
        }
        return answers
    }

    private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized

    /// The messages as our compiler describes them.
    private static func descriptors() throws -> [UInt8] {
        let protos = root.appending(path: "Tests/Protos")
        let compilation = Compiler { name in
            FileManager.default.contents(atPath: protos.appending(path: name).path).map { Array($0) }
        }.compile(["kinds/all_kinds.proto", "kinds/older_kinds.proto", "kinds/edition_kinds.proto"])
        guard compilation.isComplete else { throw CocoaError(.fileReadCorruptFile) }
        return FileDescriptor.serializedSet(compilation.files)
    }

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
}
