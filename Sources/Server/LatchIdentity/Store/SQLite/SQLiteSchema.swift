// SPDX-License-Identifier: Apache-2.0

/// The schema as numbered migrations; a released migration is never changed, only followed by another.
enum SQLiteSchema {
    /// The application id "Ltch" (https://sqlite.org/fileformat2.html#application_id).
    static let applicationID = 0x4C74_6368

    /// The version of the newest schema.
    static var latest: Int { migrations.count }

    /// Migrates the file to the newest schema, each migration in a separate transaction.
    ///
    /// - Throws: `IdentityError.newerSchema` before any change, or the error of a migration. The file then has the
    ///   version of the last successful migration.
    static func migrate(_ connection: SQLiteConnection) throws(IdentityError) {
        while try version(of: connection) < latest {
            // After an error the connection is closed, which rolls the transaction back.
            try connection.run("BEGIN IMMEDIATE")
            // Read again under the lock: another node that starts concurrently may have migrated.
            let found = try version(of: connection)
            if found < latest {
                for statement in migrations[found] {
                    // The rows of an operator must not be lost.
                    if statement == sampleEnd, try !StoreTable.leftOut(of: connection).isEmpty { continue }
                    try connection.run(statement)
                }
                try connection.run("PRAGMA application_id = \(applicationID)")
                try connection.run("PRAGMA user_version = \(found + 1)")
            }
            try connection.run("COMMIT")
        }
    }

    /// Returns the version of the file's schema, including the content of the log.
    private static func version(of connection: SQLiteConnection) throws(IdentityError) -> Int {
        let found = try connection.number("PRAGMA user_version")
        guard (0...latest).contains(found) else { throw .newerSchema(found: found, known: latest) }
        return found
    }

    /// The migrations; the migration at index n changes version n to n + 1.
    static let migrations: [[String]] = [
        first, second, third, fourth, mailOutbox, keyRotation, credentials, auditChain, upstreamIdentities,
        authorizations, addressChallenges, mailLanguage, passkeys, leases, passkeyDomains,
        Account.registrationColumns(text: "TEXT", integer: "INTEGER"), [sampleEnd],
    ]

    /// The removal of the sample resource, whose table stays if it has rows.
    private static let sampleEnd = "DROP TABLE IF EXISTS sample_item"

    /// The mails that wait for the mail server.
    ///
    /// `account_id` has no foreign key, since a mail about an account can outlive the account.
    private static let mailOutbox = [
        """
        CREATE TABLE mail (
            id TEXT PRIMARY KEY NOT NULL,
            purpose TEXT NOT NULL,
            email TEXT NOT NULL,
            email_key TEXT NOT NULL,
            account_id TEXT,
            created_at INTEGER NOT NULL,
            due_at INTEGER NOT NULL,
            leased_until INTEGER,
            attempts INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX mail_by_time ON mail (due_at, id)",
    ]

    /// The language of each mail; it is unknown for earlier rows.
    private static let mailLanguage = ["ALTER TABLE mail ADD COLUMN language TEXT"]

    /// The rotation and the encryption of the server's keys.
    ///
    /// Earlier keys sign from their creation, and are not encrypted.
    private static let keyRotation = [
        "ALTER TABLE signing_key ADD COLUMN signs_at INTEGER",
        "ALTER TABLE signing_key ADD COLUMN sealed_by TEXT",
        "ALTER TABLE secret ADD COLUMN sealed_by TEXT",
    ]

    /// The chain of the audit log; entries without a digest are older than the chain.
    private static let auditChain = [
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

    /// Version 2: user names, the client and the scope of a device, and the sample resource.
    ///
    /// New columns are NULL in earlier rows: no user name, the server's own client, and the default scopes.
    private static let second = [
        "ALTER TABLE account ADD COLUMN username TEXT",
        "ALTER TABLE account ADD COLUMN username_key TEXT",
        "CREATE UNIQUE INDEX account_by_username ON account (username_key)",
        "ALTER TABLE device ADD COLUMN app_id TEXT",
        "ALTER TABLE device ADD COLUMN scope TEXT",
        """
        CREATE TABLE sample_item (
            id TEXT PRIMARY KEY NOT NULL,
            account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX sample_item_of_account ON sample_item (account_id, kind)",
    ]

    /// The tables of version 1.
    ///
    /// STRICT enforces the types, WITHOUT ROWID clusters a row by its key, and times are whole milliseconds since 1970.
    /// AUTOINCREMENT never reuses an ID of the audit log, so that a gap reveals a deletion.
    private static let first = [
        """
        CREATE TABLE account (
            id TEXT PRIMARY KEY NOT NULL,
            email TEXT NOT NULL,
            email_key TEXT NOT NULL UNIQUE,
            name TEXT,
            password_hash TEXT,
            password_changed_at INTEGER NOT NULL,
            email_verified_at INTEGER,
            roles TEXT NOT NULL,
            permissions TEXT NOT NULL,
            status TEXT NOT NULL CHECK (status IN ('active', 'disabled')),
            created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE device (
            id BLOB PRIMARY KEY NOT NULL,
            account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            secret BLOB NOT NULL,
            counter INTEGER NOT NULL,
            rotated_at INTEGER,
            rotation_key BLOB,
            created_at INTEGER NOT NULL,
            last_used_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            revoked_at INTEGER,
            revoked_because TEXT,
            user_agent TEXT,
            address TEXT
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX device_of_account ON device (account_id)",
        "CREATE INDEX device_by_end ON device (expires_at)",
        """
        CREATE TABLE one_time_token (
            digest BLOB PRIMARY KEY NOT NULL,
            account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            purpose TEXT NOT NULL,
            email_key TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX one_time_token_of_account ON one_time_token (account_id, purpose)",
        """
        CREATE TABLE signing_key (
            id TEXT PRIMARY KEY NOT NULL,
            private_jwk BLOB NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE TABLE secret (name TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL) STRICT, WITHOUT ROWID",
        "CREATE TABLE heartbeat (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL) STRICT",
        """
        CREATE TABLE audit (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at INTEGER NOT NULL,
            event TEXT NOT NULL,
            account_id TEXT,
            detail TEXT
        ) STRICT
        """,
    ]

    /// Version 3: account details, kinds of disabled accounts, the second factor, and pending addresses.
    ///
    /// `status` remains `active` or `disabled`; `standing` qualifies `disabled` and is NULL in earlier rows. The
    /// details are one JSON text, since no query reads them. The columns that lists search and sort by are separate.
    private static let third = [
        "ALTER TABLE account ADD COLUMN standing TEXT",
        "ALTER TABLE account ADD COLUMN updated_at INTEGER",
        "ALTER TABLE account ADD COLUMN last_login_at INTEGER",
        "CREATE INDEX account_by_creation ON account (created_at, id)",
        "ALTER TABLE device ADD COLUMN name TEXT",
        "ALTER TABLE device ADD COLUMN push_token TEXT",
        "ALTER TABLE device ADD COLUMN factor_at INTEGER",
        """
        CREATE TABLE account_details (
            account_id TEXT PRIMARY KEY NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            first_name TEXT NOT NULL,
            last_name TEXT NOT NULL,
            shown_name TEXT NOT NULL,
            search_key TEXT NOT NULL,
            content TEXT NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE second_factor (
            account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            is_confirmed INTEGER NOT NULL CHECK (is_confirmed IN (0, 1)),
            sealed_secret BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            last_step INTEGER NOT NULL,
            failures INTEGER NOT NULL,
            failed_at INTEGER,
            PRIMARY KEY (account_id, is_confirmed)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE recovery_code (
            account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            is_confirmed INTEGER NOT NULL CHECK (is_confirmed IN (0, 1)),
            digest BLOB NOT NULL,
            PRIMARY KEY (account_id, is_confirmed, digest)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE sign_in_challenge (
            digest BLOB PRIMARY KEY NOT NULL,
            account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            password_changed_at INTEGER NOT NULL,
            app_id TEXT,
            scope TEXT NOT NULL,
            is_remembered INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        "CREATE INDEX sign_in_challenge_of_account ON sign_in_challenge (account_id, created_at)",
        """
        CREATE TABLE email_change (
            account_id TEXT PRIMARY KEY NOT NULL REFERENCES account (id) ON DELETE CASCADE,
            email TEXT NOT NULL,
            email_key TEXT NOT NULL,
            old_email_key TEXT NOT NULL,
            old_digest BLOB UNIQUE,
            new_digest BLOB UNIQUE,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
    ]

    /// Version 4: the tables of account lists, so that a page costs the same for a hundred accounts and for a million.
    ///
    /// - `account_list` has a row per account, with the columns that lists filter, sort and search by. Triggers
    ///   maintain it, so that no write of an account can omit it.
    /// - `serial` is the time of the sign-up in milliseconds × 2²⁰ plus a sequence number. So the newest accounts are
    ///   the highest rows of every index, including the full-text index.
    /// - `class` is the number of an ``AccountClass``.
    /// - `account_tally` counts the rows of each class per day (UTC) of the sign-up, and for all days together (-1).
    private static let fourth =
        [
            """
            CREATE TABLE account_list (
                serial INTEGER PRIMARY KEY NOT NULL,
                account_id TEXT NOT NULL UNIQUE REFERENCES account (id) ON DELETE CASCADE,
                class INTEGER NOT NULL,
                email TEXT NOT NULL,
                username TEXT NOT NULL,
                first_name TEXT NOT NULL,
                last_name TEXT NOT NULL,
                shown_name TEXT NOT NULL,
                updated_at INTEGER NOT NULL,
                last_login_at INTEGER NOT NULL,
                content TEXT NOT NULL
            ) STRICT
            """,
            """
            CREATE TABLE account_tally (
                day INTEGER NOT NULL,
                class INTEGER NOT NULL,
                count INTEGER NOT NULL,
                PRIMARY KEY (day, class)
            ) STRICT, WITHOUT ROWID
            """,
            // A trigram index; only account_list stores the text.
            """
            CREATE VIRTUAL TABLE account_search
            USING fts5 (content, content = 'account_list', content_rowid = 'serial', tokenize = 'trigram')
            """,
            """
            CREATE TRIGGER account_list_grows AFTER INSERT ON account_list BEGIN
                INSERT INTO account_search (rowid, content) VALUES (new.serial, new.content);
                \(counting("new.class", "new.serial", 1))
            END
            """,
            """
            CREATE TRIGGER account_list_shrinks AFTER DELETE ON account_list BEGIN
                INSERT INTO account_search (account_search, rowid, content) VALUES ('delete', old.serial, old.content);
                \(counting("old.class", "old.serial", -1))
            END
            """,
            """
            CREATE TRIGGER account_list_moves AFTER UPDATE OF class ON account_list WHEN old.class <> new.class BEGIN
                \(counting("old.class", "old.serial", -1))
                \(counting("new.class", "new.serial", 1))
            END
            """,
            """
            CREATE TRIGGER account_list_reads AFTER UPDATE OF content ON account_list WHEN old.content <> new.content BEGIN
                INSERT INTO account_search (account_search, rowid, content) VALUES ('delete', old.serial, old.content);
                INSERT INTO account_search (rowid, content) VALUES (new.serial, new.content);
            END
            """,
            """
            CREATE TRIGGER account_is_listed AFTER INSERT ON account BEGIN
                INSERT INTO account_list (serial, \(listed)) SELECT \(serial), \(listing) WHERE id = new.id;
            END
            """,
            """
            CREATE TRIGGER account_is_changed
            AFTER UPDATE OF email_key, username_key, name, roles, status, standing, email_verified_at ON account BEGIN
                UPDATE account_list SET (\(listed)) = (SELECT \(listing) WHERE id = new.id) WHERE account_id = new.id;
            END
            """,
            // Each login and each change of details updates one time, without updating all indexes of the row.
            """
            CREATE TRIGGER account_is_used AFTER UPDATE OF last_login_at ON account BEGIN
                UPDATE account_list SET last_login_at = coalesce(new.last_login_at, 0) WHERE account_id = new.id;
            END
            """,
            """
            CREATE TRIGGER account_is_touched AFTER UPDATE OF updated_at ON account BEGIN
                UPDATE account_list SET updated_at = coalesce(new.updated_at, new.created_at) WHERE account_id = new.id;
            END
            """,
            """
            CREATE TRIGGER account_tells AFTER INSERT ON account_details BEGIN
                UPDATE account_list SET (\(listed)) = (SELECT \(listing) WHERE id = new.account_id)
                WHERE account_id = new.account_id;
            END
            """,
            """
            INSERT INTO account_list (serial, \(listed))
            SELECT (\(boundedTime("created_at")) << 20)
                + row_number() OVER (PARTITION BY \(boundedTime("created_at")) ORDER BY id) - 1, \(listing)
            ORDER BY created_at, id
            """,
            "CREATE INDEX account_list_by_class ON account_list (class)",
        ]
        + ["email", "username", "first_name", "last_name", "shown_name", "updated_at", "last_login_at"].map {
            "CREATE INDEX account_list_by_\($0) ON account_list (class, \($0), serial)"
        }

    /// The columns for the proof of ownership, the credential version, the last authentication and the hash costs.
    ///
    /// Triggers maintain version and costs, so that no write can omit them. In earlier rows no owner is proved, and the
    /// last authentication is the login.
    private static let credentials =
        [
            "ALTER TABLE account ADD COLUMN owner_proved_at INTEGER",
            "ALTER TABLE account ADD COLUMN credential_version INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE device ADD COLUMN authenticated_at INTEGER",
            """
            CREATE TRIGGER account_credentials_change
            AFTER UPDATE OF password_changed_at, email_key, email_verified_at, status, standing ON account BEGIN
                \(increasingVersion("new.id"))
            END
            """,
            """
            CREATE TRIGGER second_factor_is_confirmed AFTER UPDATE OF is_confirmed ON second_factor BEGIN
                \(increasingVersion("new.account_id"))
            END
            """,
            """
            CREATE TRIGGER second_factor_is_removed AFTER DELETE ON second_factor WHEN old.is_confirmed = 1 BEGIN
                \(increasingVersion("old.account_id"))
            END
            """,
            """
            CREATE TABLE password_cost (
                parameters TEXT PRIMARY KEY NOT NULL,
                count INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """,
            """
            CREATE TRIGGER password_is_added AFTER INSERT ON account WHEN new.password_hash IS NOT NULL BEGIN
                \(countingCost("new.password_hash", 1))
            END
            """,
            """
            CREATE TRIGGER password_is_replaced AFTER UPDATE OF password_hash ON account
            WHEN old.password_hash IS NOT new.password_hash BEGIN
                \(countingCost("old.password_hash", -1))
                \(countingCost("new.password_hash", 1))
                DELETE FROM password_cost WHERE count <= 0;
            END
            """,
            """
            CREATE TRIGGER password_is_deleted AFTER DELETE ON account WHEN old.password_hash IS NOT NULL BEGIN
                \(countingCost("old.password_hash", -1))
                DELETE FROM password_cost WHERE count <= 0;
            END
            """,
            """
            INSERT INTO password_cost (parameters, count)
            SELECT \(costParameters("password_hash")), count(*) FROM account WHERE password_hash IS NOT NULL GROUP BY 1
            """,
        ]

    /// Returns the SQL statement that increases the version of an account's credentials.
    static func increasingVersion(_ id: String) -> String {
        "UPDATE account SET credential_version = credential_version + 1 WHERE id = \(id);"
    }

    /// Returns the SQL statement that adds to the count of a hash's parameters.
    private static func countingCost(_ hash: String, _ change: Int) -> String {
        """
        INSERT INTO password_cost (parameters, count)
        SELECT \(costParameters(hash)), \(change) WHERE \(hash) IS NOT NULL
        ON CONFLICT (parameters) DO UPDATE SET count = count + excluded.count;
        """
    }

    /// Returns the SQL expression for the parameters of a PHC string, such as `m=19456,t=2,p=1`.
    ///
    /// They follow the third `$`.
    private static func costParameters(_ hash: String) -> String {
        let version = "substr(\(hash), 11)"
        let parameters = "substr(\(version), instr(\(version), '$') + 1)"
        return "substr(\(parameters), 1, max(instr(\(parameters), '$') - 1, 0))"
    }

    private static let listed = """
        account_id, class, email, username, first_name, last_name, shown_name, updated_at, last_login_at, content
        """

    /// The values of the columns of `listed`, and their tables.
    ///
    /// Each part of the search text follows two line breaks, so that one or two letters at its beginning also form a
    /// trigram.
    private static let listing = """
        id,
        CASE WHEN standing = 'deleted' THEN 62
            ELSE CASE coalesce(standing, status)
                WHEN 'active' THEN 0 WHEN 'disabled' THEN 8 WHEN 'suspended' THEN 16 ELSE 24 END
            + CASE WHEN email_verified_at IS NULL THEN 0 ELSE 4 END
            + CASE WHEN instr(' ' || roles || ' ', ' admin ') = 0
                THEN CASE WHEN instr(' ' || roles || ' ', ' moderator ') > 0 THEN 1 ELSE 0 END
                WHEN instr(' ' || roles || ' ', ' super_admin ') > 0 THEN 3 ELSE 2 END
            END,
        email_key, coalesce(username_key, ''), lower(coalesce(first_name, '')), lower(coalesce(last_name, '')),
        lower(coalesce(shown_name, name, '')), coalesce(updated_at, created_at), coalesce(last_login_at, 0),
        char(10, 10) || email_key || char(10, 10) || coalesce(username_key, '') || char(10, 10)
            || lower(coalesce(name, '')) || char(10, 10) || coalesce(search_key, '') || char(10, 10)
            || replace(replace(coalesce(search_key, ''), char(10), ' '), ' ', char(10, 10))
        FROM account LEFT JOIN account_details ON account_details.account_id = account.id
        """

    /// The SQL expression for the next serial of a millisecond.
    private static let serial = """
        coalesce(
            (SELECT max(serial) + 1 FROM account_list
            WHERE serial >= \(boundedTime("new.created_at")) << 20 AND serial < (\(boundedTime("new.created_at")) + 1) << 20),
            \(boundedTime("new.created_at")) << 20)
        """

    /// Returns the SQL expression for a time that leaves twenty bits for the sequence number, even with a wrong clock.
    private static func boundedTime(_ column: String) -> String { "max(0, min(\(column), 8000000000000))" }

    /// Returns the SQL statement that adds to the count of a class, for its day and for all days.
    private static func counting(_ accountClass: String, _ serial: String, _ change: Int) -> String {
        """
        INSERT INTO account_tally (day, class, count)
        VALUES (-1, \(accountClass), \(change)), ((\(serial) >> 20) / 86400000, \(accountClass), \(change))
        ON CONFLICT (day, class) DO UPDATE SET count = count + excluded.count;
        """
    }
}
