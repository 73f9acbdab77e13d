// SPDX-License-Identifier: Apache-2.0

/// The tables of waiting and expiring rows, of the keys, and of the audit log.
extension PostgresSchema {
    private static let account = "\(text) REFERENCES account (id) ON DELETE CASCADE"

    /// The mailed tokens, the challenges and codes of logins, and the outbox.
    ///
    /// The `account_id` of an email has no foreign key, since an email about an account can outlive the account.
    package static let waiting = [
        """
        CREATE TABLE one_time_token (
            digest bytea PRIMARY KEY,
            account_id \(account) NOT NULL,
            purpose \(text) NOT NULL,
            email_key \(text) NOT NULL,
            created_at bigint NOT NULL,
            expires_at bigint NOT NULL
        )
        """,
        "CREATE INDEX one_time_token_of_account ON one_time_token (account_id, purpose)",
        "CREATE INDEX one_time_token_by_end ON one_time_token (expires_at)",
        """
        CREATE TABLE sign_in_challenge (
            digest bytea PRIMARY KEY,
            account_id \(account) NOT NULL,
            password_changed_at bigint NOT NULL,
            app_id \(text),
            scope \(text) NOT NULL,
            is_remembered bigint NOT NULL,
            created_at bigint NOT NULL,
            expires_at bigint NOT NULL
        )
        """,
        "CREATE INDEX sign_in_challenge_of_account ON sign_in_challenge (account_id, created_at)",
        "CREATE INDEX sign_in_challenge_by_end ON sign_in_challenge (expires_at)",
        """
        CREATE TABLE email_change (
            account_id \(account) PRIMARY KEY,
            email \(text) NOT NULL,
            email_key \(text) NOT NULL,
            old_email_key \(text) NOT NULL,
            old_digest bytea UNIQUE,
            new_digest bytea UNIQUE,
            expires_at bigint NOT NULL
        )
        """,
        """
        CREATE TABLE mail (
            id \(text) PRIMARY KEY,
            purpose \(text) NOT NULL,
            email \(text) NOT NULL,
            email_key \(text) NOT NULL,
            account_id \(text),
            created_at bigint NOT NULL,
            due_at bigint NOT NULL,
            leased_until bigint,
            attempts bigint NOT NULL,
            language \(text)
        )
        """,
        "CREATE INDEX mail_by_time ON mail (due_at, id)",
        "CREATE INDEX mail_of_account ON mail (account_id)",
        "CREATE INDEX mail_of_address ON mail (email_key)",
        """
        CREATE TABLE address_challenge (
            id \(text) PRIMARY KEY,
            account_id \(account),
            failures bigint NOT NULL,
            expires_at bigint NOT NULL
        )
        """,
        "CREATE INDEX address_challenge_by_end ON address_challenge (expires_at)",
        "CREATE INDEX address_challenge_of_account ON address_challenge (account_id)",
        """
        CREATE TABLE sign_in_code (
            digest bytea PRIMARY KEY,
            purpose \(text) NOT NULL,
            issuer \(text) NOT NULL,
            subject \(text) NOT NULL,
            provider \(text) NOT NULL,
            email \(text),
            account_id \(account),
            credential_version bigint NOT NULL,
            code_challenge \(text) NOT NULL,
            factor_at bigint,
            authenticated_at bigint NOT NULL,
            expires_at bigint NOT NULL
        )
        """,
        "CREATE INDEX sign_in_code_by_end ON sign_in_code (expires_at)",
        "CREATE INDEX sign_in_code_of_account ON sign_in_code (account_id)",
        "CREATE TABLE spent_sign_in (digest bytea PRIMARY KEY, expires_at bigint NOT NULL)",
        "CREATE INDEX spent_sign_in_by_end ON spent_sign_in (expires_at)",
    ]

    /// The authorization codes, and the devices that wait for their users.
    package static let authorizations = [
        """
        CREATE TABLE authorization_code (
            digest bytea PRIMARY KEY,
            client_id \(text) NOT NULL,
            account_id \(account) NOT NULL,
            credential_version bigint NOT NULL,
            browser_device bytea NOT NULL,
            redirect \(text) NOT NULL,
            code_challenge \(text) NOT NULL,
            nonce \(text),
            scope \(text) NOT NULL,
            authenticated_at bigint NOT NULL,
            factor_at bigint,
            valid_until bigint NOT NULL,
            used_at bigint,
            device_id bytea,
            expires_at bigint NOT NULL
        )
        """,
        "CREATE INDEX authorization_code_by_end ON authorization_code (expires_at)",
        "CREATE INDEX authorization_code_of_account ON authorization_code (account_id)",
        """
        CREATE TABLE device_authorization (
            digest bytea PRIMARY KEY,
            user_digest bytea NOT NULL UNIQUE,
            client_id \(text) NOT NULL,
            scope \(text),
            address \(text) NOT NULL,
            user_agent \(text),
            created_at bigint NOT NULL,
            expires_at bigint NOT NULL,
            poll_interval bigint NOT NULL,
            polled_at bigint,
            decision \(text) CHECK (decision IN ('approved', 'denied')),
            account_id \(account),
            credential_version bigint,
            browser_device bytea,
            granted_scope \(text),
            authenticated_at bigint,
            factor_at bigint
        )
        """,
        "CREATE INDEX device_authorization_by_end ON device_authorization (expires_at)",
        "CREATE INDEX device_authorization_of_account ON device_authorization (account_id)",
    ]

    /// The keys, the audit log, the health check and the sample resource.
    static let operations = [
        """
        CREATE TABLE signing_key (
            id \(text) PRIMARY KEY,
            private_jwk bytea NOT NULL,
            created_at bigint NOT NULL,
            signs_at bigint,
            sealed_by \(text)
        )
        """,
        "CREATE TABLE secret (name \(text) PRIMARY KEY, value bytea NOT NULL, sealed_by \(text))",
        "CREATE TABLE heartbeat (id bigint PRIMARY KEY CHECK (id = 1), at bigint NOT NULL)",
        """
        CREATE TABLE audit (
            chain \(text) NOT NULL,
            id bigint NOT NULL UNIQUE,
            at bigint NOT NULL,
            event \(text) NOT NULL,
            account_id \(text),
            detail \(text),
            digest bytea,
            PRIMARY KEY (chain, id)
        )
        """,
        """
        CREATE TABLE audit_head (
            chain \(text) PRIMARY KEY,
            base_id bigint NOT NULL,
            base_digest bytea NOT NULL,
            last_id bigint NOT NULL,
            last_digest bytea NOT NULL,
            digest bytea NOT NULL
        )
        """,
        """
        CREATE TABLE sample_item (
            id \(text) PRIMARY KEY,
            account_id \(account) NOT NULL,
            kind \(text) NOT NULL,
            name \(text) NOT NULL,
            created_at bigint NOT NULL
        )
        """,
        "CREATE INDEX sample_item_of_account ON sample_item (account_id, kind)",
    ]
}
