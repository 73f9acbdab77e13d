// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchTesting
import Testing

@testable import LatchCore

@Suite struct NewFileTests {
    private func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test func `A new file appears complete or not at all, and leaves nothing next to it`() async throws {
        try await withTemporaryFolder { folder in
            do {
                let file = try NewFile(folder + "/store")
                try file.write([1, 2])
                try expectEqual(names(folder).count, 2)
            }
            #expect(try names(folder).isEmpty)
            do {
                let file = try NewFile(folder + "/store")
                try file.write([3])
                try file.publish()
            }
            #expect(try names(folder) == ["store"] && AtomicFile(folder + "/store").read() == [3])
        }
    }

    @Test func `A new file removes the leftovers of a killed process, but not of another writer`() async throws {
        try await withTemporaryFolder { folder in
            let (killed, other) = (String(repeating: "a", count: 32), String(repeating: "b", count: 32))
            for name in ["store.\(killed).tmp", "store.\(killed).tmp.lock", "store.old.tmp.lock", "store.\(other).tmp"]
            {
                #expect(FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: Data([1])))
            }
            // A descriptor of its own excludes others of this process as well.
            let holder = try FileLock("\(folder)/store.\(other).tmp.lock").tryAcquire()
            let running = try NewFile(folder + "/store")
            let second = try NewFile(folder + "/store")
            #expect(
                try Set(names(folder)).isSuperset(of: [
                    "store.\(other).tmp", "store.\(other).tmp.lock", "store.old.tmp.lock",
                ]))
            #expect(try !names(folder).contains { $0.contains(killed) })
            #expect([running, second].allSatisfy { FileManager.default.fileExists(atPath: $0.temporaryPath) })
            holder?.release()
            _ = try NewFile(folder + "/store")
            #expect(try !names(folder).contains { $0.contains(other) })
        }
    }
}
