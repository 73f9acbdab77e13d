// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// Connections for reading, used on the caller's own thread: a point select takes some microseconds, less than a hand-off.
///
/// With a write-ahead log readers see the last commit and neither wait for the writer nor hold it up.
final class SQLiteReaders: Sendable {
    private let path: String
    /// The file's inode at the start, by which a file that was replaced under the same path is noticed; nil where the
    /// system has none.
    private let number: UInt?
    private let maximumIdle: Int
    private let idle = Mutex<[SQLiteConnection]>([])

    /// Opens nothing yet.
    ///
    /// - Parameter maximumIdle: How many connections stay open between uses; each holds a file descriptor and a cache.
    init(path: String, maximumIdle: Int = 8) {
        self.path = path
        number = SQLiteFile.number(of: path)
        self.maximumIdle = maximumIdle
    }

    /// Runs `body` with a connection of its own, on the calling thread; a new one is opened where none is idle.
    ///
    /// It blocks the calling thread for the time of the select. `body` must not keep the connection, which another
    /// thread gets next.
    ///
    /// - Throws: `IdentityError.storeMoved` where another file lies at the path now, or what `body` threw.
    func read<Result>(
        _ body: (SQLiteConnection) throws(IdentityError) -> Result
    ) throws(IdentityError) -> Result {
        let connection = try take()
        defer { giveBack(connection) }
        return try body(connection)
    }

    /// Closes the idle ones; one that is in use closes when it comes back and nobody keeps it.
    func close() { idle.withLock { $0.removeAll() } }

    /// An idle connection, or a new one to the same file.
    private func take() throws(IdentityError) -> SQLiteConnection {
        if let connection = idle.withLock({ $0.popLast() }) { return connection }
        let connection = try SQLiteConnection(path: path, access: .readOnly)
        // Another file at the same path knows none of the devices of this one: "not signed in" would be a wrong answer.
        guard SQLiteFile.number(of: path) == number else { throw .storeMoved }
        return connection
    }

    /// Keeps a few connections, and closes what a burst needed beyond them.
    private func giveBack(_ connection: SQLiteConnection) {
        idle.withLock { idle in
            if idle.count < maximumIdle { idle.append(connection) }
        }
    }
}
