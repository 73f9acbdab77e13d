// SPDX-License-Identifier: Apache-2.0

/// The tables, as numbered steps: a step that has been released is never changed, only followed by another.
enum SQLiteSchema {
    /// "Ltch", by which a file is known as ours (https://sqlite.org/fileformat2.html#application_id).
    static let applicationID = 0x4C74_6368

    /// The number of the newest schema, which is how many steps there are.
    static var latest: Int { steps.count }

    /// Brings the file to the newest schema, each step in a transaction of its own together with its number.
    ///
    /// - Throws: `IdentityError.newerSchema` before anything is changed, or what keeps a step from being committed; the
    ///   file is then at the last step that was.
    static func migrate(_ connection: SQLiteConnection) throws(IdentityError) {
        while try version(of: connection) < latest {
            // An error leaves the transaction open, and the connection, which nobody keeps, takes it back as it closes.
            try connection.run("BEGIN IMMEDIATE")
            // Read again under the lock: another server that started at once may have taken this very step meanwhile.
            let found = try version(of: connection)
            if found < latest {
                for statement in steps[found] { try connection.run(statement) }
                try connection.run("PRAGMA application_id = \(applicationID)")
                try connection.run("PRAGMA user_version = \(found + 1)")
            }
            try connection.run("COMMIT")
        }
    }

    /// The number of the file's schema as this connection sees it, log included.
    private static func version(of connection: SQLiteConnection) throws(IdentityError) -> Int {
        let found = try connection.number("PRAGMA user_version")
        guard (0...latest).contains(found) else { throw .newerSchema(found: found, known: latest) }
        return found
    }

    /// Step n brings version n to n + 1.
    ///
    /// A released step must stay as it is: a file that has taken it will never take it again, and a change to it would
    /// leave two kinds of files with one number.
    private static let steps: [[String]] = [first, second, third, fourth]

    /// Version 2: usernames, the app and the scope of a device, and the sample resource.
    ///
    /// What is added is NULL in rows from before, which is what it means there: no username, the server's own app, and
    /// the scopes that a request gets which names none.
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
    /// STRICT makes SQLite hold to the types, WITHOUT ROWID keeps a row where its key is, and times are whole
    /// milliseconds since 1970. Addresses are unique by their key; the audit log's numbers are never given twice, so
    /// that a gap shows.
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
}
