// SPDX-License-Identifier: Apache-2.0

extension PostgresSchema {
    /// The keys of programs that administer the server.
    package static let apiKeys = [
        """
        CREATE TABLE api_key (
            digest bytea PRIMARY KEY,
            account_id \(text) NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            name \(text) NOT NULL,
            scope \(text) NOT NULL,
            created_at bigint NOT NULL,
            expires_at bigint NOT NULL,
            last_used_at bigint
        )
        """,
        "CREATE INDEX api_key_of_account ON api_key (account_id)",
    ]
}
