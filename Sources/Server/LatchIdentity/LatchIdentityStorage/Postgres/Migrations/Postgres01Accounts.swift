// SPDX-License-Identifier: Apache-2.0

/// The tables of version 1, with the columns of SQLite's newest schema.
///
/// Keys are random or begin with the account, so that nodes do not all write to the same part of an index. Times are
/// whole milliseconds since 1970.
extension PostgresSchema {
    private static let ofAccount = "\(text) NOT NULL REFERENCES account (id) ON DELETE CASCADE"

    /// The accounts, with generated columns that lists sort and search by.
    ///
    /// The views have the names and the columns of SQLite's tables, which triggers maintain. In PostgreSQL, every
    /// sign-up of every node would write the same row of counts.
    package static let accounts =
        [
            """
            CREATE TABLE account (
                id \(text) PRIMARY KEY,
                email \(text) NOT NULL,
                email_key \(text) NOT NULL UNIQUE,
                name \(text),
                password_hash \(text),
                password_changed_at bigint NOT NULL,
                email_verified_at bigint,
                roles \(text) NOT NULL,
                permissions \(text) NOT NULL,
                status \(text) NOT NULL CHECK (status IN ('active', 'disabled')),
                created_at bigint NOT NULL,
                username \(text),
                username_key \(text) UNIQUE,
                standing \(text),
                updated_at bigint,
                last_login_at bigint,
                owner_proved_at bigint,
                credential_version bigint NOT NULL DEFAULT 0,
                listed_first_name \(text) NOT NULL DEFAULT '',
                listed_last_name \(text) NOT NULL DEFAULT '',
                listed_shown_name \(text),
                listed_search_key \(text) NOT NULL DEFAULT '',
                listed_order bigint NOT NULL DEFAULT floor(random() * 1048576)::bigint,
                listed_serial bigint NOT NULL GENERATED ALWAYS AS
                    ((greatest(0, least(created_at, 8000000000000)) << 20) + listed_order) STORED,
                listed_class bigint NOT NULL GENERATED ALWAYS AS (\(listedClass)) STORED,
                listed_username \(text) NOT NULL GENERATED ALWAYS AS (coalesce(username_key, '')) STORED,
                listed_first \(text) NOT NULL GENERATED ALWAYS AS (lower(listed_first_name)) STORED,
                listed_last \(text) NOT NULL GENERATED ALWAYS AS (lower(listed_last_name)) STORED,
                listed_shown \(text) NOT NULL GENERATED ALWAYS AS
                    (lower(coalesce(listed_shown_name, name, ''))) STORED,
                listed_updated_at bigint NOT NULL GENERATED ALWAYS AS (coalesce(updated_at, created_at)) STORED,
                listed_last_login_at bigint NOT NULL GENERATED ALWAYS AS (coalesce(last_login_at, 0)) STORED,
                listed_content \(text) NOT NULL GENERATED ALWAYS AS (\(listedContent)) STORED,
                cost_parameters \(text) GENERATED ALWAYS AS (split_part(password_hash, '$', 4)) STORED
            )
            """,
            "CREATE INDEX account_by_serial ON account (listed_serial)",
            // The key has no generated column. Otherwise each update of an account would lock out inserts of rows that
            // refer to it. Two sign-ins would wait for each other until the server finds the deadlock.
            "CREATE UNIQUE INDEX account_by_creation ON account (created_at, listed_order)",
            "CREATE INDEX account_by_class_serial ON account (listed_class, listed_serial)",
            "CREATE INDEX account_by_day ON account (((listed_serial >> 20) / 86400000), listed_class)",
            "CREATE INDEX account_by_cost ON account (cost_parameters)",
            """
            CREATE VIEW account_list AS SELECT listed_serial AS serial, id AS account_id, listed_class AS class,
                email_key AS email, listed_username AS username, listed_first AS first_name, listed_last AS last_name,
                listed_shown AS shown_name, listed_updated_at AS updated_at, listed_last_login_at AS last_login_at,
                listed_content AS content
            FROM account
            """,
            """
            CREATE VIEW account_tally AS
            SELECT (-1)::bigint AS day, listed_class AS class, count(*) AS count FROM account GROUP BY listed_class
            UNION ALL
            SELECT (listed_serial >> 20) / 86400000, listed_class, count(*) FROM account
            GROUP BY (listed_serial >> 20) / 86400000, listed_class
            """,
            """
            CREATE VIEW password_cost AS SELECT cost_parameters AS parameters, count(*) AS count FROM account
            WHERE cost_parameters IS NOT NULL GROUP BY cost_parameters
            """,
            """
            CREATE TABLE account_details (
                account_id \(ofAccount) PRIMARY KEY,
                first_name \(text) NOT NULL,
                last_name \(text) NOT NULL,
                shown_name \(text) NOT NULL,
                search_key \(text) NOT NULL,
                content \(text) NOT NULL
            )
            """,
        ]
        + [
            "email_key", "listed_username", "listed_first", "listed_last", "listed_shown", "listed_updated_at",
            "listed_last_login_at",
        ].map { "CREATE INDEX account_by_class_\($0) ON account (listed_class, \($0), listed_serial)" }
        + [trigrams]

    /// A trigram index for the search, if the server has the extension and the user may create it.
    ///
    /// Without it, a search reads all rows of the selected classes.
    private static let trigrams = """
        DO $$ BEGIN
            CREATE EXTENSION IF NOT EXISTS pg_trgm;
            CREATE INDEX account_by_content ON account USING gin (listed_content gin_trgm_ops);
        EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR undefined_object THEN NULL;
        END $$
        """

    /// The number of an ``AccountClass``, or 62 for deleted accounts, as SQLite's triggers compute it.
    private static let listedClass = """
        CASE WHEN standing = 'deleted' THEN 62
            ELSE CASE coalesce(standing, status)
                WHEN 'active' THEN 0 WHEN 'disabled' THEN 8 WHEN 'suspended' THEN 16 ELSE 24 END
            + CASE WHEN email_verified_at IS NULL THEN 0 ELSE 4 END
            + CASE WHEN strpos(' ' || roles || ' ', ' admin ') = 0
                THEN CASE WHEN strpos(' ' || roles || ' ', ' moderator ') > 0 THEN 1 ELSE 0 END
                WHEN strpos(' ' || roles || ' ', ' super_admin ') > 0 THEN 3 ELSE 2 END
            END
        """

    private static let listedContent = """
        E'\\n\\n' || email_key || E'\\n\\n' || coalesce(username_key, '') || E'\\n\\n' || lower(coalesce(name, ''))
            || E'\\n\\n' || listed_search_key || E'\\n\\n'
            || replace(replace(listed_search_key, E'\\n', ' '), ' ', E'\\n\\n')
        """

    /// The version of an account's credentials, which triggers increase, so that no write can omit it.
    ///
    /// They only write the row of the account whose other rows change, so accounts share no written row.
    package static let versions = [
        """
        CREATE FUNCTION latch_account_changes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF (new.password_changed_at, new.email_key, new.email_verified_at, new.status, new.standing)
                IS DISTINCT FROM (old.password_changed_at, old.email_key, old.email_verified_at, old.status, old.standing)
            THEN new.credential_version := old.credential_version + 1; END IF;
            RETURN new;
        END $$
        """,
        """
        CREATE TRIGGER account_credentials_change BEFORE UPDATE ON account
        FOR EACH ROW EXECUTE FUNCTION latch_account_changes()
        """,
    ]

    /// Returns the statements of a trigger that increases the version after a row of an account has changed.
    private static func increasingVersion(_ table: String, after event: String, of row: String, when: String = "true")
        -> [String]
    {
        [
            """
            CREATE FUNCTION latch_\(table)_\(row)() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                UPDATE account SET credential_version = credential_version + 1 WHERE id = \(row).account_id;
                RETURN NULL;
            END $$
            """,
            """
            CREATE TRIGGER \(table)_changes_\(row) AFTER \(event) ON \(table)
            FOR EACH ROW WHEN (\(when)) EXECUTE FUNCTION latch_\(table)_\(row)()
            """,
        ]
    }

    /// The devices, the second factors, the identities at other providers and the passkeys.
    package static let sessions =
        [
            """
            CREATE TABLE device (
                id bytea PRIMARY KEY,
                account_id \(ofAccount),
                secret bytea NOT NULL,
                counter bigint NOT NULL,
                rotated_at bigint,
                rotation_key bytea,
                created_at bigint NOT NULL,
                last_used_at bigint NOT NULL,
                expires_at bigint NOT NULL,
                revoked_at bigint,
                revoked_because \(text),
                user_agent \(text),
                address \(text),
                app_id \(text),
                scope \(text),
                name \(text),
                push_token \(text),
                factor_at bigint,
                authenticated_at bigint
            ) WITH (fillfactor = 80)
            """,
            "CREATE INDEX device_of_account ON device (account_id)",
            "CREATE INDEX device_by_end ON device (expires_at)",
            """
            CREATE TABLE second_factor (
                account_id \(ofAccount),
                is_confirmed bigint NOT NULL CHECK (is_confirmed IN (0, 1)),
                sealed_secret bytea NOT NULL,
                created_at bigint NOT NULL,
                last_step bigint NOT NULL,
                failures bigint NOT NULL,
                failed_at bigint,
                PRIMARY KEY (account_id, is_confirmed)
            )
            """,
            """
            CREATE TABLE recovery_code (
                account_id \(ofAccount),
                is_confirmed bigint NOT NULL CHECK (is_confirmed IN (0, 1)),
                digest bytea NOT NULL,
                PRIMARY KEY (account_id, is_confirmed, digest)
            )
            """,
            """
            CREATE TABLE upstream_identity (
                issuer \(text) NOT NULL,
                subject \(text) NOT NULL,
                provider \(text) NOT NULL,
                email \(text),
                account_id \(ofAccount),
                linked_at bigint NOT NULL,
                PRIMARY KEY (issuer, subject)
            )
            """,
            "CREATE INDEX upstream_identity_of_account ON upstream_identity (account_id, provider)",
            """
            CREATE TABLE passkey (
                credential_id bytea PRIMARY KEY,
                account_id \(ofAccount),
                public_key bytea NOT NULL,
                counter bigint NOT NULL,
                is_backup_eligible bigint NOT NULL,
                is_backed_up bigint NOT NULL,
                aaguid bytea NOT NULL,
                transports \(text) NOT NULL,
                name \(text) NOT NULL,
                created_at bigint NOT NULL,
                last_used_at bigint
            )
            """,
            "CREATE INDEX passkey_of_account ON passkey (account_id, created_at)",
        ]
        + increasingVersion("second_factor", after: "UPDATE OF is_confirmed", of: "new")
        + increasingVersion("second_factor", after: "DELETE", of: "old", when: "old.is_confirmed = 1")
        + increasingVersion("upstream_identity", after: "INSERT", of: "new")
        + increasingVersion("upstream_identity", after: "DELETE", of: "old")
}
