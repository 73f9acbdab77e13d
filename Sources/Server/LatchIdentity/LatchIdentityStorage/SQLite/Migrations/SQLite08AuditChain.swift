// SPDX-License-Identifier: Apache-2.0

extension SQLiteSchema {
    /// The chain of the audit log; entries without a digest are older than the chain.
    package static let auditChain = [
        "ALTER TABLE audit ADD COLUMN digest BLOB",
        """
        CREATE TABLE audit_head (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            base_id INTEGER NOT NULL,
            base_digest BLOB NOT NULL,
            last_id INTEGER NOT NULL,
            last_digest BLOB NOT NULL,
            digest BLOB NOT NULL
        ) STRICT
        """,
    ]
}
