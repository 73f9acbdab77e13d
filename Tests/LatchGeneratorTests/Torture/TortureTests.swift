// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchProtoCompiler
import Testing

@testable import LatchGenerator

/// Scripts/check-plugins compiles what is generated from it, and runs the generated tests.
@Suite struct TortureTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Torture").path

    private func prepared(_ change: (inout GeneratorSettings) -> Void = { _ in }) throws -> ProjectRun.Prepared {
        var settings = GeneratorSettings()
        settings.set(.protoPath, [Self.folder + "/Protos"], from: "test")
        settings.set(.include, [Self.folder + "/Protos"], from: "test")
        settings.set(.outputPath, [Self.folder], from: "test")
        settings.set(.packageName, ["GeneratedTorture"], from: "test")
        settings.set(.documentation, ["false"], from: "test")
        settings.set(.allowUnenforcedRules, ["true"], from: "test")
        change(&settings)
        var errors: [Diagnostic] = []
        let run = ProjectRun(settings)
        let prepared = try run.prepare { if $0.severity == .error { errors.append($0) } }
        #expect(errors.isEmpty)
        return prepared
    }

    @Test func `A schema of every legal construct has guides for all clients`() throws {
        let plan = try prepared { $0.set(.documentation, ["true"], from: "test") }.plan
        let guides = plan.changes.filter { $0.path.hasSuffix(".md") }
        #expect(guides.count > 50)
        #expect(guides.allSatisfy { $0.new?.isEmpty == false })
    }

    @Test(arguments: ["public", "internal"])
    func `A schema of every legal construct is written into one file each`(visibility: String) throws {
        let plan = try prepared {
            $0.set(.layout, ["perFile"], from: "test")
            $0.set(.naming, ["pathToUnderscores"], from: "test")
            $0.set(.visibility, [visibility], from: "test")
        }.plan
        #expect(plan.changes.contains { $0.path == "torture_a_same.latch.swift" })
        #expect(plan.changes.contains { $0.path == "torture_b_same.latch.swift" })
    }
}
