// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCrypto
package import LatchFoundation

/// A selection of entries of the audit log.
package struct AuditQuery: Sendable, Hashable {
    /// The entry before which to begin; nil for the newest.
    package var before: Int64?
    /// The account of the entries; nil selects all entries, including those without an account.
    package var accountID: String?
    /// The event of the entries, such as `key.created`; nil for all.
    package var event: String?
    /// The earliest time of the entries.
    package var since: Date?
    /// The maximum number of entries.
    package var limit: Int

    /// Selects the newest entries.
    package init(limit: Int) { self.limit = limit }
}

/// Entries of the audit log, the newest first.
package struct AuditPage: Sendable, Hashable {
    package let records: [AuditRecord]
    /// The entry before which the next page begins; nil if there is none.
    package let next: Int64?
}

/// An entry of the audit log.
package struct AuditRecord: Sendable, Hashable {
    package let id: Int64
    package let at: Date
    package let event: String
    package let accountID: String?
    package let detail: String?
}

/// The result of a check of the audit log.
package enum AuditVerification: Sendable, Hashable {
    /// All entries are as they were written; the last digest can be noted elsewhere and compared later.
    case intact(count: Int, digest: [UInt8])
    /// The first entry that does not fit the chain.
    case damaged(id: Int64, reason: String)
}

/// The keyed digests of the audit log (HMAC-SHA256, RFC 2104).
package struct AuditChain: Sendable {
    /// The end of the chain, and the entry after which it begins.
    package struct Head: Sendable, Hashable {
        /// The id of the last removed entry; 0 if none was removed.
        var baseID: Int64 = 0
        /// The digest of the last removed entry; empty if none was removed.
        var baseDigest: [UInt8] = []
        /// The id of the last entry that was added, even if it has been removed; 0 if there was none.
        package var lastID: Int64 = 0
        /// The digest of that entry; empty if there was none.
        var lastDigest: [UInt8] = []
    }

    private let key: SymmetricKey

    package init(_ key: [UInt8]) { self.key = SymmetricKey(data: key).derived(for: "latch audit") }

    /// Returns the chain with a name.
    ///
    /// Several chains share one key. An entry or a head of one chain fits no other chain.
    package func named(_ name: String) -> AuditChain { AuditChain(key.derived(for: "latch audit chain \(name)")) }

    private init(_ key: SymmetricKey) { self.key = key }

    /// Returns the digest of an entry after another one.
    package func digest(of record: AuditRecord, after previous: [UInt8]) -> [UInt8] {
        let texts = [record.event, record.accountID, record.detail].map { $0.map { Array($0.utf8) } }
        return code(
            [Array("entry".utf8), previous, bytes(record.id), bytes(record.at.storedMilliseconds)] + texts)
    }

    /// Returns the digest of the head, which reveals a chain that was cut at its end.
    package func digest(of head: Head) -> [UInt8] {
        code([Array("head".utf8), bytes(head.baseID), head.baseDigest, bytes(head.lastID), head.lastDigest])
    }

    /// Returns the authentication code of a list of fields.
    ///
    /// Each field has its length, so that no two lists have the same bytes.
    private func code(_ fields: [[UInt8]?]) -> [UInt8] {
        var content: [UInt8] = []
        for field in fields { content += bytes(Int64(field?.count ?? -1)) + (field ?? []) }
        return Array(HMAC<SHA256>.authenticationCode(for: content, using: key))
    }

    private func bytes(_ number: Int64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}

extension AuditChain: Redacting {}
