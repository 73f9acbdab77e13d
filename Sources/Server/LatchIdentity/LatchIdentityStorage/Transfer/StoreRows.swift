// SPDX-License-Identifier: Apache-2.0

import LatchCrypto

/// A receiver of a store's rows, table by table: another store, or a backup.
package protocol StoreRowReceiver: AnyObject {
    /// Receives rows of a table, in the order of its key.
    func receive(_ rows: [[SQLValue]], of table: StoreTable) throws(IdentityError)

    /// Receives the end of a table.
    func finish(_ summary: StoreTableSummary) throws(IdentityError)
}

/// The number of a table's rows, and their digest; two stores with equal summaries have the same content.
package struct StoreTableSummary: Sendable, Hashable {
    package let table: StoreTable
    package let count: Int
    /// The SHA-256 of the rows, without the columns whose values depend on the store.
    package let digest: [UInt8]
}

/// The digest of a table's rows, computed while they pass.
struct StoreTableDigest {
    private let table: StoreTable
    private var hash = SHA256()
    private var count = 0

    init(_ table: StoreTable) { self.table = table }

    var summary: StoreTableSummary {
        StoreTableSummary(table: table, count: count, digest: Array(hash.finalize()))
    }

    mutating func add(_ rows: [[SQLValue]]) {
        var bytes: [UInt8] = []
        for row in rows {
            for (column, value) in zip(table.columns, row) where !column.isReassigned { value.encode(into: &bytes) }
        }
        hash.update(data: bytes)
        count += rows.count
    }
}

/// The rows of a database, read in pages so that the memory does not grow with the store.
package struct StoreRows {
    /// The number of rows that are read and written together.
    package static let page = 256

    package let db: any SQLConnection
    /// A function that is called for each table, and repeatedly within large tables, with the number of rows so far.
    package var progress: StoreProgress = { _, _ in }

    package init(db: any SQLConnection, progress: @escaping StoreProgress = { _, _ in }) {
        self.db = db
        self.progress = progress
    }

    /// Sends all rows of tables, and returns the summaries.
    ///
    /// - Parameter receiver: Nil computes only the summaries.
    package func send(
        _ tables: [StoreTable] = StoreTable.all, to receiver: (any StoreRowReceiver)? = nil
    ) throws(IdentityError) -> [StoreTableSummary] {
        var summaries: [StoreTableSummary] = []
        for table in tables {
            let summary = try send(table, to: receiver)
            try receiver?.finish(summary)
            progress(table.name, summary.count)
            summaries.append(summary)
        }
        return summaries
    }

    private func send(
        _ table: StoreTable, to receiver: (any StoreRowReceiver)?
    ) throws(IdentityError) -> StoreTableSummary {
        var digest = StoreTableDigest(table)
        var last: [SQLValue]?
        var count = 0
        while true {
            let rows = try page(of: table, after: last)
            guard let end = rows.last else { return digest.summary }
            digest.add(rows)
            try receiver?.receive(rows, of: table)
            last = Array(end.prefix(table.keyCount))
            count += rows.count
            if count % (Self.page * 400) == 0 { progress(table.name, count) }
        }
    }

    /// Returns the next rows in the order of the key, which both databases sort by bytes.
    private func page(of table: StoreTable, after last: [SQLValue]?) throws(IdentityError) -> [[SQLValue]] {
        let names = table.columns.map(\.name)
        let key = names.prefix(table.keyCount).joined(separator: ", ")
        let values = (1...table.keyCount).map { "$\($0)" }.joined(separator: ", ")
        let condition = last == nil ? "" : " WHERE (\(key)) > (\(values))"
        return try db.all(
            "SELECT \(names.joined(separator: ", ")) FROM \(table.name)\(condition) ORDER BY \(key) LIMIT \(Self.page)",
            last ?? []
        ) { row throws(IdentityError) in
            var read: [SQLValue] = []
            for (index, column) in table.columns.enumerated() {
                read.append(try column.kind.value(of: row, at: Int32(truncatingIfNeeded: index)))
            }
            return read
        }
    }
}

/// A function that gets the name of a table and the number of its rows so far.
package typealias StoreProgress = @Sendable (_ table: String, _ rows: Int) -> Void

extension StoreTable.Column.Kind {
    /// Reads a value of this type.
    func value(of row: borrowing SQLRow, at column: Int32) throws(IdentityError) -> SQLValue {
        switch self {
        case .integer: .integer(try row.optionalInteger(column))
        case .text: .text(try row.optionalText(column))
        case .blob: .blob(try row.optionalBlob(column))
        }
    }
}
