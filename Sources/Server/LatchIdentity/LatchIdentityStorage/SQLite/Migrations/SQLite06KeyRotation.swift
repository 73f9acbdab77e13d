// SPDX-License-Identifier: Apache-2.0

extension SQLiteSchema {
    /// The rotation and the encryption of the server's keys.
    ///
    /// Earlier keys sign from their creation, and are not encrypted.
    package static let keyRotation = [
        "ALTER TABLE signing_key ADD COLUMN signs_at INTEGER",
        "ALTER TABLE signing_key ADD COLUMN sealed_by TEXT",
        "ALTER TABLE secret ADD COLUMN sealed_by TEXT",
    ]
}
