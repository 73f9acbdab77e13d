// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchProcess
import LatchTesting
import TestSupport
import Testing

@testable import latch

@Suite struct UnservableStoreTests {
    /// Returns the error of a call with this store, which must leave the file unchanged.
    private func refusal(of store: String, in folder: String) async throws -> String {
        let before = FileManager.default.contents(atPath: store)
        let process = try BuiltProgram.start(
            ["serve", "--listen", "127.0.0.1:0", "--store", "sqlite:\(store)"], in: folder,
            environment: ["LATCH_MAIL_DIRECTORY": folder])
        let outcome = await BuiltProgram.outcome(of: process, in: folder)
        expectEqual(FileManager.default.contents(atPath: store), before)
        expectEqual(outcome.ending, .exited(1))
        #expect(outcome.output.isEmpty)
        expectEqual(outcome.error.count, 2)
        expectEqual(outcome.error.last?.hasPrefix("hint: "), true)
        return outcome.error.first ?? ""
    }

    /// A store as a server left it.
    private func made(in folder: String) async throws -> String {
        try await BuiltProgram.serving(in: folder) { process, _ in
            process.terminate()
            await expectEqual(process.end(), .exited(0))
        }
        return folder + "/latch.sqlite"
    }

    private func change(_ store: String, _ body: (inout [UInt8]) -> Void) throws {
        var bytes = Array(try #require(FileManager.default.contents(atPath: store)))
        body(&bytes)
        try Data(bytes).write(to: URL(filePath: store))
    }

    @Test func `A store that cannot be served is damaged`() async throws {
        try await withTemporaryFolder { folder in
            let store = try await made(in: folder)
            try change(store) { bytes in
                for index in stride(from: 4096, to: bytes.count, by: 3) { bytes[index] ^= 0x5A }
            }
            let said = try await refusal(of: store, in: folder)
            #expect(said.contains("damaged"))
        }
    }

    @Test func `A store that cannot be served is of a newer schema`() async throws {
        try await withTemporaryFolder { folder in
            let store = try await made(in: folder)
            // https://sqlite.org/fileformat.html §1.3.15: the user version stands at offset 60.
            try change(store) { $0[60] = 0x7F }
            let said = try await refusal(of: store, in: folder)
            #expect(said.contains("schema"))
        }
    }

    @Test func `A store that cannot be served is another program's file`() async throws {
        try await withTemporaryFolder { folder in
            let store = folder + "/notes.txt"
            try Data(repeating: 0x61, count: 500).write(to: URL(filePath: store))
            let said = try await refusal(of: store, in: folder)
            #expect(said.contains("is not a store"))
        }
    }

    @Test func `A store that cannot be served is read-only`() async throws {
        try await withTemporaryFolder { folder in
            let store = try await made(in: folder)
            try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: store)
            let said = try await refusal(of: store, in: folder)
            #expect(said.contains("cannot be written"))
        }
    }

    @Test
    func `A store that cannot be served is not created, nor opened, by a server whose port is in use`() async throws {
        try await withTemporaryFolder { folder in
            try await BuiltProgram.serving(in: folder) { _, url in
                for store in ["new.sqlite", "latch.sqlite"] {
                    let outcome = try await BuiltProgram.run(
                        "serve", "--listen", String(url.dropFirst("http://".count)), "--store",
                        "sqlite:\(folder)/\(store)")
                    expectEqual(outcome.ending, .exited(1))
                    expectEqual(outcome.error.first?.contains("already listens"), true, "\(outcome.error)")
                }
                let names = try FileManager.default.contentsOfDirectory(atPath: folder)
                #expect(!names.contains { $0.hasPrefix("new.sqlite") })
            }
        }
    }

    @Test func `A store that cannot be served is in a folder that does not exist`() async throws {
        try await withTemporaryFolder { folder in
            let said = try await refusal(of: folder + "/none/latch.sqlite", in: folder)
            #expect(said.contains("does not exist"))
        }
    }
}
