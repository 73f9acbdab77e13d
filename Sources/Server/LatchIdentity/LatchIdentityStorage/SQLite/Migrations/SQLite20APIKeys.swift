// SPDX-License-Identifier: Apache-2.0

extension SQLiteSchema {
    /// The keys of programs that administer the server.
    package static let apiKeys = [
        """
        CREATE TABLE api_key (
            digest BLOB PRIMARY KEY NOT NULL,
            account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            scope TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            last_used_at INTEGER
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX api_key_of_account ON api_key (account_id)",
    ]
}
