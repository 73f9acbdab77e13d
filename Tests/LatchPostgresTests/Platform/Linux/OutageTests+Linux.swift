// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Synchronization
import TestSupport
import Testing

@testable import LatchPostgres

@Suite(.timeLimit(.minutes(1))) struct OutageTests {
    /// A port that takes each connection and ends it without a word, as that of a container does whose server has not started.
    private final class EndingServer: Sendable {
        private let listener: RawListener
        private let count = Mutex(0)

        init() throws { listener = try RawListener() }

        var port: Int { listener.port }

        /// The number of connections so far.
        var attempts: Int { count.withLock { $0 } }

        /// Ends connections until the task is cancelled.
        func run() async {
            while !Task.isCancelled, await listener.accept() != nil { count.withLock { $0 += 1 } }
        }
    }

    @Test func `An outage has one attempt at a time for all callers`() async throws {
        let server = try EndingServer()
        let running = Task { await server.run() }
        defer { running.cancel() }
        var configuration = PostgresConfiguration("postgres://latch@127.0.0.1:\(server.port)/latch?sslmode=disable")
        configuration.maximumConnections = 4
        configuration.retryTimeout = .milliseconds(500)
        let database = PostgresDatabase(configuration)
        let (reader, writer) = (PostgresReader(database), PostgresWriter(database))
        await withTaskGroup { group in
            for number in 0..<60 as Range<Int> {
                group.addTask {
                    let error = await failure {
                        switch number % 3 {
                        case 0: _ = try await database.number("SELECT 1")
                        case 1: _ = try await reader.run(PostgresStatement("SELECT 1"))
                        default: _ = try await writer.run([PostgresStatement("SELECT 1")], key: [])
                        }
                    }
                    #expect(error == .connectionFailed && error?.isRepeatable == false)
                }
            }
        }
        // As many as the pool opens at the same time before it knows, and then one after the other with growing pauses.
        #expect((1...20).contains(server.attempts), "\(server.attempts)")
        #expect(database.connections == (open: 0, idle: 0, waiting: 0))
        database.close()
    }
}
#endif
