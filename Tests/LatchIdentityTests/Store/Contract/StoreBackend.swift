// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import LatchIdentity

/// A database on which the contract of `IdentityStore` is tested; a further database is another element of `all`.
struct StoreBackend: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Opens an empty store, and returns it with a function that reads its audit log.
    let open: @Sendable () async throws -> (any IdentityStore, audit: @Sendable () async throws -> [AuditEntry])

    static let all: [StoreBackend] = {
        let memory = "/dev/shm"
        let disk = StoreBackend.sqlite("SQLite on disk", in: FileManager.default.temporaryDirectory.path)
        guard FileManager.default.fileExists(atPath: memory) else { return [disk] }
        return [disk, .sqlite("SQLite in memory", in: memory)]
    }()

    private static func sqlite(_ name: String, in parent: String) -> StoreBackend {
        StoreBackend(testDescription: name) {
            let folder = try TemporaryFolder(in: parent)
            let store = try SQLiteIdentityStore(path: folder.file())
            return (
                store,
                {
                    try SQLiteConnection(path: folder.file(), access: .readOnly).all(
                        "SELECT event, account_id, detail FROM audit ORDER BY id"
                    ) { row throws(IdentityError) in
                        AuditEntry(
                            event: try row.text(0), accountID: try row.optionalText(1), detail: try row.optionalText(2))
                    }
                }
            )
        }
    }

    /// Opens a store with one account and one device of it.
    func populated() async throws -> StoreFixture {
        let (store, audit) = try await open()
        let account = try Account.example()
        let device = Device.example(of: account)
        try await store.insert(account, details: nil)
        _ = try await store.insert(device, for: account)
        return StoreFixture(store: store, account: account, device: device, audit: audit)
    }
}

/// An entry of the audit log.
struct AuditEntry: Sendable, Hashable {
    let event: String
    var accountID: String?
    var detail: String?
}

/// A store with one account and one device of it.
struct StoreFixture: Sendable {
    let store: any IdentityStore
    let account: Account
    let device: Device
    let audit: @Sendable () async throws -> [AuditEntry]
}
