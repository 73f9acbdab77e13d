// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation

/// The kinds of a backup's records, by their first byte.
enum BackupRecord {
    /// The verified audit log: the time in milliseconds, the number of entries, the last digest.
    static let log = UInt8(ascii: "L")
    /// A table: its name, and the number and the names of its columns.
    static let table = UInt8(ascii: "T")
    /// A row of the last table.
    static let row = UInt8(ascii: "R")
    /// The end of the table: the number of its rows, and their digest.
    static let summary = UInt8(ascii: "S")
    /// The end of the backup.
    static let end = UInt8(ascii: "Z")
}

/// The writer of an encrypted backup, which gets its file name when it is complete.
package final class BackupWriter: StoreRowReceiver {
    private let file: NewFile
    private var chunks: BackupChunks
    private var waiting: [UInt8] = []
    private var table: StoreTable?

    /// Creates the file under a temporary name.
    ///
    /// - Throws: `IdentityError.fileFailed`, also if a file with that name exists.
    package init(_ path: String, key: BackupKey) throws(IdentityError) {
        do throws(IdentityError) {
            file = try IdentityError.mapping { () throws(FileError) in try NewFile(path) }
        } catch .storeNotEmpty {
            throw .fileFailed.with(message: "\(path) already exists.", hint: "Give the name of a new file.")
        }
        let header = try BackupHeader(for: key)
        chunks = BackupChunks(header)
        try write(header.bytes)
    }

    /// Writes the first record.
    package func begin(_ log: StoreContent.VerifiedLog) throws(IdentityError) {
        var bytes = [BackupRecord.log]
        bytes.append(bigEndian: UInt64(bitPattern: log.at.storedMilliseconds))
        bytes.append(bigEndian: UInt64(log.count))
        bytes.append(counted: log.digest)
        try append(bytes)
    }

    package func receive(_ rows: [[SQLValue]], of table: StoreTable) throws(IdentityError) {
        if self.table != table { try begin(table) }
        var bytes: [UInt8] = []
        for row in rows {
            bytes.append(BackupRecord.row)
            for value in row { value.encode(into: &bytes) }
        }
        try append(bytes)
    }

    package func finish(_ summary: StoreTableSummary) throws(IdentityError) {
        if table != summary.table { try begin(summary.table) }
        var bytes = [BackupRecord.summary]
        bytes.append(bigEndian: UInt64(summary.count))
        bytes.append(counted: summary.digest)
        try append(bytes)
    }

    /// Writes the end, and gives the file its name.
    package func publish() throws(IdentityError) {
        try append([BackupRecord.end])
        try write(try chunks.seal(waiting, isLast: true))
        try IdentityError.mapping { () throws(FileError) in try file.publish() }
    }

    private func begin(_ table: StoreTable) throws(IdentityError) {
        self.table = table
        var bytes = [BackupRecord.table]
        bytes.append(counted: Array(table.name.utf8))
        bytes.append(bigEndian: UInt64(table.columns.count))
        for column in table.columns { bytes.append(counted: Array(column.name.utf8)) }
        try append(bytes)
    }

    /// Encrypts full chunks; the last bytes wait, since the last chunk must not be empty.
    private func append(_ bytes: [UInt8]) throws(IdentityError) {
        waiting += bytes
        var rest = waiting[...]
        while rest.count > BackupChunks.size {
            try write(try chunks.seal(rest.prefix(BackupChunks.size), isLast: false))
            rest = rest.dropFirst(BackupChunks.size)
        }
        waiting = Array(rest)
    }

    private func write(_ bytes: [UInt8]) throws(IdentityError) {
        try IdentityError.mapping { () throws(FileError) in try file.write(bytes) }
    }
}
