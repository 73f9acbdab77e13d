// SPDX-License-Identifier: Apache-2.0

extension SQLiteSchema {
    /// Version 2: user names, the client and the scope of a device, and the sample resource.
    ///
    /// New columns are NULL in earlier rows: no user name, the server's own client, and the default scopes.
    static let usernames = [
        "ALTER TABLE account ADD COLUMN username TEXT",
        "ALTER TABLE account ADD COLUMN username_key TEXT",
        "CREATE UNIQUE INDEX account_by_username ON account (username_key)",
        "ALTER TABLE device ADD COLUMN app_id TEXT",
        "ALTER TABLE device ADD COLUMN scope TEXT",
        """
        CREATE TABLE sample_item (
            id TEXT PRIMARY KEY NOT NULL,
            account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX sample_item_of_account ON sample_item (account_id, kind)",
    ]
}
