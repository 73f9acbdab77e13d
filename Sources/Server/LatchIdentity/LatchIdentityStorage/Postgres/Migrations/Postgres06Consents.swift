// SPDX-License-Identifier: Apache-2.0

extension PostgresSchema {
    /// The consents of users to clients of others.
    package static let consents = [
        """
        CREATE TABLE consent (
            account_id \(text) NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            client_id \(text) NOT NULL,
            redirect_origin \(text) NOT NULL,
            scope \(text) NOT NULL,
            granted_at bigint NOT NULL,
            updated_at bigint NOT NULL,
            PRIMARY KEY (account_id, client_id, redirect_origin)
        )
        """,
        "CREATE INDEX consent_of_client ON consent (client_id)",
        // The browser in which a client signed its device in.
        "ALTER TABLE device ADD COLUMN browser_device bytea",
        "CREATE INDEX device_of_browser ON device (browser_device) WHERE browser_device IS NOT NULL",
    ]
}
