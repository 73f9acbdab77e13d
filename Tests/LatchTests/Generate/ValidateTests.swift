// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchFoundation
import LatchProcess
import TestTags
import Testing

@Suite struct ValidateTests {
    @Test(.tags(.commandExitCodes), arguments: GeneratorCall.programs)
    func `The subcommand validate ends with 0 if .proto files are right, and with 1 otherwise`(program: String)
        async throws
    {
        try await GeneratorCall.with([
            "bad/a.proto": "syntax = \"proto3\";\nmessage A { string a = 1; string b = 1; }\n"
        ]) {
            call async throws in
            let good = try await call.run(program, "validate", "--path", "shop")
            expectEqual(good.ending, .exited(0), "\(good.error)")
            expectEqual(good.output, ["proto: 1 file compiled, 0 errors, 0 warnings: valid"])
            let bad = try await call.run(program, "validate", "--path", "bad")
            expectEqual(bad.ending, .exited(1))
            #expect(bad.error.contains { $0.contains("bad/a.proto:2:") && $0.contains("error: ") }, "\(bad.error)")
        }
    }

    @Test(.tags(.commandExitCodes)) func `The subcommand validate judges Swift by its syntax`() async throws {
        try await GeneratorCall.with(["swift/Good.swift": "struct A { let b: Int }\n"]) { call async throws in
            let good = try await call.run("latch", "validate", "-p", "swift", "--skip-compilation")
            expectEqual(good.ending, .exited(0), "\(good.error)")
            try call.write("struct A { let b: }\n", to: "swift/Bad.swift")
            let bad = try await call.run("latch", "validate", "-p", "swift", "--skip-compilation")
            expectEqual(bad.ending, .exited(1))
            #expect(bad.error.contains { $0.contains("swift/Bad.swift:1:") }, "\(bad.error)")
        }
    }

    @Test(.tags(.commandExitCodes))
    func `The subcommand validate judges Swift by its types, all files together`() async throws {
        try await GeneratorCall.with([
            "swift/A.swift": "public struct A { public let b: B }\n", "swift/B.swift": "public struct B {}\n",
        ]) { call async throws in
            let good = try await call.run("latch", "validate", "-p", "swift", "--compile-check")
            expectEqual(good.ending, .exited(0), "\(good.error)")
            expectEqual(good.output.last?.contains("2 files type-checked, 0 errors"), true)
            try FileManager.default.removeItem(atPath: call.folder + "/swift/B.swift")
            let bad = try await call.run("latch", "validate", "-p", "swift", "--categorize", "--json")
            expectEqual(bad.ending, .exited(1))
            let report = try JSONValue(parsing: bad.output.joined())
            #expect(report["valid"] == false && report["swift"]?["types_checked"] == true)
            expectEqual(report["swift"]?["findings"]?[0]?["line"], 1)
        }
    }

    @Test
    func `The subcommand validate says if types cannot be checked, and fails only if that was required`() async throws {
        try await GeneratorCall.with(["swift/A.swift": "public struct A {}\n"]) { call async throws in
            // A copy beside which no module lies. A child process writes it: what this process has open for writing, a child that
            // another test starts meanwhile may keep open, and such a file cannot be run.
            let copying = try ChildProcess.start(
                "/bin/cp", [BuiltProgram.folder + "/axiom-client-generator", call.folder + "/alone"])
            await expectEqual(copying.end(), .exited(0))
            for (flags, code) in [([], 0), (["--compile-check"], 1)] as [([String], Int32)] {
                let process = try ChildProcess.start(
                    call.folder + "/alone", ["validate", "-p", "swift"] + flags, in: call.folder,
                    errors: .file(call.folder + "/error"))
                let outcome = await BuiltProgram.outcome(of: process, in: call.folder)
                expectEqual(outcome.ending, .exited(code), "\(outcome.error)")
                #expect(
                    outcome.error.contains { $0.contains("LatchRPC is not next to this program") }, "\(outcome.error)")
                expectEqual(outcome.output.last?.contains("1 file parsed"), true)
            }
        }
    }

    @Test func `The subcommand validate names the module that an import needs and that is not built`() async throws {
        try await GeneratorCall.with(["swift/A.swift": "public import AxiomCore\npublic struct A {}\n"]) {
            call async throws in
            // A build that was asked for one product has the runtime and not all modules on top of it.
            let modules = call.folder + "/modules"
            try FileManager.default.createDirectory(atPath: modules, withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                atPath: BuiltProgram.folder + "/Modules/LatchRPC.swiftmodule", toPath: modules + "/LatchRPC.swiftmodule"
            )
            let outcome = try await call.run("latch", "validate", "-p", "swift", "--module-path", modules)
            expectEqual(outcome.ending, .exited(0), "\(outcome.error)")
            #expect(outcome.error.contains { $0.contains("the module AxiomCore is not") }, "\(outcome.error)")
            expectEqual(outcome.output.last?.contains("1 file parsed"), true)
        }
    }

    @Test func `The subcommand validate gives the compiler the priority of the command`() async throws {
        // It appends, since a compiler that was ended for its time is begun again.
        let compiler = "#!/bin/sh\nnice >> \"$(dirname \"$0\")/priority\"\n"
        try await GeneratorCall.with(["swift/A.swift": "public struct A {}\n", "script": compiler]) {
            call async throws in
            // A child writes it, as above.
            let program = call.folder + "/swiftc"
            _ = try await ChildProcess.run("/usr/bin/install", ["-m", "755", call.folder + "/script", program])
            var environment = ProcessInfo.processInfo.environment
            environment["SWIFT_EXEC"] = program
            _ = try await ChildProcess.run(
                "/usr/bin/env",
                ["nice", "-n", "7", BuiltProgram.folder + "/latch", "validate", "-p", call.folder + "/swift"],
                environment: environment)
            let (_, output) = try await ChildProcess.run("/usr/bin/nice", [])
            let own = try #require(
                Int(String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)))
            let priorities = try String(contentsOfFile: call.folder + "/priority", encoding: .utf8)
            expectEqual(Set(priorities.split(separator: "\n")), ["\(min(own + 7, 19))"])
        }
    }

    /// `swiftc` reads flags from a file that is named `@file`.
    @Test func `The subcommand validate takes no flags for the compiler from a file`() async throws {
        try await GeneratorCall.with([
            "Tests/A.swift": "@testable import @flags\nstruct A {}\n",
            "flags": "M -driver-use-frontend-path \(#filePath)\n",
        ]) { call async throws in
            for flag in ["--skip-compilation", "--compile-check"] {
                let outcome = try await call.run("latch", "validate", "-p", ".", flag)
                expectEqual(outcome.ending, .exited(1))
                #expect(outcome.error.contains { $0.contains("Tests/A.swift:1:") }, "\(outcome.error)")
            }
        }
    }

    @Test func `The subcommand validate reports a missing Swift compiler`() async throws {
        try await GeneratorCall.with(["swift/A.swift": "public struct A {}\n"]) { call async throws in
            let outcome = try await call.run(
                "latch", "validate", "-p", "swift", "--compile-check",
                environment: ["PATH": "/nowhere", "SWIFT_EXEC": ""])
            expectEqual(outcome.ending, .exited(1))
            #expect(outcome.error.contains { $0.contains("there is no swiftc in PATH") }, "\(outcome.error)")
        }
    }

    @Test(arguments: [(["-p", "missing"], 1), ([], 2), (["-p", "empty"], 1)] as [([String], Int32)])
    func `The subcommand validate fails if there is nothing to check`(arguments: [String], code: Int32) async throws {
        try await GeneratorCall.with(["empty/notes.txt": "nothing"]) { call async throws in
            let process = try call.start("latch", ["validate"] + arguments)
            let outcome = await BuiltProgram.outcome(of: process, in: call.folder)
            #expect(outcome.ending == .exited(code) && outcome.error.count == 2, "\(outcome.error)")
        }
    }
}

@Suite struct ExamplesSubcommandTests {
    @Test(.tags(.generatedPackage), arguments: ["basic", "user-service", "task-manager", "comprehensive"])
    func `The subcommand examples gives .proto files whose generated clients compile without a warning`(name: String)
        async throws
    {
        try await GeneratorCall.with { call async throws in
            let written = try await call.run("axiom-client-generator", "examples", name, "--write", "protos")
            expectEqual(written.ending, .exited(0), "\(written.error)")
            #expect(written.output.count == 1 && call.text(written.output[0]) != nil)
            let generated = try await call.run(
                "axiom-client-generator", "generate", "-p", "protos", "-o", "out", "--package-name", "Out", "--validate"
            )
            expectEqual(generated.ending, .exited(0), "\(generated.error)")
            expectEqual(
                generated.output.last?.hasSuffix(" files type-checked, 0 errors, 0 warnings: valid"), true,
                "\(generated.output)")
            let again = try await call.run("axiom-client-generator", "examples", name, "--write", "protos")
            expectEqual(again.ending, .exited(1), "what is there is not overwritten")
        }
    }

    @Test func `The subcommand examples writes nothing through a link to a file or a folder`() async throws {
        for link in ["protos/notes", "protos/notes/v1/note_service.proto"] {
            try await GeneratorCall.with(["outside/x": ""]) { call async throws in
                let place = URL(filePath: "\(call.folder)/\(link)")
                try FileManager.default.createDirectory(
                    atPath: place.deletingLastPathComponent().path, withIntermediateDirectories: true)
                try FileManager.default.createSymbolicLink(
                    atPath: place.path, withDestinationPath: call.folder + "/outside/new")
                let refused = try await call.run("latch", "examples", "basic", "--write", "protos")
                #expect(refused.ending == .exited(1) && refused.output.isEmpty)
                expectEqual(refused.error.first?.contains("protos/notes"), true, "\(refused.error)")
                #expect(try call.content("outside").isEmpty)
                #expect(!FileManager.default.fileExists(atPath: call.folder + "/outside/new"))
            }
        }
    }

    @Test func `The subcommand examples lists them, shows one, and suggests a similar name`() async throws {
        try await GeneratorCall.with { call async throws in
            let list = try await call.run("latch", "examples")
            #expect(list.ending == .exited(0) && list.output.contains { $0.hasPrefix("user-service  ") })
            let shown = try await call.run("latch", "examples", "basic")
            expectEqual(shown.output.first, "// notes/v1/note_service.proto")
            #expect(shown.output.contains("service NoteService {"))
            let missing = try await call.run("latch", "examples", "bsic")
            #expect(missing.ending == .exited(1) && missing.error.last?.contains("'basic'") == true)
        }
    }
}

@Suite struct GeneratorDoctorTests {
    @Test func `The generator's doctor finds the installed tools, and reports missing ones`() async throws {
        try await GeneratorCall.with { call async throws in
            let outcome = try await call.run("axiom-client-generator", "doctor", "--json")
            let report = try JSONValue(parsing: outcome.output.joined())
            let findings = report["findings"]?.arrayValue ?? []
            expectEqual(
                findings.compactMap { $0["subject"]?.stringValue }, ["temp folder", "swift", "runtime", "protoc"])
            expectEqual(findings[1]["version"]?.stringValue?.contains("Swift version"), true)
            expectEqual(outcome.ending, .exited(0))
            let bare = try await call.run(
                "axiom-client-generator", "doctor", environment: ["PATH": "/nowhere", "TMPDIR": "/no/such/folder"])
            expectEqual(bare.ending, .exited(1))
            #expect(bare.output.contains { $0.hasPrefix("✗ temp folder") })
            #expect(bare.output.contains { $0.hasPrefix("✗ swift") })
        }
    }
}
