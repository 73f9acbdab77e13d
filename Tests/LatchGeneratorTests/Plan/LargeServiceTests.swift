// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

@testable import LatchGenerator

/// Work that grew with the square of the input took from half a minute to hours for these.
@Suite struct LargeServiceTests {
    private func generate(_ text: String) throws -> GenerationResult {
        let compilation = Compiler.withOptionFiles { $0 == "test.proto" ? Array(text.utf8) : nil }
            .compile(["test.proto"])
        try #require(compilation.isComplete, "\(compilation.diagnostics.prefix(3))")
        let result = SwiftGenerator.generate(compilation.filesToGenerate, GenerationOptions())
        #expect(result.isComplete, "\(result.diagnostics.prefix(3))")
        return result
    }

    @Test(.timeLimit(.minutes(1)))
    func `A large service with thousands of methods is generated in time that is linear in them`() throws {
        let methods = (0..<4_000).map { "rpc Call\($0)(M) returns (M);" }.joined(separator: "\n")
        let result = try generate(
            "syntax = \"proto3\"; message M { string a = 1; } service S { \(methods) rpc call_1(M) returns (M); }")
        #expect(result.files.contains { $0.text.contains("call1_2") })
    }

    @Test(.timeLimit(.minutes(1)))
    func `A large service with thousands of fields is generated in time that is linear in them`() throws {
        let fields = (2..<8_000).map { "string field\($0) = \($0);" }.joined(separator: "\n")
        let result = try generate(
            "syntax = \"proto3\"; message M { string id = 1; \(fields) } service S { rpc GetM(M) returns (M); }")
        #expect(result.files.contains { $0.text.contains("field7999") })
    }

    @Test
    func `A large service has each of its messages read once for its rules, however long their chain is`() throws {
        let count = 3_000
        let messages = (0..<count).map { "message M\($0) { M\($0 + 1) next = 1; M\($0 + 1) other = 2; }" }
        let text = "syntax = \"proto3\"; \(messages.joined()) message M\(count) { string a = 1; }"
        let file = try #require(
            Compiler { $0 == "test.proto" ? Array(text.utf8) : nil }.compile(["test.proto"]).filesToGenerate.first)
        for end in ["M\(count)", "M1", ""] {
            var reachability = Reachability()
            for message in file.messages {
                let isReached = reachability.reaches(message) {
                    $0.fields.compactMap(\.message)
                } hasIt: {
                    $0.name == end
                }
                let number = try #require(Int(message.name.dropFirst()))
                expectEqual(isReached, end.isEmpty ? false : number <= (Int(end.dropFirst()) ?? 0))
            }
            expectEqual(reachability.visits, count + 1)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `A large service has the rules at the end of a chain reported once for each path to it`() throws {
        let messages = (0..<1_500).map { "message M\($0) { M\($0 + 1) next = 1; }" }.joined()
        let text = """
            syntax = "proto3"; import "axiom_options.proto";
            \(messages) message M1500 { string a = 1 [(axiom.swift_validation) = "required"]; }
            service S { rpc A(M0) returns (M0); rpc B(M1000) returns (M0); rpc C(M1000) returns (M0); }
            """
        let plan = try planning(text)
        expectEqual(plan.plans.first?.methods.map(\.requirements.constraints.count), [0, 1, 1])
        #expect(plan.diagnostics.map(\.message).allSatisfy { $0.contains("are not checked within") })
        expectEqual(plan.diagnostics.count, 1)
    }
}
