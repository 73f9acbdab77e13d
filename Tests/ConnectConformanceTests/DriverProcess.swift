// SPDX-License-Identifier: Apache-2.0

import ConnectConformance
import Expectations
import Foundation
import LatchRPC
import Testing

/// A driver as a process, with the runner's side of its input and output.
enum DriverProcess {
    /// The path of a driver, next to the test bundle.
    static func url(_ name: String) -> URL {
        let program = URL(filePath: CommandLine.arguments.first ?? "").resolvingSymlinksInPath()
        return program.deletingLastPathComponent().appending(path: name)
    }

    /// The client's responses to requests, by name.
    static func answers(to requests: [ClientCompatRequest]) async throws -> [String: ClientCompatResponse] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "latch-driver-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (input, output) = (folder.appending(path: "input"), folder.appending(path: "output"))
        try requests.map { try DelimitedMessages.framed($0) }.reduce(Data(), +).write(to: input)
        try Data().write(to: output)
        let process = Process()
        process.executableURL = url("connect-conformance-client")
        process.standardInput = try FileHandle(forReadingFrom: input)
        process.standardOutput = try FileHandle(forWritingTo: output)
        let status = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Int32, any Swift.Error>) in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        expectEqual(status, 0)
        let handle = try FileHandle(forReadingFrom: output)
        var answers: [String: ClientCompatResponse] = [:]
        while let answer = try DelimitedMessages.next(ClientCompatResponse.self, from: handle) {
            expectNil(answers.updateValue(answer, forKey: answer.testName), "\(answer.testName) came twice")
        }
        expectEqual(answers.count, requests.count)
        return answers
    }
}
