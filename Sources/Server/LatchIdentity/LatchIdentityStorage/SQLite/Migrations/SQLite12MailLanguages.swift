// SPDX-License-Identifier: Apache-2.0

extension SQLiteSchema {
    /// The language of each email; it is unknown for earlier rows.
    static let mailLanguages = ["ALTER TABLE mail ADD COLUMN language TEXT"]
}
