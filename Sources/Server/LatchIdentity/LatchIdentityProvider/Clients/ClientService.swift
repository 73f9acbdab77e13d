// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchFoundation
package import LatchIdentityAccounts
package import LatchIdentityStorage
import LatchJOSE

/// The administration of the clients that are registered in the store.
package struct ClientService: Sendable {
    let store: IdentityStore
    let clock: WallClock
    let random: RandomSource
    let clients: OAuthClients
    let stored: StoredClients
    let signingKeys: SigningKeyService
    let resources: ResourcePolicy

    /// A client of the store, as its operator sees it.
    package struct Registered: Sendable {
        package let client: OAuthClient
        package let row: StoredClient
        /// The secret that was made for it, which is shown once.
        package var secret: String?
        /// The reason why the row cannot be read, and `client` has nothing but its ID; nil if it can.
        package var problem: String?

        /// The names of the members that ``json`` adds.
        package static let addedMembers = [
            "registered_itself", "operator_members", "created_at", "updated_at", "expires_at", "secrets", "problem",
            "client_secret",
        ]

        /// The client as JSON: the members that differ from those of a new one, and what the store adds.
        package var json: JSONObject {
            let date = { (date: Date?) in date.map { JSONValue.string($0.formatted(.iso8601)) } ?? .null }
            var json = client.table
            json["registered_itself"] = .bool(row.isSelfRegistered)
            let fixed = row.operatorMembers
            if !fixed.isEmpty { json["operator_members"] = .array(fixed.sorted().map { .string($0) }) }
            json["created_at"] = date(row.createdAt)
            json["updated_at"] = date(row.updatedAt)
            json["expires_at"] = row.expiresAt.map { date($0) }
            json["secrets"] = .array(
                row.secrets.map { ["created_at": date($0.createdAt), "ends_at": date($0.endsAt)] })
            json["problem"] = problem.map { .string($0) }
            json["client_secret"] = secret.map { .string($0) }
            return json
        }
    }

    /// The time for which a replaced secret stays valid, unless the operator names another.
    package static let secretOverlap = Duration.seconds(86_400)

    /// Returns the clients of the store in the order of their IDs.
    package func list(after previous: String? = nil, limit: Int = 500) async throws(IdentityError) -> [Registered] {
        try await store.clients(after: previous, limit: limit).map(readable)
    }

    /// Returns the client of a row, also of one that cannot be read: it must not hide the others, and can be removed.
    private func readable(_ row: StoredClient) throws(IdentityError) -> Registered {
        do throws(IdentityError) { return Registered(client: try OAuthClient(stored: row), row: row) } catch {
            guard error == .corruptStore("") else { throw error }
            return Registered(client: OAuthClient(id: row.id), row: row, problem: error.message)
        }
    }

    /// Returns a client of the store.
    ///
    /// - Throws: `IdentityError.noSuchClient`, or a store's error.
    package func client(_ id: String) async throws(IdentityError) -> Registered {
        guard let row = try await store.client(id: id) else { throw .noSuchClient }
        return Registered(client: try OAuthClient(stored: row), row: row)
    }

    /// Returns a client of the store, also one that cannot be read, as ``list(after:limit:)`` does.
    package func listed(_ id: String) async throws(IdentityError) -> Registered {
        guard let row = try await store.client(id: id) else { throw .noSuchClient }
        return try readable(row)
    }

    /// Registers a client, with a secret if it authenticates with one.
    ///
    /// - Parameter actor: The operator who does it, for the audit log.
    /// - Throws: `IdentityError.clientExists`, `.unusableSetting` for a client that could not be used, or a store's
    ///   error.
    package func create(_ client: OAuthClient, by actor: String) async throws(IdentityError) -> Registered {
        try await insert(client, registrationDigest: nil, detail: "\(client.id) by \(actor)")
    }

    /// Inserts a client of an operator, or one that registers itself.
    func insert(
        _ client: OAuthClient, registrationDigest: [UInt8]?, spending token: [UInt8]? = nil, limit: Int? = nil,
        until end: Date? = nil, detail: String
    ) async throws(IdentityError) -> Registered {
        guard !clients.isConfigured(client.id) else { throw .clientExists }
        // Browsers remove these from the URL of a page.
        guard ![".", ".."].contains(client.id) else { throw .invalid("id", "must have a letter or a digit") }
        try await check(client)
        let secret = client.profiled.hasSecret ? newSecret() : nil
        let now = clock.now
        let row = StoredClient(
            id: client.id, members: client.storedMembers(),
            secrets: secret.map { [StoredClient.Secret(digest: $0.digest, createdAt: now)] } ?? [],
            registrationDigest: registrationDigest, createdAt: now, expiresAt: end)
        try await store.insert(row, spending: token, limit: limit, detail: detail.sanitized(200))
        stored.forget(client.id)
        return Registered(client: client, row: row, secret: secret)
    }

    /// Replaces the members of a client.
    ///
    /// A client that has no secret and now authenticates with one gets it; one that no longer does loses its secrets.
    ///
    /// What the operator changes of a client that registered itself is fixed: the client cannot change it back.
    ///
    /// - Parameter version: The ``StoredClient/version`` that the caller has read; nil for any.
    /// - Throws: `IdentityError.noSuchClient`, `.clientChanged`, `.unusableSetting`, or a store's error.
    package func update(
        _ client: OAuthClient, from version: String? = nil, by actor: String
    ) async throws(IdentityError) -> Registered {
        let row = try await changeableRow(client.id)
        guard version == nil || version == row.version else { throw .clientChanged }
        guard row.isSelfRegistered else { return try await update(row, to: client, by: actor) }
        let new = OAuthClient(id: client.id)
        let before: OAuthClient
        // What cannot be read is replaced as a whole.
        do throws(IdentityError) { before = try OAuthClient(stored: row) } catch { before = new }
        let changed = client.differences(from: before)
        // A member that the operator had fixed, and now resets, is the client's again.
        let released = row.operatorMembers.intersection(changed).subtracting(client.differences(from: new))
        return try await update(
            row, to: client, fixing: row.operatorMembers.union(changed).subtracting(released), by: actor)
    }

    /// Replaces the members of the client that was read as a row.
    func update(
        _ row: StoredClient, to client: OAuthClient, fixing operatorMembers: Set<String> = [], by actor: String
    ) async throws(IdentityError) -> Registered {
        guard !clients.isConfigured(row.id) else { throw .noSuchClient }
        try await check(client)
        var (next, secret) = (row, String?.none)
        next.members = client.storedMembers(fixing: operatorMembers)
        next.updatedAt = clock.now
        if client.profiled.hasSecret, next.secrets.isEmpty {
            let made = newSecret()
            next.secrets = [StoredClient.Secret(digest: made.digest, createdAt: next.updatedAt)]
            secret = made
        } else if !client.profiled.hasSecret {
            next.secrets = []
        }
        try await replace(row, by: next, "client.changed", "\(client.id) by \(actor)")
        return Registered(client: client, row: next, secret: secret)
    }

    /// Makes another secret of a client; the one before stays valid for a while, so that nothing stops meanwhile.
    ///
    /// A client has two secrets at most: a third one ends the oldest.
    ///
    /// - Parameter version: The ``StoredClient/version`` that the caller has read; nil for any.
    /// - Throws: `IdentityError.noSuchClient`, `.secretRefused`, `.clientChanged`, or a store's error.
    package func rotateSecret(
        of id: String, from version: String? = nil, overlap: Duration = secretOverlap, by actor: String
    ) async throws(IdentityError) -> Registered {
        let row = try await changeableRow(id)
        guard version == nil || version == row.version else { throw .clientChanged }
        let client = try OAuthClient(stored: row)
        guard client.profiled.hasSecret else {
            throw .secretRefused("it authenticates with a key, or is public")
        }
        var next = row
        let (now, secret) = (clock.now, newSecret())
        next.updatedAt = now
        let end = now.addingTimeInterval(max(0, overlap.inSeconds))
        next.secrets = [StoredClient.Secret(digest: secret.digest, createdAt: now)]
        if overlap > .zero, var before = row.secrets.first {
            before.endsAt = end
            next.secrets.append(before)
        }
        try await replace(row, by: next, "client.secretRotated", "\(id) by \(actor)")
        return Registered(client: client, row: next, secret: secret)
    }

    /// Removes a client, its consents, and its sessions.
    ///
    /// - Throws: `IdentityError.noSuchClient`, or a store's error.
    package func delete(_ id: String, by actor: String) async throws(IdentityError) {
        let detail = "\(id) by \(actor)".sanitized(200)
        let isRemoved = try await store.remove(
            client: id, keepingGrants: clients.isConfigured(id), detail: detail, at: clock.now)
        guard isRemoved else { throw .noSuchClient }
        stored.forget(id)
    }

    // MARK: Tokens of registrations

    /// Makes another registration access token (RFC 7592 §3) for a client that has lost it, and ends the one before.
    ///
    /// - Throws: `IdentityError.noSuchClient`, `.notSelfRegistered`, `.clientChanged`, or a store's error.
    package func replaceRegistrationToken(of id: String, by actor: String) async throws(IdentityError) -> String {
        let row = try await changeableRow(id)
        guard row.isSelfRegistered else { throw .notSelfRegistered }
        let token = newRegistrationToken()
        var next = row
        (next.registrationDigest, next.updatedAt) = (token.digest, clock.now)
        try await replace(row, by: next, "client.registrationTokenReplaced", "\(id) by \(actor)")
        return token
    }

    func newRegistrationToken() -> String { "rt1." + Base64URL.encode(random.bytes(32)) }

    /// Makes a token with which clients may register themselves (RFC 7591 §1.2).
    package func makeInitialToken(
        uses: Int, lifetime: Duration, by actor: String
    ) async throws(IdentityError) -> (text: String, token: InitialToken) {
        let (text, now) = ("it1." + Base64URL.encode(random.bytes(32)), clock.now)
        let token = InitialToken(
            digest: text.digest, remaining: Int64(uses), createdAt: now,
            expiresAt: now.addingTimeInterval(lifetime.inSeconds))
        try await store.insert(token, detail: "\(token.id) for \(uses) by \(actor)".sanitized(200))
        return (text, token)
    }

    /// Returns the initial tokens that a client could register with, at most 1,000: those that work the longest, first.
    package func initialTokens() async throws(IdentityError) -> [InitialToken] {
        try await store.initialTokens(at: clock.now)
    }

    /// Revokes an initial token, by its id or by its text; clients that have registered with it stay.
    ///
    /// - Throws: `IdentityError.noSuchInitialToken`, or a store's error.
    package func revokeInitialToken(_ id: String, by actor: String) async throws(IdentityError) {
        let digest = Hex.decode(id, count: InitialToken.idBytes) ?? id.digest
        guard try await store.remove(initialToken: digest, by: actor, at: clock.now) else { throw .noSuchInitialToken }
    }

    // MARK: Parts

    /// Returns the row of a client that the configuration does not hide.
    private func changeableRow(_ id: String) async throws(IdentityError) -> StoredClient {
        guard !clients.isConfigured(id), let row = try await store.client(id: id) else { throw .noSuchClient }
        return row
    }

    /// Checks a client as one of the configuration, and makes the key that signs its ID tokens if there is none yet.
    private func check(_ client: OAuthClient) async throws(IdentityError) {
        let registered = try VerifiableClient(client)
        try resources.check(registered.client)
        try clients.check(registered.client)
        // The proxy's question has no ID to look a client up by.
        guard registered.client.forwardAuth.origins.isEmpty else {
            throw .unusableSetting("clients", "'forward_auth' is for clients of the configuration")
        }
        for algorithm in registered.client.signers { try await signingKeys.require(algorithm) }
    }

    func replace(
        _ row: StoredClient, by next: StoredClient, _ event: String, _ detail: String
    ) async throws(IdentityError) {
        guard try await store.replace(row, by: next, event: event, detail: detail.sanitized(200)) else {
            throw .clientChanged
        }
        stored.forget(row.id)
    }

    private func newSecret() -> String { "cs1." + Base64URL.encode(random.bytes(32)) }
}

extension InitialToken {
    /// The numbers of registrations, and the lifetimes in seconds, that an operator may choose.
    package static let (uses, lifetimes) = (1...100_000, 60...31_536_000)
    /// The lifetime in seconds of a token whose operator chooses none.
    package static let lifetime = 86_400

    /// The token as its operator sees it, without its text, of which the store has only the digest.
    package var json: JSONObject {
        [
            "id": .string(id), "uses": .integer(remaining), "created_at": .string(createdAt.formatted(.iso8601)),
            "expires_at": .string(expiresAt.formatted(.iso8601)),
        ]
    }

    /// Returns the members of ``json`` and the text of the token, which its operator sees once.
    package func json(text: String) -> JSONObject {
        var json = json
        json["initial_access_token"] = .string(text)
        return json
    }
}
