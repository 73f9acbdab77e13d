// SPDX-License-Identifier: Apache-2.0

extension SQLiteSchema {
    /// Version 3: account details, kinds of disabled accounts, the second factor, and pending addresses.
    ///
    /// `status` remains `active` or `disabled`; `standing` qualifies `disabled` and is NULL in earlier rows. The
    /// details are one JSON text, since no query reads them. The columns that lists search and sort by are separate.
    static let accountDetails = [
        "ALTER TABLE account ADD COLUMN standing TEXT",
        "ALTER TABLE account ADD COLUMN updated_at INTEGER",
        "ALTER TABLE account ADD COLUMN last_login_at INTEGER",
        "CREATE INDEX account_by_creation ON account (created_at, id)",
        "ALTER TABLE device ADD COLUMN name TEXT",
        "ALTER TABLE device ADD COLUMN push_token TEXT",
        "ALTER TABLE device ADD COLUMN factor_at INTEGER",
        """
        CREATE TABLE account_details (
            account_id TEXT PRIMARY KEY NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            first_name TEXT NOT NULL,
            last_name TEXT NOT NULL,
            shown_name TEXT NOT NULL,
            search_key TEXT NOT NULL,
            content TEXT NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE second_factor (
            account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            is_confirmed INTEGER NOT NULL CHECK (is_confirmed IN (0, 1)),
            sealed_secret BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            last_step INTEGER NOT NULL,
            failures INTEGER NOT NULL,
            failed_at INTEGER,
            PRIMARY KEY (account_id, is_confirmed)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE recovery_code (
            account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            is_confirmed INTEGER NOT NULL CHECK (is_confirmed IN (0, 1)),
            digest BLOB NOT NULL,
            PRIMARY KEY (account_id, is_confirmed, digest)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE sign_in_challenge (
            digest BLOB PRIMARY KEY NOT NULL,
            account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            password_changed_at INTEGER NOT NULL,
            app_id TEXT,
            scope TEXT NOT NULL,
            is_remembered INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX sign_in_challenge_of_account ON sign_in_challenge (account_id, created_at)",
        """
        CREATE TABLE email_change (
            account_id TEXT PRIMARY KEY NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            email TEXT NOT NULL,
            email_key TEXT NOT NULL,
            old_email_key TEXT NOT NULL,
            old_digest BLOB UNIQUE,
            new_digest BLOB UNIQUE,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
    ]
}
