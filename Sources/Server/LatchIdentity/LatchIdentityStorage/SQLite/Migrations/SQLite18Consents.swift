// SPDX-License-Identifier: Apache-2.0

extension SQLiteSchema {
    /// The consents of users to clients of others.
    package static let consents = [
        """
        CREATE TABLE consent (
            account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            client_id TEXT NOT NULL,
            redirect_origin TEXT NOT NULL,
            scope TEXT NOT NULL,
            granted_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            PRIMARY KEY (account_id, client_id, redirect_origin)
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX consent_of_client ON consent (client_id)",
        // The browser in which a client signed its device in.
        "ALTER TABLE device ADD COLUMN browser_device BLOB",
        "CREATE INDEX device_of_browser ON device (browser_device) WHERE browser_device IS NOT NULL",
    ]
}
