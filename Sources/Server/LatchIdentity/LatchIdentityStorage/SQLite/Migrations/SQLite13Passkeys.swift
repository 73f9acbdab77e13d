// SPDX-License-Identifier: Apache-2.0

extension SQLiteSchema {
    /// The passkeys of accounts.
    package static let passkeys = [
        """
        CREATE TABLE passkey (
            credential_id BLOB PRIMARY KEY NOT NULL,
            account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            public_key BLOB NOT NULL,
            counter INTEGER NOT NULL,
            is_backup_eligible INTEGER NOT NULL,
            is_backed_up INTEGER NOT NULL,
            aaguid BLOB NOT NULL,
            transports TEXT NOT NULL,
            name TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            last_used_at INTEGER
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX passkey_of_account ON passkey (account_id, created_at)",
    ]
}
