// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A pool of read-only connections, used on the caller's thread: a point select takes less time than a thread switch.
///
/// With a write-ahead log, readers see the last commit. They neither wait for the writer nor block it.
package final class SQLiteReaders: Sendable {
    private let path: String
    /// The file's inode at the start, which reveals that the file was replaced; nil if the system has none.
    private let inode: UInt64?
    private let maximumIdle: Int
    private let state = Mutex(State())

    private struct State {
        /// The unused connections; nil once the pool is closed.
        var idle: [SQLiteConnection]? = []
        /// The number of running reads.
        var reads = 0
        /// The callers of `close` that wait for the last read.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// Creates a pool without connections.
    ///
    /// - Parameter maximumIdle: The number of connections that stay open between uses.
    package init(path: String, maximumIdle: Int = 8) {
        self.path = path
        inode = SQLiteFile.inode(of: path)
        self.maximumIdle = maximumIdle
    }

    /// Runs `body` with a separate connection on the calling thread, which it blocks.
    ///
    /// - Throws: `IdentityError.storeMoved` if the file was replaced, `.storeClosed`, or the error of `body`.
    package func read<Result>(_ body: (SQLiteConnection) throws(IdentityError) -> Result) throws(IdentityError)
        -> Result
    {
        let connection = try borrow()
        defer { giveBack(connection) }
        return try body(connection)
    }

    /// Runs `body` like `read`, in a transaction; all of its statements see the store in the state of the first one.
    package func snapshot<Result>(_ body: (SQLiteConnection) throws(IdentityError) -> Result) throws(IdentityError)
        -> Result
    {
        try read { db throws(IdentityError) in
            try db.run("BEGIN")
            // After an error, the connection is closed together with its transaction.
            let result = try body(db)
            try db.run("COMMIT")
            return result
        }
    }

    /// Closes all connections and returns when none is in use, so that the file can be replaced.
    package func close() async {
        await withCheckedContinuation { continuation in
            let isUnused = state.withLock { state in
                state.idle = nil
                if state.reads > 0 { state.waiting.append(continuation) }
                return state.reads == 0
            }
            if isUnused { continuation.resume() }
        }
    }

    /// Begins a read with an idle or a new connection, which ``giveBack(_:)`` ends.
    ///
    /// - Throws: `IdentityError.storeMoved` if the file was replaced, `.storeClosed`, or another error of the store.
    func borrow() throws(IdentityError) -> SQLiteConnection {
        let (reused, isClosed) = state.withLock { state in
            if state.idle != nil { state.reads += 1 }
            return (state.idle?.popLast(), state.idle == nil)
        }
        guard !isClosed else { throw .storeClosed }
        if let reused { return reused }
        do throws(IdentityError) { return try open() } catch {
            endRead()
            throw error
        }
    }

    /// Opens a connection to the file of the start.
    private func open() throws(IdentityError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, access: .readOnly)
        // Another file at the same path does not have the devices, so "not signed in" would be wrong.
        guard SQLiteFile.inode(of: path) == inode else { throw .storeMoved }
        return connection
    }

    /// Ends a read: keeps its connection, unless enough are idle or its transaction is still open.
    func giveBack(_ connection: SQLiteConnection) {
        let isKept =
            !connection.isInTransaction
            && state.withLock { state in
                guard let count = state.idle?.count, count < maximumIdle else { return false }
                state.idle?.append(connection)
                return true
            }
        if !isKept { connection.close() }
        endRead()
    }

    private func endRead() {
        let waiting = state.withLock { state in
            state.reads -= 1
            guard state.reads == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
