// SPDX-License-Identifier: Apache-2.0

import Foundation
package import LatchIdentity
import LatchPostgres
import TestSupport
package import Testing

/// A database on which the contract of `IdentityStore` is tested; a further database is another element of `all`.
package struct StoreBackend: Sendable, CustomTestStringConvertible {
    package let testDescription: String
    /// Opens an empty store, and returns it with a function that reads its audit log.
    package let open: @Sendable () async throws -> (IdentityStore, audit: @Sendable () async throws -> [AuditEntry])

    package static let all: [StoreBackend] = {
        let memory = "/dev/shm"
        let disk = StoreBackend.sqlite("SQLite on disk", in: FileManager.default.temporaryDirectory.path)
        var backends = [disk]
        if FileManager.default.fileExists(atPath: memory) { backends.append(.sqlite("SQLite in memory", in: memory)) }
        if ProcessInfo.processInfo.environment["LATCH_INTEROP"] != nil { backends.append(.postgres) }
        return backends
    }()

    /// A database of its own on a server that all tests share; `make interop` installs it.
    private static let postgres = StoreBackend(testDescription: "PostgreSQL") {
        let address = try await IdentityDatabase.create()
        let store = IdentityStore(try await PostgresBackend.open(address))
        return (store, { try await store.auditEntries() })
    }

    private static func sqlite(_ name: String, in parent: String) -> StoreBackend {
        StoreBackend(testDescription: name) {
            let folder = try TemporaryFolder(in: parent)
            let store = try IdentityStore(path: folder.file())
            return (
                store,
                {
                    // The folder goes with this function.
                    _ = folder
                    return try await store.auditEntries()
                }
            )
        }
    }

    /// Opens a store with one account and one device of it.
    package func populated() async throws -> StoreFixture {
        let (store, audit) = try await open()
        let account = try Account.example()
        let device = Device.example(of: account)
        try await store.insert(account, details: nil)
        _ = try await store.insert(device, for: account)
        return StoreFixture(store: store, account: account, device: device, audit: audit)
    }
}

/// An entry of the audit log.
package struct AuditEntry: Sendable, Hashable {
    package let event: String
    package var accountID: String?
    package var detail: String?

    package init(event: String, accountID: String? = nil, detail: String? = nil) {
        (self.event, self.accountID, self.detail) = (event, accountID, detail)
    }
}

/// A store with one account and one device of it.
package struct StoreFixture: Sendable {
    package let store: IdentityStore
    package let account: Account
    package let device: Device
    package let audit: @Sendable () async throws -> [AuditEntry]
}

extension IdentityStore {
    /// The audit log, the oldest entry first.
    fileprivate func auditEntries() async throws -> [AuditEntry] {
        try await all("SELECT event, account_id, detail FROM audit ORDER BY id", []) { row throws(IdentityError) in
            AuditEntry(event: try row.text(0), accountID: try row.optionalText(1), detail: try row.optionalText(2))
        }
    }
}

/// Expects that a row has another value in each property than a plain one, so that a test of its columns notices one that
/// is not read.
package func expectFilled<Row>(_ row: Row, unlike plain: Row, at location: SourceLocation = #_sourceLocation) {
    for (one, other) in zip(Mirror(reflecting: row).children, Mirror(reflecting: plain).children)
    where one.value as? AnyHashable == other.value as? AnyHashable {
        Issue.record("the test gives '\(one.label ?? "")' no value of its own", sourceLocation: location)
    }
}
