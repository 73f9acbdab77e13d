// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchProcess
import LatchTesting
import Synchronization
import TestSupport
import Testing

@testable import LatchCommand
@testable import latch_demo

@Suite(.serialized) struct DemoTests {
    @Test func `The demonstration plays every step against a real process, and leaves nothing behind`() async throws {
        try await withTemporaryFolder { folder in
            // Its server starts again at its port after each kill, which no other test may have got by then.
            let process = try BuiltProgram.start(
                ["demo", "--json"], in: folder,
                environment: ["TMPDIR": folder, "LATCH_DEMO_HOST": Loopback.address(6)])
            let outcome = await BuiltProgram.outcome(of: process, in: folder)
            expectEqual(outcome.ending, .exited(0), "\(outcome.output.last ?? "") \(outcome.error)")
            let lines = try outcome.output.map { try JSONValue(parsing: $0) }
            expectEqual(
                lines.dropLast().compactMap { $0["step"]?.stringValue }, DemoRun.chapters.flatMap(\.steps).map(\.code))
            #expect(lines.allSatisfy { $0["holds"] == true })
            let expiry = try #require(lines.first { $0["step"] == "expiry" }?["facts"])
            expectEqual(expiry["successes"], 1000)
            expectEqual(expiry["renewals"], 1)
            expectEqual(lines.last?["sessionsLost"], 0)
            try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder), ["error"])
        }
    }

    @Test(arguments: [Signal.interrupt, .terminate, .hangUp])
    func `The demonstration leaves nothing behind when it is interrupted`(signal: Signal) async throws {
        try await withTemporaryFolder { folder in
            let process = try BuiltProgram.start(["demo", "--json"], in: folder, environment: ["TMPDIR": folder])
            let first = try JSONValue(parsing: try #require(await process.line()))
            let server = try #require(first["facts"]?["process"]?.intValue)
            process.send(signal.number)
            let outcome = await BuiltProgram.outcome(of: process, in: folder)
            expectEqual(outcome.ending, .killed(by: signal.number))
            #expect(outcome.error.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: "/proc/\(server)"))
            try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder), ["error"])
        }
    }

    @Test(arguments: [true, false])
    func `The demonstration ends with the first step that fails`(isJSON: Bool) async throws {
        let said = Mutex<[String]>([])
        let stream = Environment.Output(isTerminal: false) { text in
            said.withLock { $0.append(String(decoding: text, as: UTF8.self)) }
        }
        let environment = Environment(variables: [:], output: stream, error: stream, signals: .disconnected)
        let played = Atomic(0)
        let steps = [true, false, true].enumerated().map { number, holds in
            DemoStep(code: "step-\(number)", name: "step number \(number)") { _ in
                played.add(1, ordering: .relaxed)
                try expect(holds, "it holds")
                return .init("fine")
            }
        }
        let report = DemoReport(environment: environment, isJSON: isJSON)
        let code = try await DemoRun(report: report, chapters: [.init("Steps", steps)]).run()
        expectEqual(code, .failure)
        expectEqual(played.load(ordering: .relaxed), 2)
        let text = said.withLock { $0.joined() }
        #expect(text.contains("latch: The step 'step-1' does not hold: it holds.\nhint: "))
        #expect(text.contains(isJSON ? #"{"step":"step-1","holds":false"# : "✗ step number 1"))
        #expect(!text.contains("step-2") && !text.contains("number 2"))
    }
}
