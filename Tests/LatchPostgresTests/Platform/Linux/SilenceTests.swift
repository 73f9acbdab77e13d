// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Expectations
import TestSupport
import Testing

@testable import LatchPostgres

/// A machine that has lost its disk, or hangs: its kernel still acknowledges what it is sent.
@Suite(.timeLimit(.minutes(1))) struct SilenceTests {
    /// The words of the statements with which a connection begins.
    private static let start: Set = ["SET"]
    private static let insertion = PostgresStatement("INSERT INTO t VALUES (1)")

    /// Runs `body` with a database on a server that is silent from the first statement on that begins with none of the words.
    private func withDatabase(
        accepting words: Set<String>, _ body: (PostgresDatabase, ScriptedPostgres) async throws -> Void
    ) async throws {
        let server = try ScriptedPostgres(.silent(after: words))
        let running = Task { await server.run() }
        defer { running.cancel() }
        var configuration = PostgresConfiguration("postgres://latch@127.0.0.1:\(server.port)/latch?sslmode=disable")
        // Together longer than the scripted server takes for an answer on a busy machine.
        (configuration.statementTimeout, configuration.networkTimeout) = (.seconds(1), .seconds(1))
        configuration.retryTimeout = .zero
        let database = PostgresDatabase(configuration)
        defer { database.close() }
        try await body(database, server)
        try await eventually { database.connections == (open: 0, idle: 0, waiting: 0) }
    }

    /// Returns the error of a call; nil with the suite's time limit if the call never ends.
    private func failureInTime<Value>(_ body: @escaping @Sendable () async throws -> Value) async -> PostgresError? {
        let (outcomes, continuation) = AsyncStream.makeStream(of: PostgresError?.self)
        Task { continuation.yield(await failure(body)) }
        return await outcomes.first { _ in true } ?? nil
    }

    @Test func `A server that stops answering ends a read`() async throws {
        try await withDatabase(accepting: Self.start) { database, _ in
            let reader = PostgresReader(database)
            await expectEqual(failureInTime { try await database.number("SELECT 1") }, .connectionLost)
            await expectEqual(failureInTime { try await reader.run(PostgresStatement("SELECT 1")) }, .connectionLost)
        }
    }

    @Test func `A server that stops answering ends the wait for a connection`() async throws {
        try await withDatabase(accepting: []) { database, _ in
            await expectEqual(failureInTime { try await database.number("SELECT 1") }, .connectionLost)
            expectEqual(database.outage, .connectionLost)
        }
    }

    @Test
    func `A server that stops answering ends a transaction before its commit, and nothing of it remains`() async throws
    {
        try await withDatabase(accepting: Self.start.union(["BEGIN"])) { database, _ in
            let error = await failureInTime { try await database.run(Self.insertion.sql) }
            #expect(error == .connectionLost && error?.isRepeatable == true)
        }
    }

    /// One that is repeated would be on a second connection.
    @Test
    func `A server that stops answering leaves the outcome of a commit unknown, and it is not repeated`() async throws {
        try await withDatabase(accepting: Self.start.union(["BEGIN", "INSERT"])) { database, server in
            let error = await failureInTime { try await database.run(Self.insertion.sql) }
            #expect(error == .outcomeUnknown && error?.isRepeatable == false)
            expectEqual(server.connections, 1)
        }
    }

    /// The commit of statements that are sent with their synchronization is sent with them.
    @Test func `A server that stops answering leaves the outcome of a write in one round trip unknown`() async throws {
        try await withDatabase(accepting: Self.start) { database, server in
            let writer = PostgresWriter(database)
            await expectEqual(failureInTime { try await writer.run([Self.insertion], key: []) }, .outcomeUnknown)
            expectEqual(server.connections, 1)
            await expectEqual(failureInTime { try await database.pipeline([Self.insertion]) }, .outcomeUnknown)
        }
    }

    @Test func `A server that stops answering ends a call after a transaction without a time limit`() async throws {
        let words = Self.start.union(["BEGIN", "SELECT", "INSERT", "COMMIT"])
        try await withDatabase(accepting: words) { database, server in
            let inserted = try await database.transaction(isLimited: false) { try $0.run(Self.insertion.sql) }
            expectEqual(inserted, 1)
            let error = await failureInTime { try await database.withConnection { try $0.run("UPDATE t SET n = 2") } }
            #expect(error == .outcomeUnknown && server.connections == 1)
        }
    }
}
#endif
