// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A pool of read-only connections, used on the caller's thread: a point select takes less time than a thread switch.
///
/// With a write-ahead log, readers see the last commit, and neither wait for the writer nor block it.
final class SQLiteReaders: Sendable {
    private let path: String
    /// The file's inode at the start, which detects that the file was replaced; nil if the system has none.
    private let inode: UInt64?
    private let maximumIdle: Int
    /// The unused connections; nil once the pool is closed.
    private let idle = Mutex<[SQLiteConnection]?>([])

    /// Creates a pool without connections.
    ///
    /// - Parameter maximumIdle: The number of connections that stay open between uses.
    init(path: String, maximumIdle: Int = 8) {
        self.path = path
        inode = SQLiteFile.inode(of: path)
        self.maximumIdle = maximumIdle
    }

    /// Runs `body` with a connection of its own, on the calling thread, which it blocks.
    ///
    /// - Throws: `IdentityError.storeMoved` if the file was replaced, `.storeClosed`, or the error of `body`.
    func read<Result>(_ body: (SQLiteConnection) throws(IdentityError) -> Result) throws(IdentityError) -> Result {
        let connection = try take()
        defer { release(connection) }
        return try body(connection)
    }

    /// Runs `body` like `read`, in a transaction: all of its statements see the store as it is at the first one.
    func snapshot<Result>(_ body: (SQLiteConnection) throws(IdentityError) -> Result) throws(IdentityError) -> Result {
        try read { db throws(IdentityError) in
            try db.run("BEGIN")
            // If it fails, the connection is closed with its transaction.
            let result = try body(db)
            try db.run("COMMIT")
            return result
        }
    }

    /// Closes the idle connections; one in use closes when it is released.
    func close() { idle.withLock { $0 = nil } }

    /// Returns an idle connection, or a new one to the same file.
    private func take() throws(IdentityError) -> SQLiteConnection {
        let (reused, isClosed) = idle.withLock { ($0?.popLast(), $0 == nil) }
        guard !isClosed else { throw .storeClosed }
        if let reused { return reused }
        let connection = try SQLiteConnection(path: path, access: .readOnly)
        // Another file at the same path has none of the devices: "not signed in" would be wrong.
        guard SQLiteFile.inode(of: path) == inode else { throw .storeMoved }
        return connection
    }

    /// Keeps the connection, or closes it if enough are idle, or if it would read an old snapshot.
    private func release(_ connection: SQLiteConnection) {
        guard !connection.isInTransaction else { return }
        idle.withLock { idle in
            if let count = idle?.count, count < maximumIdle { idle?.append(connection) }
        }
    }
}
