// SPDX-License-Identifier: Apache-2.0

extension SQLiteSchema {
    /// The consents of users to clients of others, the conditions of grants, and pushed requests.
    package static let consents = [
        """
        CREATE TABLE consent (
            account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            client_id TEXT NOT NULL,
            redirect_origin TEXT NOT NULL,
            resources TEXT NOT NULL,
            scope TEXT NOT NULL,
            granted_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            PRIMARY KEY (account_id, client_id, redirect_origin, resources)
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX consent_of_client ON consent (client_id)",
        "ALTER TABLE authorization_code ADD COLUMN details TEXT",
        "ALTER TABLE device_authorization ADD COLUMN details TEXT",
        "ALTER TABLE device ADD COLUMN details TEXT",
        """
        CREATE TABLE pushed_request (
            digest BLOB NOT NULL PRIMARY KEY,
            client_id TEXT NOT NULL,
            content TEXT NOT NULL,
            valid_until INTEGER NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX pushed_request_by_end ON pushed_request (expires_at)",
        // The browser in which a client signed its device in.
        "ALTER TABLE device ADD COLUMN browser_device BLOB",
        "CREATE INDEX device_of_browser ON device (browser_device) WHERE browser_device IS NOT NULL",
        // Whether the client is told of the end.
        "ALTER TABLE device ADD COLUMN notifies INTEGER NOT NULL DEFAULT 0",
        """
        CREATE TABLE client_notice (
            device_id BLOB PRIMARY KEY NOT NULL,
            client_id TEXT NOT NULL,
            account_id TEXT NOT NULL,
            browser_device BLOB,
            due_at INTEGER NOT NULL,
            leased_until INTEGER,
            attempts INTEGER NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX client_notice_by_date ON client_notice (due_at)",
        "CREATE INDEX client_notice_by_end ON client_notice (expires_at)",
        """
        CREATE TABLE client (
            id TEXT PRIMARY KEY NOT NULL,
            members TEXT NOT NULL,
            secrets TEXT NOT NULL,
            registration_digest BLOB,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            expires_at INTEGER
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX client_by_end ON client (expires_at) WHERE expires_at IS NOT NULL",
        """
        CREATE TABLE initial_token (
            digest BLOB PRIMARY KEY NOT NULL,
            remaining INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE account_deletion (
            account_id TEXT PRIMARY KEY NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            requested_at INTEGER NOT NULL,
            due_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX account_deletion_by_date ON account_deletion (due_at)",
        // For the page of a user's own activity; PostgreSQL has a chain for each account.
        "CREATE INDEX audit_of_account ON audit (account_id, id) WHERE account_id IS NOT NULL",
    ]
}
