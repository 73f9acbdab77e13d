// SPDX-License-Identifier: Apache-2.0

extension SQLiteSchema {
    /// The columns of a registration; earlier rows have no registration.
    package static let registrations = [
        "ALTER TABLE account ADD COLUMN attributes TEXT",
        "ALTER TABLE account ADD COLUMN terms_version TEXT",
        "ALTER TABLE account ADD COLUMN terms_accepted_at INTEGER",
    ]
}
