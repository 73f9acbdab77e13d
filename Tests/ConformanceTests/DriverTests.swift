// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchConformanceTestee
import LatchRPC
import Testing

@Suite struct DriverTests {
    /// The path of the driver, next to the test bundle.
    private var driver: URL {
        let program = URL(filePath: CommandLine.arguments.first ?? "").resolvingSymlinksInPath()
        return program.deletingLastPathComponent().appending(path: "conformance-driver")
    }

    @Test func `The conformance driver answers each request with its length before it, until the input ends`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "latch-driver-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let requests = [
            ConformanceRequest(messageType: "conformance.FailureSet"),
            ConformanceRequest(
                payload: .jsonPayload(#"{"c":70000}"#), requestedOutputFormat: .json,
                messageType: "protobuf_test_messages.proto3.TestAllTypesProto3"),
            ConformanceRequest(
                payload: .jsonPayload(#"{"optionalInt32":7}"#), requestedOutputFormat: .protobuf,
                messageType: "protobuf_test_messages.proto3.TestAllTypesProto3"),
            ConformanceRequest(payload: .textPayload(""), messageType: "nobody.Nothing"),
        ]
        let (input, output) = (folder.appending(path: "input"), folder.appending(path: "output"))
        try Data(requests.flatMap { framed(try $0.serialized()) }).write(to: input)
        try Data().write(to: output)
        let process = Process()
        process.executableURL = driver
        process.standardInput = try FileHandle(forReadingFrom: input)
        process.standardOutput = try FileHandle(forWritingTo: output)
        try process.run()
        process.waitUntilExit()
        expectEqual(process.terminationStatus, 0)
        let expected = requests.map { LatchConformanceTestee.answer($0) }
        try expectEqual(Array(Data(contentsOf: output)), expected.flatMap { framed(try $0.serialized()) })
        expectEqual(expected[0].result, .protobufPayload(Data()))
        expectEqual(expected[2].result, .protobufPayload(Data([8, 7])))
        expectEqual(expected[3].result, .skipped("no such message"))
        if case .parseError = expected[1].result {} else { Issue.record("an unknown member was taken") }
    }

    private func framed(_ bytes: [UInt8]) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: bytes.count >> ($0 * 8)) } + bytes
    }
}
