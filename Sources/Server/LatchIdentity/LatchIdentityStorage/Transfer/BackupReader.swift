// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation

/// The decrypted bytes of a backup, read chunk by chunk.
package final class BackupReader {
    private let file: SequentialFile
    private var chunks: BackupChunks
    /// The encrypted bytes of the next chunk; empty after the last chunk.
    private var next: [UInt8]
    private var chunk: ArraySlice<UInt8> = []

    /// Opens a backup.
    ///
    /// - Throws: `IdentityError.notABackup`, `.newerBackup`, `.wrongBackupKey`, `.truncatedBackup` or `.fileFailed`.
    init(_ path: String, key: BackupKey) throws(IdentityError) {
        file = try IdentityError.mapping { () throws(FileError) in try SequentialFile(path) }
        chunks = BackupChunks(try BackupHeader(from: file, key: key))
        next = []
        next = try readChunk()
        guard !next.isEmpty else { throw .truncatedBackup }
    }

    /// Whether all bytes were read.
    var isAtEnd: Bool { chunk.isEmpty && next.isEmpty }

    package func byte() throws(IdentityError) -> UInt8 { try bytes(1)[0] }

    /// Reads a number of eight bytes.
    package func number() throws(IdentityError) -> UInt64 { try bytes(8).reduce(0) { $0 << 8 | UInt64($1) } }

    /// Reads a byte count, and then as many bytes.
    package func counted() throws(IdentityError) -> [UInt8] { try bytes(try bytes(4).reduce(0) { $0 << 8 | Int($1) }) }

    package func text() throws(IdentityError) -> String {
        guard let text = String(validating: try counted(), as: UTF8.self) else { throw .damagedBackup }
        return text
    }

    /// Reads bytes from as many chunks as needed.
    private func bytes(_ count: Int) throws(IdentityError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            if chunk.isEmpty { try advance() }
            let taken = chunk.prefix(count - bytes.count)
            bytes += taken
            chunk = chunk.dropFirst(taken.count)
        }
        return bytes
    }

    private func advance() throws(IdentityError) {
        guard !next.isEmpty else { throw .damagedBackup }
        let sealed = next
        next = try readChunk()
        chunk = try chunks.open(sealed, isLast: next.isEmpty)[...]
        guard !chunk.isEmpty else { throw .damagedBackup }
    }

    private func readChunk() throws(IdentityError) -> [UInt8] {
        try IdentityError.mapping { () throws(FileError) in
            try file.read(BackupChunks.size + BackupChunks.overhead)
        }
    }
}

/// A backup that was opened with the correct key.
final class Backup {
    /// The audit log of the store, as it was verified for the backup.
    let log: StoreContent.VerifiedLog
    private let reader: BackupReader

    /// Opens a backup and reads its first record.
    init(_ path: String, key: BackupKey) throws(IdentityError) {
        reader = try BackupReader(path, key: key)
        guard try reader.byte() == BackupRecord.log else { throw .newerBackup }
        let at = Date(storedMilliseconds: Int64(bitPattern: try reader.number()))
        guard let count = Int(exactly: try reader.number()) else { throw .damagedBackup }
        log = StoreContent.VerifiedLog(count: count, digest: try reader.counted(), at: at)
    }

    /// Sends all rows, once, and returns the summaries, which are equal to those of the store.
    ///
    /// Rows of a table of earlier versions are read but not sent.
    ///
    /// - Throws: `IdentityError.truncatedBackup`, `.damagedBackup`, or `.newerBackup` for an unknown table or column.
    func send(
        to receiver: (any StoreRowReceiver)?, progress: StoreProgress
    ) throws(IdentityError) -> [StoreTableSummary] {
        var summaries: [StoreTableSummary] = []
        while true {
            switch try reader.byte() {
            case BackupRecord.table:
                let table = try table()
                let receiver = table.isRetired ? nil : receiver
                let summary = try send(table, to: receiver)
                try receiver?.finish(summary)
                progress(summary.table.name, summary.count)
                summaries.append(summary)
            case BackupRecord.end:
                guard reader.isAtEnd, Set(summaries.map(\.table.name)).count == summaries.count else {
                    throw .damagedBackup
                }
                return summaries
            default: throw .newerBackup
            }
        }
    }

    private func send(
        _ table: StoreTable, to receiver: (any StoreRowReceiver)?
    ) throws(IdentityError) -> StoreTableSummary {
        var digest = StoreTableDigest(table)
        var rows: [[SQLValue]] = []
        while true {
            let kind = try reader.byte()
            if kind == BackupRecord.row {
                var row: [SQLValue] = []
                for column in table.columns { row.append(try SQLValue(column.kind, from: reader)) }
                rows.append(row)
            }
            if rows.count == StoreRows.page || kind != BackupRecord.row {
                digest.add(rows)
                if !rows.isEmpty { try receiver?.receive(rows, of: table) }
                rows = []
            }
            guard kind != BackupRecord.row else { continue }
            let summary = digest.summary
            guard kind == BackupRecord.summary, try reader.number() == UInt64(summary.count),
                try reader.counted() == summary.digest
            else { throw .damagedBackup }
            return summary
        }
    }

    private func table() throws(IdentityError) -> StoreTable {
        let known = StoreTable.named(try reader.text())
        var columns: [String] = []
        for _ in 0..<(try reader.number()) { columns.append(try reader.text()) }
        guard let table = known?.with(columns: columns) else { throw .newerBackup }
        return table
    }
}
