// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchProcess
import LatchTesting
import TestSupport
import Testing

/// A folder with .proto files, and calls of the generator in it, as a person would type them.
struct GeneratorCall: Sendable {
    static let shop = """
        syntax = "proto3";

        package shop.v1;

        // What is for sale.
        service ShopService {
          rpc GetItems(GetItemsRequest) returns (GetItemsResponse);
        }

        service StockService {
          rpc Count(CountRequest) returns (CountResponse);
        }

        message GetItemsRequest { int32 limit = 1; }
        message GetItemsResponse { repeated Item items = 1; }
        message Item { string id = 1; string title = 2; }
        message CountRequest { string id = 1; }
        message CountResponse { int32 count = 1; }

        """

    /// The programs that have the generator's subcommands.
    static let programs = ["latch", "axiom-client-generator"]

    let folder: String

    /// Runs `body` in a new folder that holds `shop/v1/shop.proto` and other files.
    static func with<Result: Sendable>(
        _ files: [String: String] = [:], _ body: (GeneratorCall) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryFolder { folder in
            let call = GeneratorCall(folder: folder)
            for (name, text) in files.merging(["shop/v1/shop.proto": shop], uniquingKeysWith: { own, _ in own }) {
                try call.write(text, to: name)
            }
            return try await body(call)
        }
    }

    /// Runs a program to its end, in the folder.
    func run(
        _ program: String = "axiom-client-generator", _ arguments: String..., environment: [String: String] = [:]
    ) async throws -> BuiltProgram.Outcome {
        let process = try start(program, arguments, environment: environment)
        return await BuiltProgram.outcome(of: process, in: folder)
    }

    /// Runs a program to its end with words that were made elsewhere.
    func run(_ program: String, _ arguments: [String]) async throws -> BuiltProgram.Outcome {
        await BuiltProgram.outcome(of: try start(program, arguments), in: folder)
    }

    func start(
        _ program: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> ChildProcess {
        let errors = folder + "/error"
        if FileManager.default.fileExists(atPath: errors) { try FileManager.default.removeItem(atPath: errors) }
        let own = BuiltProgram.environment(environment).filter {
            !$0.key.hasPrefix("AXIOM_") || environment[$0.key] != nil
        }
        return try ChildProcess.start(
            "\(BuiltProgram.folder)/\(program)", arguments, environment: own, in: folder, errors: .file(errors))
    }

    func write(_ text: String, to name: String) throws {
        let url = URL(filePath: "\(folder)/\(name)")
        try FileManager.default.createDirectory(
            atPath: url.deletingLastPathComponent().path, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: "\(folder)/\(name)").map { String(decoding: $0, as: UTF8.self) }
    }

    /// All files below a part of the folder, with what they hold.
    func content(_ part: String) throws -> [String: String] {
        guard FileManager.default.fileExists(atPath: "\(folder)/\(part)") else { return [:] }
        var content: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: "\(folder)/\(part)") {
            if let text = text("\(part)/\(name)"), !text.isEmpty { content[name] = text }
        }
        return content
    }
}
