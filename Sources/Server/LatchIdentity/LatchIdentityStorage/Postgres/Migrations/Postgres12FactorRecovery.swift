// SPDX-License-Identifier: Apache-2.0

extension PostgresSchema {
    /// The second factors that are removed after a waiting time.
    package static let factorRecovery = [
        """
        CREATE TABLE factor_recovery (
            account_id \(text) PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
            credential_version bigint NOT NULL,
            requested_at bigint NOT NULL,
            remind_at bigint,
            due_at bigint NOT NULL
        )
        """,
        "CREATE INDEX factor_recovery_by_date ON factor_recovery (due_at)",
    ]
}
