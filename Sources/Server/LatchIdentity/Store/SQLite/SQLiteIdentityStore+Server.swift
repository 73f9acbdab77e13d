// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

extension SQLiteIdentityStore {
    /// Reads without a transaction of its own: at a start that finds keys nothing is written.
    package func signingKeys() throws(IdentityError) -> [StoredKey] {
        try readers.read { db throws(IdentityError) in try db.signingKeys() }
    }

    /// Looking and inserting are one transaction, and transactions of all processes come one after another.
    package func signingKeys(proposing key: StoredKey) async throws(IdentityError) -> [StoredKey] {
        try await writer.write { db throws(IdentityError) in
            let kept = try db.signingKeys()
            guard kept.isEmpty else { return kept }
            try db.run(
                "INSERT INTO signing_key (id, private_jwk, created_at) VALUES (?, ?, ?)",
                [.text(key.id), .blob(key.privateJWK), .date(key.createdAt)])
            try db.audit("key.created", account: nil, detail: key.id, at: key.createdAt)
            return [key]
        }
    }

    /// Proposing and reading back are one transaction: of two first starts both get the same secret.
    package func secret(named name: String, proposing proposal: [UInt8]) async throws(IdentityError) -> [UInt8] {
        try await writer.write { db throws(IdentityError) in
            try db.run(
                "INSERT INTO secret (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING",
                [.text(name), .blob(proposal)])
            let kept = try db.first("SELECT value FROM secret WHERE name = ?", [.text(name)]) {
                row throws(IdentityError) in try row.blob(0)
            }
            guard let kept else { throw .corruptStore("a secret of the server cannot be read back") }
            return kept
        }
    }

    /// Replaces one row: it costs a commit as a login does, and leaves no trace that grows.
    package func beat(at now: Date) async throws(IdentityError) {
        try await writer.write { db throws(IdentityError) -> Void in
            try db.run("INSERT OR REPLACE INTO heartbeat (id, at) VALUES (1, ?)", [.date(now)])
        }
    }
}

extension SQLiteConnection {
    /// The newest first; of equal age by name, so that all servers agree which one signs.
    fileprivate func signingKeys() throws(IdentityError) -> [StoredKey] {
        try all(
            "SELECT id, private_jwk, created_at FROM signing_key ORDER BY created_at DESC, id"
        ) { row throws(IdentityError) in
            StoredKey(id: try row.text(0), privateJWK: try row.blob(1), createdAt: try row.date(2))
        }
    }
}
