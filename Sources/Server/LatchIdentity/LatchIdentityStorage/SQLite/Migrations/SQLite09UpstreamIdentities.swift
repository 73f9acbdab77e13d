// SPDX-License-Identifier: Apache-2.0

extension SQLiteSchema {
    /// The identities at other providers that sign in to accounts, the codes for apps, and the used attempts.
    ///
    /// Apps exchange a code for the result of a sign-in. A link is a credential: each new or removed link ends the
    /// decisions that were made before it.
    static let upstreamIdentities = [
        """
        CREATE TABLE upstream_identity (
            issuer TEXT NOT NULL,
            subject TEXT NOT NULL,
            provider TEXT NOT NULL,
            email TEXT,
            account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            linked_at INTEGER NOT NULL,
            PRIMARY KEY (issuer, subject)
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX upstream_identity_of_account ON upstream_identity (account_id, provider)",
        """
        CREATE TRIGGER upstream_identity_is_linked AFTER INSERT ON upstream_identity BEGIN
            \(increasingVersion("new.account_id"))
        END
        """,
        """
        CREATE TRIGGER upstream_identity_is_unlinked AFTER DELETE ON upstream_identity BEGIN
            \(increasingVersion("old.account_id"))
        END
        """,
        """
        CREATE TABLE sign_in_code (
            digest BLOB PRIMARY KEY NOT NULL,
            purpose TEXT NOT NULL,
            issuer TEXT NOT NULL,
            subject TEXT NOT NULL,
            provider TEXT NOT NULL,
            email TEXT,
            account_id TEXT REFERENCES account (id) ON DELETE CASCADE,
            credential_version INTEGER NOT NULL,
            code_challenge TEXT NOT NULL,
            factor_at INTEGER,
            authenticated_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX sign_in_code_by_end ON sign_in_code (expires_at)",
        "CREATE INDEX sign_in_code_of_account ON sign_in_code (account_id)",
        "CREATE TABLE spent_sign_in (digest BLOB PRIMARY KEY NOT NULL, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID",
        "CREATE INDEX spent_sign_in_by_end ON spent_sign_in (expires_at)",
    ]
}
