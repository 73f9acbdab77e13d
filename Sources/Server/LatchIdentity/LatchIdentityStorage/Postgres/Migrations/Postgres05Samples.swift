// SPDX-License-Identifier: Apache-2.0

import LatchPostgres

extension PostgresSchema {
    /// The removal of the sample resource, whose table stays if it has rows.
    static let samplesEnd = "DROP TABLE IF EXISTS sample_item"

    /// Removes the table of the sample resource, unless it has rows, which must not be lost.
    static func endSamples(_ connection: PostgresConnection) throws {
        let number = { (sql: String) in
            try connection.first(sql) { row throws(PostgresError) in try row.integer(0) }
        }
        // An operator may have removed it already.
        guard try number("SELECT count(*) FROM pg_class WHERE oid = to_regclass('sample_item')") == 1 else { return }
        // So no server of an earlier version adds a row in the meantime.
        try connection.run("LOCK TABLE sample_item IN ACCESS EXCLUSIVE MODE")
        if try number(StoreTable.sampleRows) == 0 { try connection.run(samplesEnd) }
    }
}
