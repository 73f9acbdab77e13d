// SPDX-License-Identifier: Apache-2.0

extension SQLiteSchema {
    /// The authorization codes, and the devices that wait for their users.
    package static let authorizations = [
        """
        CREATE TABLE authorization_code (
            digest BLOB PRIMARY KEY NOT NULL,
            client_id TEXT NOT NULL,
            account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            credential_version INTEGER NOT NULL,
            browser_device BLOB NOT NULL,
            redirect TEXT NOT NULL,
            code_challenge TEXT NOT NULL,
            nonce TEXT,
            scope TEXT NOT NULL,
            authenticated_at INTEGER NOT NULL,
            factor_at INTEGER,
            valid_until INTEGER NOT NULL,
            used_at INTEGER,
            device_id BLOB,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX authorization_code_by_end ON authorization_code (expires_at)",
        "CREATE INDEX authorization_code_of_account ON authorization_code (account_id)",
        """
        CREATE TABLE device_authorization (
            digest BLOB PRIMARY KEY NOT NULL,
            user_digest BLOB NOT NULL UNIQUE,
            client_id TEXT NOT NULL,
            scope TEXT,
            address TEXT NOT NULL,
            user_agent TEXT,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            poll_interval INTEGER NOT NULL,
            polled_at INTEGER,
            decision TEXT CHECK (decision IN ('approved', 'denied')),
            account_id TEXT REFERENCES account (id) ON DELETE CASCADE,
            credential_version INTEGER,
            browser_device BLOB,
            granted_scope TEXT,
            authenticated_at INTEGER,
            factor_at INTEGER
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX device_authorization_by_end ON device_authorization (expires_at)",
        "CREATE INDEX device_authorization_of_account ON device_authorization (account_id)",
    ]
}
