// SPDX-License-Identifier: Apache-2.0

extension SQLiteSchema {
    /// The tables of version 1.
    ///
    /// STRICT enforces the types, WITHOUT ROWID clusters a row by its key, and times are whole milliseconds since 1970.
    /// AUTOINCREMENT never reuses an ID of the audit log, so that a gap reveals a deletion.
    package static let accounts = [
        """
        CREATE TABLE account (
            id TEXT PRIMARY KEY NOT NULL,
            email TEXT NOT NULL,
            email_key TEXT NOT NULL UNIQUE,
            name TEXT,
            password_hash TEXT,
            password_changed_at INTEGER NOT NULL,
            email_verified_at INTEGER,
            roles TEXT NOT NULL,
            permissions TEXT NOT NULL,
            status TEXT NOT NULL CHECK (status IN ('active', 'disabled')),
            created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE device (
            id BLOB PRIMARY KEY NOT NULL,
            account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            secret BLOB NOT NULL,
            counter INTEGER NOT NULL,
            rotated_at INTEGER,
            rotation_key BLOB,
            created_at INTEGER NOT NULL,
            last_used_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            revoked_at INTEGER,
            revoked_because TEXT,
            user_agent TEXT,
            address TEXT
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX device_of_account ON device (account_id)",
        "CREATE INDEX device_by_end ON device (expires_at)",
        """
        CREATE TABLE one_time_token (
            digest BLOB PRIMARY KEY NOT NULL,
            account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            purpose TEXT NOT NULL,
            email_key TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX one_time_token_of_account ON one_time_token (account_id, purpose)",
        """
        CREATE TABLE signing_key (
            id TEXT PRIMARY KEY NOT NULL,
            private_jwk BLOB NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE TABLE secret (name TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL) STRICT, WITHOUT ROWID",
        "CREATE TABLE heartbeat (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL) STRICT",
        """
        CREATE TABLE audit (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at INTEGER NOT NULL,
            event TEXT NOT NULL,
            account_id TEXT,
            detail TEXT
        ) STRICT
        """,
    ]
}
