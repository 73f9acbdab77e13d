// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import TestTags
import Testing

@testable import LatchGenerator

@Suite struct ProjectRunTests {
    private static let proto = """
        syntax = "proto3";
        package shop.v1;
        service CartService { rpc Add(AddRequest) returns (Cart); }
        service StockService { rpc Count(CountRequest) returns (CountAnswer); }
        message AddRequest { Item item = 1; }
        message Item { string id = 1; Kind kind = 2; }
        enum Kind { KIND_UNSPECIFIED = 0; KIND_BOOK = 1; }
        message Cart { repeated Item items = 1; }
        message CountRequest { string id = 1; }
        message CountAnswer { int32 count = 1; }
        """

    /// Runs over one file, and tells what it would write.
    private func prepared(
        _ text: String = proto, in folder: ProjectFolder, _ change: (inout GeneratorSettings) -> Void = { _ in }
    ) throws -> ProjectRun.Prepared {
        try folder.write(text, to: "shop/v1/shop.proto")
        var settings = GeneratorSettings()
        settings.set(.protoPath, [folder.path + "/shop/v1/shop.proto"], from: "test")
        settings.set(.outputPath, [folder.path + "/out"], from: "test")
        change(&settings)
        return try ProjectRun(settings)
            .prepare(report: { _ in })
    }

    private func texts(_ prepared: ProjectRun.Prepared) -> [String: String] {
        Dictionary(
            prepared.plan.steps.map { ($0.path, $0.new ?? "") }
        ) { first, _ in first }
    }

    @Test(.tags(.reproducibleOutput)) func `A run of the generator generates the same bytes each time`() throws {
        try ProjectFolder.with { folder throws in
            let (first, second) = (try prepared(in: folder), try prepared(in: folder))
            #expect(texts(first) == texts(second) && !first.plan.steps.isEmpty)
        }
    }

    @Test(.tags(.commandExitCodes))
    func `A run of the generator generates only the requested services, with the types that they need`() throws {
        try ProjectFolder.with { folder throws in
            let run = try prepared(in: folder) { $0.set(.services, ["CartService"], from: "test") }
            let all = texts(run).filter { $0.key.hasSuffix(".swift") }.values.joined()
            #expect(all.contains("struct Cart: ") && all.contains("enum Kind: ") && all.contains("CartServiceStub"))
            #expect(!all.contains("StockService") && !all.contains("CountRequest"))
            expectEqual(run.statistics.services, 1)
        }
    }

    @Test(.tags(.commandExitCodes))
    func `A run of the generator rejects unknown services, and names the known ones`() throws {
        try ProjectFolder.with { folder throws in
            let error = #expect(throws: GeneratorError.unknownService) {
                try prepared(in: folder) { $0.set(.services, ["CartService", "CatService"], from: "test") }
            }
            expectEqual(error?.message, "There is no service 'CatService'.")
            expectEqual(error?.hint, "Valid values: CartService, StockService.")
        }
    }

    @Test(.tags(.commandExitCodes)) func `A run of the generator also selects a service by its full name`() throws {
        try ProjectFolder.with { folder throws in
            let run = try prepared(in: folder) { $0.set(.services, ["shop.v1.StockService"], from: "test") }
            #expect(texts(run).keys.contains { $0.hasSuffix("StockService.swift") })
            #expect(!texts(run).keys.contains { $0.hasSuffix("CartService.swift") })
        }
    }

    @Test(.tags(.commandExitCodes))
    func `A run of the generator rejects unknown languages, and names the known ones`() throws {
        try ProjectFolder.with { folder throws in
            let error = #expect(throws: GeneratorError.unsupportedLanguage) {
                try prepared(in: folder) { $0.set(.languages, ["swift", "kotlin"], from: "test") }
            }
            #expect(error?.message.contains("'kotlin'") == true && error?.hint == "Supported: swift.")
        }
    }

    @Test(.tags(.commandExitCodes))
    func `A run of the generator reports all errors of the .proto files before it fails`() throws {
        try ProjectFolder.with { folder throws in
            try folder.write("syntax = \"proto3\";\nmessage A { B b = 1; C c = 2; }\n", to: "bad.proto")
            var settings = GeneratorSettings()
            settings.set(.protoPath, [folder.path + "/bad.proto"], from: "test")
            settings.set(.outputPath, [folder.path + "/out"], from: "test")
            var told: [Diagnostic] = []
            let error = #expect(throws: GeneratorError.invalidProto) {
                try ProjectRun(settings)
                    .prepare(report: { told.append($0) })
            }
            #expect(told.count == 2 && error?.message.hasPrefix("2 errors") == true)
            #expect(!(try folder.names().contains { $0.hasPrefix("out") }))
        }
    }

    @Test func `A run of the generator keeps nothing for the next run`() throws {
        try ProjectFolder.with { folder throws in
            _ = try prepared(in: folder)
            let edited = try prepared(
                Self.proto.replacing("string id = 1; Kind", with: "string code = 1; Kind"), in: folder)
            #expect(texts(edited).values.contains { $0.contains("var code: String") })
        }
    }

    @Test func `A run of the generator names clients by the given suffix`() throws {
        try ProjectFolder.with { folder throws in
            let run = try prepared(in: folder) { $0.set(.clientSuffix, ["Actor"], from: "test") }
            #expect(texts(run).keys.contains("swift/Clients/CartActor.swift"))
        }
    }

    @Test func `A run of the generator omits excluded parts`() throws {
        try ProjectFolder.with { folder throws in
            let run = try prepared(in: folder) {
                $0.set(.tests, ["false"], from: "test")
                $0.set(.documentation, ["false"], from: "test")
            }
            #expect(!texts(run).keys.contains { $0.contains("/Tests/") || $0.contains("/Documentation/") })
            let contracts = try prepared(in: folder) { $0.set(.clients, ["false"], from: "test") }
            #expect(texts(contracts).keys.allSatisfy { $0.contains("/Contracts/") })
        }
    }

    @Test func `A run of the generator reports its progress and its statistics`() throws {
        try ProjectFolder.with { folder throws in
            _ = try prepared(in: folder)
            var settings = GeneratorSettings()
            settings.set(.protoPath, [folder.path + "/shop"], from: "test")
            settings.set(.outputPath, [folder.path + "/out"], from: "test")
            var steps: [Int] = []
            let run = try ProjectRun(settings)
                .prepare(report: { _ in }, progress: { completed, _ in steps.append(completed) })
            expectEqual(steps, [0, 1, 2])
            #expect((run.statistics.protoFiles, run.statistics.services, run.statistics.messages) == (1, 2, 5))
            #expect(run.lineCount > 100 && run.statistics.files == run.plan.steps.count)
            expectEqual(run.inputs, [folder.path + "/shop/v1/shop.proto"])
        }
    }

    @Test func `A run of the generator also generates the types of imports, so that the output is complete`() throws {
        try ProjectFolder.with { folder throws in
            try folder.write(
                "syntax = \"proto3\"; package base; message Money { int64 cents = 1; }", to: "base/money.proto")
            let run = try prepared(
                "syntax = \"proto3\"; package shop.v1; import \"base/money.proto\"; message Price { base.Money money = 1; }",
                in: folder)
            #expect(texts(run).values.contains { $0.contains("struct Money: ") })
        }
    }
}
