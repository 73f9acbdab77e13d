// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

extension IdentityStore {
    /// Returns a client; nil if the store has none with that ID.
    package func client(id: String) async throws(IdentityError) -> StoredClient? {
        guard id.isStorable else { return nil }
        return try await first(
            "SELECT \(StoredClient.Column.list) FROM client WHERE id = $1", [.text(id)], read: StoredClient.init)
    }

    /// Returns clients in the order of their IDs.
    ///
    /// - Parameter previous: The last ID of the page before; nil for the first page.
    package func clients(after previous: String? = nil, limit: Int = 500) async throws(IdentityError) -> [StoredClient]
    {
        try await all(
            "SELECT \(StoredClient.Column.list) FROM client WHERE id > $1 ORDER BY id LIMIT $2",
            [.text(previous ?? ""), .integer(Int64(limit))], read: StoredClient.init)
    }

    /// Inserts a client.
    ///
    /// - Parameters:
    ///   - token: The digest of the initial token that it uses up; nil for none.
    ///   - limit: The greatest number of clients that have registered themselves; nil for any.
    /// - Throws: `IdentityError.clientExists`, `.invalidInitialToken`, `.tooManyClients`, or a store's error.
    package func insert(
        _ client: StoredClient, spending token: [UInt8]? = nil, limit: Int? = nil, detail: String?
    ) async throws(IdentityError) {
        guard client.id.isStorable, client.members.isStorable else { throw .invalidInput("the client has a NUL") }
        _ = try await write { db throws(IdentityError) in
            if let token {
                let spent = try db.run(
                    """
                    UPDATE initial_token SET remaining = remaining - 1
                    WHERE digest = $1 AND remaining > 0
                        AND expires_at > $2
                    """, [.blob(token), .date(client.createdAt)])
                guard spent == 1 else { throw .invalidInitialToken }
            }
            if let limit {
                let count = try db.number(
                    "SELECT count(*) FROM client WHERE expires_at > $1", [.date(client.createdAt)])
                guard count < limit else { throw .tooManyClients }
            }
            // What an earlier client with the ID has left.
            try db.removeGrants(ofClient: client.id)
            let inserted = try db.run(
                "INSERT INTO client \(StoredClient.Column.insertion) ON CONFLICT (id) DO NOTHING",
                StoredClient.Column.values(of: client))
            guard inserted == 1 else { throw .clientExists }
            try db.audit("client.created", account: nil, detail: detail, at: client.createdAt)
        }
    }

    /// Replaces what a client has, if no other request has changed it since it was read.
    ///
    /// - Returns: False if it was changed or removed.
    package func replace(
        _ client: StoredClient, by next: StoredClient, event: String = "client.changed", detail: String?
    ) async throws(IdentityError) -> Bool {
        guard next.members.isStorable else { throw .invalidInput("the client has a NUL") }
        return try await write { db throws(IdentityError) in
            let changed = try db.run(
                """
                UPDATE client SET members = $1, secrets = $2, registration_digest = $3, updated_at = $4, expires_at = $5
                WHERE id = $6 AND members = $7 AND secrets = $8
                """,
                [
                    StoredClient.Column.members.value(of: next), StoredClient.Column.secrets.value(of: next),
                    .blob(next.registrationDigest), .date(next.updatedAt), .date(next.expiresAt), .text(client.id),
                    StoredClient.Column.members.value(of: client), StoredClient.Column.secrets.value(of: client),
                ])
            guard changed == 1 else { return false }
            try db.audit(event, account: nil, detail: detail, at: next.updatedAt)
            return true
        }
    }

    /// Moves the end of a client that is used, if it would end before a date.
    package func extend(
        client id: String, until end: Date, endingBefore date: Date
    ) async throws(IdentityError) {
        _ = try await update(
            "UPDATE client SET expires_at = $1 WHERE id = $2 AND expires_at < $3 RETURNING id",
            [.date(end), .text(id), .date(date)]
        ) { _ in }
    }

    /// Removes a client with its consents, codes and requests.
    ///
    /// Its sessions need no write: they are not those of a client that gets the ID later.
    ///
    /// - Parameter keepsGrants: Whether the configuration has a client with that ID, which the grants belong to.
    /// - Returns: False if the store has no such client.
    package func remove(
        client id: String, keepingGrants keepsGrants: Bool = false, detail: String?, at now: Date
    ) async throws(IdentityError) -> Bool {
        guard id.isStorable else { return false }
        return try await write { db throws(IdentityError) in
            guard try db.run("DELETE FROM client WHERE id = $1", [.text(id)]) == 1 else { return false }
            if !keepsGrants { try db.removeGrants(ofClient: id) }
            try db.audit("client.removed", account: nil, detail: detail, at: now)
            return true
        }
    }

    /// Returns whether a client could register with an initial token.
    package func isUsable(initialToken digest: [UInt8], at now: Date) async throws(IdentityError) -> Bool {
        try await first(
            "SELECT remaining FROM initial_token WHERE digest = $1 AND remaining > 0 AND expires_at > $2",
            [.blob(digest), .date(now)]
        ) { _ in true } ?? false
    }

    /// Inserts an initial token.
    package func insert(_ token: InitialToken, detail: String?) async throws(IdentityError) {
        _ = try await write { db throws(IdentityError) in
            try db.run(
                "INSERT INTO initial_token \(InitialToken.Column.insertion)", InitialToken.Column.values(of: token))
            try db.audit("client.tokenCreated", account: nil, detail: detail, at: token.createdAt)
        }
    }

    /// Returns the initial tokens that a client could register with, at most 1,000: those that work the longest, first.
    package func initialTokens(at now: Date) async throws(IdentityError) -> [InitialToken] {
        try await all(
            """
            SELECT \(InitialToken.Column.list) FROM initial_token WHERE remaining > 0 AND expires_at > $1
            ORDER BY expires_at DESC, digest LIMIT 1000
            """, [.date(now)], read: InitialToken.init)
    }

    /// Removes the initial token whose digest begins with these bytes.
    ///
    /// - Returns: False unless exactly one that a client could register with begins so.
    package func remove(
        initialToken start: [UInt8], by actor: String, at now: Date
    ) async throws(IdentityError) -> Bool {
        let last = start + [UInt8](repeating: 0xFF, count: 32)
        return try await write { db throws(IdentityError) in
            let found = try db.all(
                """
                SELECT \(InitialToken.Column.list) FROM initial_token
                WHERE digest BETWEEN $1 AND $2 AND remaining > 0 AND expires_at > $3 LIMIT 2
                """, [.blob(start), .blob(last), .date(now)], read: InitialToken.init)
            guard found.count == 1, let token = found.first else { return false }
            try db.run("DELETE FROM initial_token WHERE digest = $1", [.blob(token.digest)])
            try db.audit("client.tokenRevoked", account: nil, detail: "\(token.id) by \(actor)".sanitized(200), at: now)
            return true
        }
    }

    /// Removes the clients that registered themselves and that no user has signed in with.
    func removeUnusedClients(endedBefore date: Date) async throws(IdentityError) {
        var removed: Int
        repeat {
            // Other writers run between the batches.
            removed = try await write { db throws(IdentityError) in
                let ended = try db.all(
                    """
                    DELETE FROM client WHERE id IN (SELECT id FROM client WHERE expires_at < $1 LIMIT 100) RETURNING id
                    """, [.date(date)]
                ) { row throws(IdentityError) in try row.text(0) }
                for id in ended { try db.removeGrants(ofClient: id) }
                return ended.count
            }
        } while removed == 100
    }
}

extension SQLConnection {
    /// Removes the consents, codes and requests of a client.
    fileprivate func removeGrants(ofClient id: String) throws(IdentityError) {
        for table in ["consent", "authorization_code", "device_authorization", "pushed_request"] {
            try run("DELETE FROM \(table) WHERE client_id = $1", [.text(id)])
        }
    }
}
