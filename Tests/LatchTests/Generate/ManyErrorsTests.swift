// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchProcess
import Testing

@Suite struct ManyErrorsTests {
    /// Files whose fields are all of a type that nobody declares.
    private static func files(_ count: Int, fields: Int) -> [String: String] {
        var files: [String: String] = [:]
        for index in 1...count {
            let lines = (1...fields).map { "  Missing f\($0) = \($0);" }
            files["many/a\(index).proto"] =
                "syntax = \"proto3\";\nmessage M\(index) {\n\(lines.joined(separator: "\n"))\n}\n"
        }
        return files
    }

    @Test(arguments: [["generate", "--output-path", "out", "--proto-path"], ["validate", "--path"]])
    func `A file with thousands of errors shows the first twenty, and their total number`(words: [String]) async throws
    {
        try await GeneratorCall.with(Self.files(1, fields: 1000)) { call async throws in
            let short = try await call.run("latch", words + ["many"])
            expectEqual(short.ending, .exited(1))
            expectEqual(short.error.count { $0.contains("error: 'Missing'") }, 20)
            #expect(short.error.contains("… and 980 more errors: --all-errors shows all"), "\(short.error.suffix(3))")
            let whole = try await call.run("latch", words + ["many", "--all-errors"])
            expectEqual(whole.ending, .exited(1))
            expectEqual(whole.error.count { $0.contains("error: 'Missing'") }, 1000)
        }
    }

    @Test func `A file with thousands of errors leaves room for a hundred of several files`() async throws {
        try await GeneratorCall.with(Self.files(7, fields: 30)) { call async throws in
            let said = try await call.run("axiom-client-generator", ["validate", "--path", "many"])
            expectEqual(said.ending, .exited(1))
            expectEqual(said.error.count { $0.contains("error: 'Missing'") }, 100)
            #expect(said.error.contains("… and 110 more errors: --all-errors shows all"))
            expectEqual(said.output, ["proto: 7 files compiled, 210 errors, 0 warnings: not valid"])
        }
    }

    @Test func `A file with thousands of errors is complete in JSON`() async throws {
        try await GeneratorCall.with(Self.files(1, fields: 300)) { call async throws in
            let said = try await call.run(
                "latch", ["generate", "--proto-path", "many", "--output-path", "out", "--json"])
            expectEqual(said.ending, .exited(1))
            let report = try JSONValue(parsing: said.output.joined())
            expectEqual(report["diagnostics"]?.arrayValue?.count, 300)
        }
    }
}
