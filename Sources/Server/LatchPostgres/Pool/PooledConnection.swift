// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// A connection and the queue on which its blocking calls run.
final class PooledConnection: Sendable {
    private let connection: PostgresConnection
    private let queue: DispatchQueue

    private init(_ connection: PostgresConnection, queue: DispatchQueue) {
        self.connection = connection
        self.queue = queue
    }

    /// Connects on a new queue and reports the result there.
    static func connect(
        _ configuration: PostgresConfiguration,
        report: @escaping @Sendable (Result<PooledConnection, PostgresError>) -> Void
    ) {
        let queue = DispatchQueue(label: "latch.postgres.connection")
        queue.async {
            do throws(PostgresError) {
                report(.success(PooledConnection(try PostgresConnection(configuration), queue: queue)))
            } catch {
                report(.failure(error))
            }
        }
    }

    /// Runs `body` on the queue.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async -> Result<Value, any Error> {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result { try body(self.connection) }) }
        }
    }

    /// Whether another call can use the connection after the last one has finished.
    var isReusable: Bool { connection.isReusable }

    /// Whether the server has closed the connection in the meantime.
    var hasEnded: Bool { connection.hasEnded }
}
