// SPDX-License-Identifier: Apache-2.0

extension SQLiteSchema {
    /// The events that listeners have not accepted yet.
    ///
    /// The account is empty for an event of the server, so that it can be a part of the key.
    package static let events = [
        """
        CREATE TABLE event_delivery (
            listener TEXT NOT NULL,
            account_id TEXT NOT NULL,
            audit_id INTEGER NOT NULL,
            event TEXT NOT NULL,
            at INTEGER NOT NULL,
            detail TEXT,
            added_at INTEGER NOT NULL,
            due_at INTEGER NOT NULL,
            leased_until INTEGER,
            attempts INTEGER NOT NULL,
            refusals INTEGER NOT NULL,
            PRIMARY KEY (listener, account_id, audit_id)
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX event_delivery_by_date ON event_delivery (listener, due_at, audit_id)",
    ]
}
