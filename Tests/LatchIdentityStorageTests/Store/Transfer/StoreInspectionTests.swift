// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import TestSupport
import Testing

@testable import LatchIdentity

@Suite struct StoreInspectionTests {
    private let key = String(repeating: "5c", count: 32)

    private func inspected(
        _ location: String, storeKey: String? = nil, tokenPepper: String? = nil
    ) async throws -> StoreInspection {
        try await StoreAdministration(storeKey: storeKey).inspect(location, tokenPepper: tokenPepper)
    }

    /// Makes a store with the keys of a server.
    private func used(_ location: String, storeKey: String?) async throws {
        var configuration = IdentityConfiguration()
        configuration.storeKey = storeKey
        await (try await Identity(configuration: configuration, storePath: location, mailer: MemoryMailer())).close()
    }

    @Test func `The inspection of a store reads a file, changes nothing, and checks the key`() async throws {
        let folder = try TemporaryFolder()
        await (try IdentityStore(path: folder.file())).close()
        try await expectNil(inspected(folder.file(), storeKey: key).keyFailure)
        try FileManager.default.removeItem(atPath: folder.file())
        try await used(folder.file(), storeKey: key)
        let before = try Data(contentsOf: URL(filePath: folder.file()))
        let found = try await inspected(folder.file(), storeKey: key)
        #expect(found.schema.due == nil && found.keyFailure == nil)
        #expect(found.clockOffset == nil && found.durability == nil)
        #expect(try await inspected(folder.file()).keyFailure != nil)
        let other = try await inspected(folder.file(), storeKey: String(repeating: "6d", count: 32))
        #expect(other.keyFailure != nil && "\(String(describing: other.keyFailure))".contains("6d6d") == false)
        let peppered = try await inspected(folder.file(), storeKey: key, tokenPepper: "another")
        expectEqual(peppered.keyFailure?.code, "anotherPepper")
        try expectEqual(Data(contentsOf: URL(filePath: folder.file())), before)
    }

    @Test(needsPostgres)
    func `The inspection of a store reads date and durability of a database, with tables and without`() async throws {
        let address = try await IdentityDatabase.create()
        let empty = try await inspected(address)
        #expect(empty.schema.found == 0 && empty.schema.due != nil && empty.keyFailure == nil)
        try await used(address, storeKey: nil)
        let found = try await inspected(address)
        #expect(found.schema.due == nil && found.keyFailure == nil)
        #expect(abs(try #require(found.clockOffset)) < 60)
        let durability = try #require(found.durability)
        #expect(durability.settings.count == 4 && durability.standbys == 0 && !durability.losesCommitsAtFailover)
        expectEqual(durability.version.utf8.first.map { (0x31...0x39).contains($0) }, true)
    }

    @Test(
        arguments: [
            (["fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"], []),
            (["fsync": "off", "synchronous_commit": "remote_apply"], ["fsync = off"]),
            (
                ["full_page_writes": "off", "synchronous_commit": "local"],
                ["full_page_writes = off", "synchronous_commit = local"]
            ),
            ([:], []),
        ] as [([String: String], [String])])
    func `The inspection of a store names the settings by which a commit can be lost`(
        settings: [String: String], hazards: [String]
    ) {
        expectEqual(DatabaseDurability(version: "15", settings: settings, standbys: 0).hazards, hazards)
    }

    @Test(arguments: [(0, "", false), (1, "", true), (1, "ANY 1 (*)", false)])
    func `The inspection of a store detects a failover that loses commits`(standbys: Int, names: String, loses: Bool) {
        let settings = ["synchronous_standby_names": names]
        let durability = DatabaseDurability(version: "15", settings: settings, standbys: standbys)
        expectEqual(durability.losesCommitsAtFailover, loses)
    }
}
