// SPDX-License-Identifier: Apache-2.0

extension SQLiteSchema {
    /// The codes that were mailed to the addresses of sign-ins through providers.
    ///
    /// The table holds neither address nor code; `account_id` is NULL for a user without an account.
    static let addressChallenges = [
        """
        CREATE TABLE address_challenge (
            id TEXT PRIMARY KEY NOT NULL,
            account_id TEXT REFERENCES account (id) ON DELETE CASCADE,
            failures INTEGER NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX address_challenge_by_end ON address_challenge (expires_at)",
        "CREATE INDEX address_challenge_of_account ON address_challenge (account_id)",
    ]
}
