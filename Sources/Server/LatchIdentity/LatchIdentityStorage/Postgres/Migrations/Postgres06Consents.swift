// SPDX-License-Identifier: Apache-2.0

extension PostgresSchema {
    /// The consents of users to clients of others, the conditions of grants, and pushed requests.
    package static let consents = [
        """
        CREATE TABLE consent (
            account_id \(text) NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            client_id \(text) NOT NULL,
            redirect_origin \(text) NOT NULL,
            resources \(text) NOT NULL,
            scope \(text) NOT NULL,
            granted_at bigint NOT NULL,
            updated_at bigint NOT NULL,
            PRIMARY KEY (account_id, client_id, redirect_origin, resources)
        )
        """,
        "CREATE INDEX consent_of_client ON consent (client_id)",
        "ALTER TABLE authorization_code ADD COLUMN details \(text)",
        "ALTER TABLE device_authorization ADD COLUMN details \(text)",
        "ALTER TABLE device ADD COLUMN details \(text)",
        """
        CREATE TABLE pushed_request (
            digest bytea PRIMARY KEY,
            client_id \(text) NOT NULL,
            content \(text) NOT NULL,
            valid_until bigint NOT NULL,
            expires_at bigint NOT NULL
        )
        """,
        "CREATE INDEX pushed_request_by_end ON pushed_request (expires_at)",
        // The browser in which a client signed its device in.
        "ALTER TABLE device ADD COLUMN browser_device bytea",
        "CREATE INDEX device_of_browser ON device (browser_device) WHERE browser_device IS NOT NULL",
        // Whether the client is told of the end.
        "ALTER TABLE device ADD COLUMN notifies bigint NOT NULL DEFAULT 0",
        """
        CREATE TABLE client_notice (
            device_id bytea PRIMARY KEY NOT NULL,
            client_id \(text) NOT NULL,
            account_id \(text) NOT NULL,
            browser_device bytea,
            due_at bigint NOT NULL,
            leased_until bigint,
            attempts bigint NOT NULL,
            expires_at bigint NOT NULL
        )
        """,
        "CREATE INDEX client_notice_by_date ON client_notice (due_at)",
        "CREATE INDEX client_notice_by_end ON client_notice (expires_at)",
        """
        CREATE TABLE client (
            id \(text) PRIMARY KEY NOT NULL,
            members \(text) NOT NULL,
            secrets \(text) NOT NULL,
            registration_digest bytea,
            created_at bigint NOT NULL,
            updated_at bigint NOT NULL,
            expires_at bigint
        )
        """,
        "CREATE INDEX client_by_end ON client (expires_at) WHERE expires_at IS NOT NULL",
        """
        CREATE TABLE initial_token (
            digest bytea PRIMARY KEY NOT NULL,
            remaining bigint NOT NULL,
            created_at bigint NOT NULL,
            expires_at bigint NOT NULL
        )
        """,
        """
        CREATE TABLE account_deletion (
            account_id \(text) PRIMARY KEY NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            requested_at bigint NOT NULL,
            due_at bigint NOT NULL
        )
        """,
        "CREATE INDEX account_deletion_by_date ON account_deletion (due_at)",
    ]
}
