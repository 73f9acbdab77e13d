// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchFoundation
import Synchronization

/// The list of a store's signing keys: the present keys with their times, and the ended keys.
///
/// It is one sealed secret, while rows are sealed one by one. An attacker who can write the store could restore the row
/// of an ended key, with any time. Without the list, the servers would then sign with a stolen key.
package struct SigningKeyList: Sendable, Hashable {
    /// The times of a key.
    package struct Times: Sendable, Hashable {
        package let createdAt: Date
        package let signsAt: Date
    }

    /// The times of the keys by their IDs.
    package private(set) var keys: [String: Times] = [:]
    /// The IDs of the ended keys.
    package private(set) var ended: Set<String> = []

    /// Creates the list for a store without a list.
    package init() {}

    /// Reads a stored list.
    ///
    /// - Throws: `IdentityError.corruptStore`.
    package init(_ content: [UInt8]) throws(IdentityError) {
        guard let value = try? JSONValue(parsing: content), let keys = value["keys"]?.objectValue,
            let ended = value["ended"]?.arrayValue
        else { throw .corruptStore("the list of signing keys cannot be read") }
        for (id, times) in keys {
            guard let created = times["created_at"]?.intValue, let signs = times["signs_at"]?.intValue else {
                throw .corruptStore("the list of signing keys cannot be read")
            }
            self.keys[id] = Times(
                createdAt: Date(storedMilliseconds: Int64(created)), signsAt: Date(storedMilliseconds: Int64(signs)))
        }
        self.ended = Set(ended.compactMap(\.stringValue))
    }

    /// The content to store, before its encryption.
    package var content: [UInt8] {
        let keys = keys.mapValues { times in
            JSONValue.object([
                "created_at": .integer(times.createdAt.storedMilliseconds),
                "signs_at": .integer(times.signsAt.storedMilliseconds),
            ])
        }
        return JSONValue.object([
            "keys": .object(JSONObject(keys.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) })),
            "ended": .array(ended.sorted().map { .string($0) }),
        ]).serialized()
    }

    /// Ends keys permanently.
    package mutating func end(_ ids: some Sequence<String>) {
        ended.formUnion(ids)
        keys = keys.filter { !ended.contains($0.key) }
    }

    /// Updates the list from the rows of a store: a key without a row has ended.
    ///
    /// A new row comes from a server of an earlier version, which does not know the list.
    package mutating func take(_ rows: [StoredKey]) {
        let ids = Set(rows.map(\.id))
        end(keys.keys.filter { !ids.contains($0) })
        for row in rows where keys[row.id] == nil && !ended.contains(row.id) {
            keys[row.id] = Times(createdAt: row.createdAt, signsAt: row.signsAt)
        }
    }

    /// Returns the rows of keys that have not ended, with the times of the list, the latest `signsAt` first.
    package func present(among rows: [StoredKey]) -> [StoredKey] {
        rows.filter { !ended.contains($0.id) }.map { row in
            guard let times = keys[row.id] else { return row }
            return StoredKey(
                id: row.id, privateJWK: row.privateJWK, createdAt: times.createdAt, signsAt: times.signsAt,
                sealedBy: row.sealedBy)
        }.sorted { ($1.signsAt, $0.id) < ($0.signsAt, $1.id) }
    }
}

/// The ended keys that a server has seen, so that restoring an earlier list does not restore them.
package final class EndedKeys: Sendable {
    private let ids = Mutex(Set<String>())

    package init() {}

    /// Remembers further keys, and returns all of them.
    func including(_ more: Set<String>) -> Set<String> {
        ids.withLock { ids in
            ids.formUnion(more)
            return ids
        }
    }
}

extension Keyring {
    /// Returns the stored list of the signing keys, with the ended keys that this server has seen.
    package func list(of stored: StoredKeys) throws(IdentityError) -> SigningKeyList {
        var list = SigningKeyList()
        if let secret = stored.signingKeyList { list = try SigningKeyList(try open(secret)) }
        // This also covers a list that an attacker has removed.
        list.end(ended.including(list.ended))
        return list
    }

    /// Returns whether the stored list must be replaced.
    ///
    /// It must if it lacks a key or an end that this server has seen, or if an ended key has a row.
    package func isListDue(for stored: StoredKeys) throws(IdentityError) -> Bool {
        guard let secret = stored.signingKeyList else { return true }
        var next = try list(of: stored)
        next.take(stored.signing)
        return try next != SigningKeyList(try open(secret)) || stored.signing.contains { next.ended.contains($0.id) }
    }

    /// Returns a change of the signing keys with the list after the change.
    ///
    /// It removes the rows of ended keys that an attacker has restored.
    ///
    /// - Parameters:
    ///   - ended: IDs of further keys that have ended.
    ///   - added: New keys.
    ///   - ending: The keys that the change ends, with the names of their audit events.
    package func change(
        of stored: StoredKeys, ended: [String] = [], adding added: [StoredKey] = [], ending: [String] = [],
        recording event: String = "key.ended"
    ) throws(IdentityError) -> KeyChange {
        var list = try list(of: stored)
        list.end(ended)
        let returned = stored.signing.map(\.id).filter(list.ended.contains)
        list.end(ending)
        list.take(stored.signing + added)
        return KeyChange(
            inserted: added,
            removed: returned.map { KeyChange.Removal(id: $0, event: "key.refused") }
                + ending.map { KeyChange.Removal(id: $0, event: event) },
            list: try sealed(list.content, named: StoredKeys.signingKeyListName))
    }
}

extension StoredKeys {
    static let signingKeyListName = "signing_keys"

    /// The list of signing keys; nil before a server of this version has started.
    package var signingKeyList: StoredSecret? { secrets.first { $0.name == Self.signingKeyListName } }
}
