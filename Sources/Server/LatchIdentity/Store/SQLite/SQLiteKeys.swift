// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

extension SQLiteIdentityStore: KeyStore {
    package func signingKeys() throws(IdentityError) -> [StoredKey] {
        try readers.read { db throws(IdentityError) in try db.signingKeys() }
    }

    /// Reads and inserts in one transaction; those of all processes are serialized.
    package func signingKeys(proposing key: StoredKey) async throws(IdentityError) -> [StoredKey] {
        try await writer.write { db throws(IdentityError) in
            let stored = try db.signingKeys()
            guard stored.isEmpty else { return stored }
            try db.run(
                "INSERT INTO signing_key (id, private_jwk, created_at) VALUES (?, ?, ?)",
                [.text(key.id), .blob(key.privateJWK), .date(key.createdAt)])
            try db.audit("key.created", account: nil, detail: key.id, at: key.createdAt)
            return [key]
        }
    }

    /// Inserts and reads back in one transaction: two nodes that start together get the same secret.
    package func secret(named name: String, proposing proposal: [UInt8]) async throws(IdentityError) -> [UInt8] {
        try await writer.write { db throws(IdentityError) in
            try db.run(
                "INSERT INTO secret (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING",
                [.text(name), .blob(proposal)])
            let stored = try db.first("SELECT value FROM secret WHERE name = ?", [.text(name)]) {
                row throws(IdentityError) in try row.blob(0)
            }
            guard let stored else { throw .corruptStore("a secret of the server cannot be read back") }
            return stored
        }
    }
}

extension SQLiteConnection {
    /// Returns the keys, the newest first and those of equal age by id, so that all nodes sign with the same one.
    fileprivate func signingKeys() throws(IdentityError) -> [StoredKey] {
        try all(
            "SELECT id, private_jwk, created_at FROM signing_key ORDER BY created_at DESC, id"
        ) { row throws(IdentityError) in
            StoredKey(id: try row.text(0), privateJWK: try row.blob(1), createdAt: try row.date(2))
        }
    }
}
