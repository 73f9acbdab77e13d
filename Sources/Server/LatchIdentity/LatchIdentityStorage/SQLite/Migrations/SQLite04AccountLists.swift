// SPDX-License-Identifier: Apache-2.0

extension SQLiteSchema {
    /// Version 4: the tables of account lists, so that a page costs the same for a hundred accounts and for a million.
    ///
    /// - `account_list` has a row per account, with the columns that lists filter, sort and search by. Triggers
    ///   maintain it, so that no write of an account can omit it.
    /// - `serial` is the time of the sign-up in milliseconds × 2²⁰ plus a sequence number. So the newest accounts are
    ///   the highest rows of every index, including the full-text index.
    /// - `class` is the number of an ``AccountClass``.
    /// - `account_tally` counts the rows of each class per day (UTC) of the sign-up, and for all days together (-1).
    static let accountLists =
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
