// SPDX-License-Identifier: Apache-2.0

extension SQLiteSchema {
    /// The emails that wait for the mail server.
    ///
    /// `account_id` has no foreign key, since an email about an account can outlive the account.
    package static let mails = [
        """
        CREATE TABLE mail (
            id TEXT PRIMARY KEY NOT NULL,
            purpose TEXT NOT NULL,
            email TEXT NOT NULL,
            email_key TEXT NOT NULL,
            account_id TEXT,
            created_at INTEGER NOT NULL,
            due_at INTEGER NOT NULL,
            leased_until INTEGER,
            attempts INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX mail_by_time ON mail (due_at, id)",
    ]
}
