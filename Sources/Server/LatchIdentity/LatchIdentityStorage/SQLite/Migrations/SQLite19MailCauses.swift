// SPDX-License-Identifier: Apache-2.0

extension SQLiteSchema {
    /// The device of the request that caused an email; it is unknown for earlier rows.
    package static let mailCauses = [
        "ALTER TABLE mail ADD COLUMN address TEXT", "ALTER TABLE mail ADD COLUMN user_agent TEXT",
    ]
}
