// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchProcess
import Testing

/// The compiler of documentation that comes with a toolchain.
private enum DocC {
    static let hint: Comment = "there is no docc beside swift: install a complete toolchain"

    static func isPresent() async -> Bool {
        (try? await ChildProcess.run("/usr/bin/env", ["docc", "--help"]))?.0 == .exited(0)
    }
}

@Suite(.enabled(DocC.hint) { await DocC.isPresent() }) struct DocumentationTests {
    @Test(arguments: [[], ["--services", "ShopService"]])
    func `A generated folder of documentation is a catalog without warnings of DocC, for one or two clients`(
        selection: [String]
    )
        async throws
    {
        try await GeneratorCall.with(["shop/v1/shop.proto": Self.shop]) { call in
            let outcome = try await call.run(
                "axiom-client-generator", ["generate", "--proto-path", "shop", "--output-path", "made"] + selection)
            expectEqual(outcome.ending, .exited(0))
            let catalog = "\(call.folder)/Documentation.docc"
            try FileManager.default.moveItem(atPath: "\(call.folder)/made/swift/Documentation", toPath: catalog)
            let (ending, output) = try await ChildProcess.run(
                "/usr/bin/env",
                [
                    "docc", "convert", catalog, "--output-path", "\(call.folder)/Shop.doccarchive",
                    "--fallback-display-name", "Shop", "--fallback-bundle-identifier", "shop", "--warnings-as-errors",
                ])
            expectEqual(ending, .exited(0), "\(String(decoding: output, as: UTF8.self))")
            let written = try Self.count(of: ".md", in: catalog)
            let articles = try Self.count(of: ".json", in: "\(call.folder)/Shop.doccarchive/data/documentation/shop")
            expectEqual(written, selection.isEmpty ? 10 : 5)
            expectEqual(articles, written)
        }
    }

    private static func count(of ending: String, in folder: String) throws -> Int {
        try FileManager.default.subpathsOfDirectory(atPath: folder).count { $0.hasSuffix(ending) }
    }

    private static let shop = """
        syntax = "proto3";
        package shop.v1;

        // What is for sale: 1 < 2 | "3".
        service ShopService {
          rpc GetItems(Choice) returns (Items);
          // Looks, in a way of its own.
          rpc Look(Choice) returns (Items);
        }
        service StockService { rpc CreateItem(Item) returns (Items); }

        message Choice { int32 limit = 1; }
        message Items { repeated Item items = 1; }
        message Item { string id = 1; string title = 2; }

        """
}
