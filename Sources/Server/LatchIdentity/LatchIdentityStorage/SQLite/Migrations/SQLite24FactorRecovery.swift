// SPDX-License-Identifier: Apache-2.0

extension SQLiteSchema {
    /// The second factors that are removed after a waiting time.
    package static let factorRecovery = [
        """
        CREATE TABLE factor_recovery (
            account_id TEXT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
            credential_version INTEGER NOT NULL,
            requested_at INTEGER NOT NULL,
            remind_at INTEGER,
            due_at INTEGER NOT NULL
        ) STRICT
        """,
        "CREATE INDEX factor_recovery_by_date ON factor_recovery (due_at)",
    ]
}
