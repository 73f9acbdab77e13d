// SPDX-License-Identifier: Apache-2.0

extension PostgresSchema {
    /// The events that listeners have not accepted yet.
    ///
    /// The account is empty for an event of the server, so that it can be a part of the key.
    package static let events = [
        """
        CREATE TABLE event_delivery (
            listener \(text) NOT NULL,
            account_id \(text) NOT NULL,
            audit_id bigint NOT NULL,
            event \(text) NOT NULL,
            at bigint NOT NULL,
            detail \(text),
            added_at bigint NOT NULL,
            due_at bigint NOT NULL,
            leased_until bigint,
            attempts bigint NOT NULL,
            refusals bigint NOT NULL,
            PRIMARY KEY (listener, account_id, audit_id)
        )
        """,
        "CREATE INDEX event_delivery_by_date ON event_delivery (listener, due_at, audit_id)",
    ]
}
