// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchFoundation
package import LatchIdentityStorage
import Synchronization

/// The clients of the store, read by their IDs.
///
/// A client is kept in memory for some seconds, within which other nodes still use what it was before a change.
package final class StoredClients: Sendable {
    /// The maximum age of a client in memory.
    package static let maximumAge = Duration.seconds(5)
    /// The time after which a client that registered itself ends if no user has signed in with it.
    package static let firstLife: TimeInterval = 86_400
    /// The time after its last sign-in at which such a client ends, longer than each of its sessions.
    package static let unusedLife: TimeInterval = 90 * 86_400
    private static let capacity = 1000

    private struct Entry {
        let client: VerifiableClient
        let secretEnds: [Date]
        let readAt: Duration
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// The number of clients that were forgotten: one that was read before is not kept after it.
        var forgotten = 0
    }

    private let store: IdentityStore
    private let clock: WallClock
    private let state = Mutex(State())

    package init(store: IdentityStore, clock: WallClock) {
        self.store = store
        self.clock = clock
    }

    /// Returns a client; nil if the store has none with that ID, or if it has ended.
    ///
    /// - Throws: `IdentityError.corruptStore` for a client that cannot be read, or a store's error.
    func client(_ id: String) async throws(IdentityError) -> VerifiableClient? {
        guard OAuthClient.isID(id) else { return nil }
        let (now, uptime) = (clock.now, clock.uptime)
        let (known, forgotten) = state.withLock { ($0.entries[id], $0.forgotten) }
        if let entry = known, entry.client.end.map({ now < $0 }) ?? true, uptime - entry.readAt < Self.maximumAge,
            entry.secretEnds.allSatisfy({ now < $0 })
        {
            return entry.client
        }
        guard let row = try await store.client(id: id), row.expiresAt.map({ now < $0 }) ?? true else { return nil }
        let secrets = row.secrets.filter { $0.endsAt.map { now < $0 } ?? true }
        let client = try Self.registered(row, secrets)
        state.withLock { state in
            guard state.forgotten == forgotten else { return }
            if state.entries.count >= Self.capacity, let first = state.entries.keys.first { state.entries[first] = nil }
            state.entries[id] = Entry(
                client: client, secretEnds: secrets.compactMap(\.endsAt), readAt: uptime)
        }
        return client
    }

    private static func registered(
        _ row: StoredClient, _ secrets: [StoredClient.Secret]
    ) throws(IdentityError) -> VerifiableClient {
        let client = try OAuthClient(stored: row)
        do throws(IdentityError) {
            return try VerifiableClient(client, secretDigests: secrets.map(\.digest), end: row.expiresAt)
        } catch {
            // The caller has not written the row.
            throw .corruptStore("the client '\(row.id)' cannot be used: \(error.message)")
        }
    }

    /// Notes that a user has signed in with a client that registered itself.
    func noteUse(of id: String) async throws(IdentityError) {
        let now = clock.now
        try await store.extend(
            client: id, until: now.addingTimeInterval(Self.unusedLife),
            endingBefore: now.addingTimeInterval(Self.unusedLife * 2 / 3))
    }

    /// Reads a client from the store at its next use, since this process has changed it.
    package func forget(_ id: String) {
        state.withLock { state in
            state.entries[id] = nil
            state.forgotten += 1
        }
    }
}

extension OAuthClient {
    /// Reads a client of the store.
    ///
    /// - Throws: `IdentityError.corruptStore`.
    package init(stored row: StoredClient) throws(IdentityError) {
        var members: JSONObject?
        do throws(JSONError) { members = try JSONValue(parsing: row.members).objectValue } catch { members = nil }
        guard var members else { throw .corruptStore("the client '\(row.id)' is not a JSON object") }
        members["id"] = .string(row.id)
        // A server of a later version may have written the row.
        for name in members.keys where !Self.memberNames.contains(name) { members[name] = nil }
        self = try Self.reading(members) { .corruptStore("the client '\(row.id)' cannot be read: \($0)") }
        registeredAt = row.createdAt
        guard row.isSelfRegistered else { return }
        registersItself = true
        // What no metadata can say, an operator who changes such a client cannot give it either.
        (isTrusted, introspectsAllTokens, requiresPKCE, serves) = (false, false, true, [])
        grants.formIntersection(ClientMetadataRules.registrableGrants)
    }

    /// Reads the members of `[[clients]]`.
    ///
    /// - Parameter unusable: Returns the error for a reason, which is a sentence without its full stop.
    package static func reading(
        _ members: JSONObject, unusable: (String) -> IdentityError
    ) throws(IdentityError) -> OAuthClient {
        do throws(SettingTable.MemberError) { return try reading(members) } catch { throw unusable(error.reason) }
    }

    /// Returns the members as they are stored: those of `[[clients]]` without the ID.
    ///
    /// - Parameter operatorMembers: The names of those that the client must not change itself.
    package func storedMembers(fixing operatorMembers: Set<String> = []) -> String {
        var members = table
        members["id"] = nil
        if !operatorMembers.isEmpty {
            members[StoredClient.operatorMembersName] = .array(operatorMembers.sorted().map { .string($0) })
        }
        return String(decoding: JSONValue.object(members).serialized(), as: UTF8.self)
    }

    /// Returns the names of the members that differ between two states of a client.
    package func differences(from other: OAuthClient) -> Set<String> {
        let (mine, others) = (table, other.table)
        return Set(mine.keys).union(others.keys).filter { mine[$0] != others[$0] }
    }

    /// Returns the client with some members of another state of it.
    ///
    /// - Throws: `WordError` if they do not fit together.
    package func taking(_ names: Set<String>, from other: OAuthClient) throws(WordError) -> OAuthClient {
        guard !names.isEmpty else { return self }
        var members = table
        let others = other.table
        for name in names { members[name] = others[name] }
        do throws(SettingTable.MemberError) {
            var client = try Self.reading(members)
            (client.registersItself, client.registeredAt) = (registersItself, registeredAt)
            return client
        } catch {
            throw WordError(reason: error.reason)
        }
    }
}

extension StoredClient {
    /// The name of the list in the stored members, which no client has.
    static let operatorMembersName = "operator_members"

    /// The names of the members that an operator has changed after the client had registered itself.
    package var operatorMembers: Set<String> {
        do throws(JSONError) {
            let names = try JSONValue(parsing: members)[Self.operatorMembersName]?.arrayValue ?? []
            return Set(names.compactMap(\.stringValue))
        } catch {
            // The client itself cannot be read either.
            return []
        }
    }
}
