// SPDX-License-Identifier: Apache-2.0

extension SQLiteSchema {
    /// The removal of the sample resource, whose table stays if it has rows.
    static let samplesEnd = "DROP TABLE IF EXISTS sample_item"
}
