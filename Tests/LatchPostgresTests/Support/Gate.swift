// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import TestSupport

@testable import LatchPostgres

/// A gate at which a connection's queue waits until a test opens it.
struct Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    /// Blocks the queue on which a body runs.
    func wait() { semaphore.wait() }

    /// Lets one body pass.
    func open() { semaphore.signal() }
}

extension PostgresDatabase {
    /// Occupies a connection until the gate opens, with a transaction that holds the locks of a statement.
    ///
    /// - Parameter statement: Nil for no transaction.
    func occupy(with statement: String? = nil, until gate: Gate) async throws -> Task<Void, any Error> {
        let begun = Journal()
        let wait = { @Sendable in
            begun.append(1)
            gate.wait()
        }
        let task = Task {
            guard let statement else { return try await self.withConnection { _ in wait() } }
            try await self.transaction { connection in
                try connection.run(statement)
                wait()
            }
        }
        try await eventually { !begun.entries.isEmpty && connections.waiting == 0 }
        return task
    }
}

/// Numbers that several threads report.
final class Journal: Sendable {
    private let numbers = Mutex<[Int]>([])

    var entries: [Int] { numbers.withLock { $0 } }

    func append(_ number: Int) { numbers.withLock { $0.append(number) } }

    /// Appends an attempt, and returns whether it is the first.
    func isFirst() -> Bool {
        numbers.withLock { numbers in
            numbers.append(1)
            return numbers.count == 1
        }
    }
}
