// SPDX-License-Identifier: Apache-2.0

extension SQLiteSchema {
    /// The columns for the proof of ownership, the credential version, the last authentication and the hash costs.
    ///
    /// Triggers maintain version and costs, so that no write can omit them. In earlier rows no owner is proved, and the
    /// last authentication is the login.
    package static let credentials =
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
}
