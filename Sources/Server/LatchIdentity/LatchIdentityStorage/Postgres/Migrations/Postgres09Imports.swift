// SPDX-License-Identifier: Apache-2.0

extension PostgresSchema {
    /// The columns of accounts and passkeys from another system; earlier rows have none.
    package static let imports = [
        "ALTER TABLE account ADD COLUMN foreign_id \(text)",
        "CREATE UNIQUE INDEX account_by_foreign_id ON account (foreign_id) WHERE foreign_id IS NOT NULL",
        "ALTER TABLE passkey ADD COLUMN user_handle bytea",
    ]
}
