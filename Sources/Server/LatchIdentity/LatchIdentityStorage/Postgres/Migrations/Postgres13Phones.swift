// SPDX-License-Identifier: Apache-2.0

extension PostgresSchema {
    /// The phone number of an account, and the time of its verification.
    package static let phones = [
        "ALTER TABLE account ADD COLUMN phone \(text)",
        "ALTER TABLE account ADD COLUMN phone_verified_at bigint",
    ]
}
