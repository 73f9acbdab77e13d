// SPDX-License-Identifier: Apache-2.0

extension PostgresSchema {
    /// The columns of a registration; earlier rows have no registration.
    package static let registrations = [
        "ALTER TABLE account ADD COLUMN attributes \(text)",
        "ALTER TABLE account ADD COLUMN terms_version \(text)",
        "ALTER TABLE account ADD COLUMN terms_accepted_at bigint",
    ]
}
