// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import Testing

@testable import LatchCommand
@testable import latch_demo

@Suite struct DemoReportTests {
    private let step = DemoStep(code: "expiry", name: "calls across an expiry", play: { _ in .init("") })
    private let finding = DemoStep.Finding("1 renewal", ["renewals": 1])

    private func stage() throws -> (DemoStage, DemoDirectory) {
        let folder = try DemoDirectory()
        var stage = DemoStage(folder: folder, server: ServerProcess(in: folder, environment: [:]))
        stage.calls = 12_345
        stage.kills = 3
        return (stage, folder)
    }

    @Test func `The report of a demonstration has the time of each step, and its result on a line below`() throws {
        let kept = RecordingEnvironment()
        let report = DemoReport(environment: kept.environment, isJSON: false)
        report.begin()
        report.playing(step)
        report.held(step, finding, after: .milliseconds(1234))
        report.failed(step, "two renewals", after: .microseconds(400))
        let lines = kept.output.split(separator: "\n").map(String.init)
        #expect(lines[0].hasPrefix("latch demo: "))
        #expect(lines[1].hasPrefix("  ✓ calls across an expiry  ") && lines[1].hasSuffix(" 1,234 ms"))
        expectEqual(lines[2], "      1 renewal")
        #expect(lines[3].hasPrefix("  ✗ calls across an expiry  ") && lines[3].hasSuffix(" 0 ms"))
        expectEqual(lines[4], "      two renewals")
        // Neither colours nor progress without a terminal.
        #expect(!kept.output.contains("\u{1B}"))
        #expect(kept.error.isEmpty)
    }

    @Test func `The report of a demonstration ends with the sum of the steps`() throws {
        let (stage, folder) = try stage()
        let kept = RecordingEnvironment()
        DemoReport(environment: kept.environment, isJSON: false).end(stage, steps: 17, after: .milliseconds(6250))
        #expect(
            kept.output.hasPrefix(
                "\n  17 steps hold. 12,345 authenticated calls, 3 kills, no session lost, 6.3 s.\n\nNext\n"))
        #expect(kept.output.contains("  latch serve --dev\n"))
        try folder.remove()
    }

    @Test func `The report of a demonstration has no line of more than 80 columns`() throws {
        let (stage, folder) = try stage()
        let kept = RecordingEnvironment()
        let report = DemoReport(environment: kept.environment, isJSON: false)
        let long = DemoStep.Finding((1...40).map { "word\($0)" }.joined(separator: " "))
        report.begin()
        for chapter in DemoRun.chapters {
            report.begin(chapter)
            for step in chapter.steps { report.held(step, long, after: .seconds(9999)) }
        }
        report.failed(step, long.text, after: .seconds(1))
        report.end(stage, steps: 1_000_000, after: .seconds(9999))
        for line in kept.output.split(separator: "\n") {
            #expect(String(line).displayWidth <= 80, "\(line)")
        }
        try folder.remove()
    }

    @Test(arguments: [["NO_COLOR": "1", "TERM": "xterm"], ["TERM": "dumb"], [:]])
    func `The report of a demonstration has no colors if the environment forbids them`(variables: [String: String]) {
        let kept = RecordingEnvironment(variables, isTerminal: true)
        DemoReport(environment: kept.environment, isJSON: false).held(step, finding, after: .zero)
        #expect(!kept.output.contains("\u{1B}"))
    }

    @Test
    func `The report of a demonstration is exactly one JSON object for each step if a script asks for it`() throws {
        let (stage, folder) = try stage()
        let kept = RecordingEnvironment()
        let report = DemoReport(environment: kept.environment, isJSON: true)
        report.begin()
        report.playing(step)
        report.held(step, finding, after: .microseconds(1_234_560))
        report.failed(step, "two renewals", after: .zero)
        report.end(stage, steps: 2, after: .seconds(2))
        let objects = try kept.output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
        expectEqual(objects.count, 3)
        expectEqual(objects[0]["facts"], ["renewals": 1])
        expectEqual(objects[0]["milliseconds"]?.doubleValue, 1234.6)
        expectEqual(objects[1]["expected"], "two renewals")
        expectEqual(objects[2]["calls"], 12_345)
        #expect(kept.error.isEmpty)
        try folder.remove()
    }

    @Test func `The report of a demonstration shows the running step on a terminal, and removes it again`() {
        let kept = RecordingEnvironment(["TERM": "xterm"], isTerminal: true)
        let report = DemoReport(environment: kept.environment, isJSON: false)
        report.playing(step)
        expectEqual(kept.error, "  … calls across an expiry")
        report.held(step, finding, after: .zero)
        #expect(kept.error.hasSuffix("\r\u{1B}[2K"))
        #expect(kept.output.contains("\u{1B}[32m✓\u{1B}[0m"))
        #expect(kept.output.contains("\u{1B}[2m1 renewal\u{1B}[0m"))
    }

    @Test func `The report of a demonstration uses the singular for one thing`() throws {
        let folder = try DemoDirectory()
        var stage = DemoStage(folder: folder, server: ServerProcess(in: folder, environment: [:]))
        (stage.calls, stage.kills) = (1, 1)
        let kept = RecordingEnvironment()
        DemoReport(environment: kept.environment, isJSON: false).end(stage, steps: 1, after: .seconds(1))
        #expect(kept.output.hasPrefix("\n  1 step holds. 1 authenticated call, 1 kill, no session lost, 1.0 s.\n"))
        try folder.remove()
    }

    @Test(arguments: [(0, "0 families"), (1, "1 family"), (2, "2 families"), (1000, "1,000 families")])
    func `The report of a demonstration uses the plural otherwise`(number: Int, text: String) {
        expectEqual(DemoReport.counted(number, "family", plural: "families"), text)
    }

    @Test(arguments: [
        (0, "0"), (999, "999"), (1000, "1,000"), (1001, "1,001"), (12_045, "12,045"), (1_000_000, "1,000,000"),
    ])
    func `The report of a demonstration groups the digits of large numbers by three`(number: Int, text: String) {
        expectEqual(DemoReport.grouped(number), text)
    }

    @Test(arguments: [(0, "0.0"), (0.04, "0.0"), (0.05, "0.1"), (9.96, "10.0"), (12.34, "12.3")])
    func `The report of a demonstration rounds to one decimal`(number: Double, text: String) {
        expectEqual(DemoReport.decimal(number), text)
    }
}

@Suite struct DemoStepTests {
    @Test func `A step of a demonstration fails if an expectation fails, and names it`() {
        #expect(throws: Never.self) { try expect(true, "nothing") }
        let failure = #expect(throws: DemoFailure.self) { try expect(1 + 1 == 3, "the sum is \(1 + 1)") }
        expectEqual(failure?.description, "the sum is 2")
    }

    @Test func `A step of a demonstration that expects a refusal gets its error, and fails without one`() async throws {
        let error = try await refusal("it") { throw CommandError.failed("no") }
        expectEqual((error as? CommandError)?.message, "no")
        let failure = await #expect(throws: DemoFailure.self) { try await refusal("a stolen token") {} }
        expectEqual(failure?.description, "a stolen token was not refused")
    }

    @Test func `A step of a demonstration has a code and its own name`() {
        let steps = DemoRun.chapters.flatMap(\.steps)
        #expect(steps.count > 10)
        expectEqual(Set(steps.map(\.code)).count, steps.count)
        expectEqual(Set(steps.map(\.name)).count, steps.count)
        for step in steps {
            #expect(step.code.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D }, "\(step.code)")
            #expect(step.name.count <= 50, "\(step.name)")
        }
    }

    @Test func `A step of a demonstration treats missing devices as a failed step before`() throws {
        let folder = try DemoDirectory()
        let stage = DemoStage(folder: folder, server: ServerProcess(in: folder, environment: [:]))
        #expect(throws: DemoFailure.self) { try stage.requirePhone() }
        #expect(throws: DemoFailure.self) { try stage.requireLaptop() }
        try folder.remove()
    }
}
