// SPDX-License-Identifier: Apache-2.0

extension SQLiteSchema {
    /// The phone number of an account, and the time of its verification.
    package static let phones = [
        "ALTER TABLE account ADD COLUMN phone TEXT",
        "ALTER TABLE account ADD COLUMN phone_verified_at INTEGER",
    ]
}
