// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Expectations
import LatchCore
import TestSupport
import Testing

@testable import LatchPostgres

@Suite(.timeLimit(.minutes(1))) struct RefusalTests {
    private func database(
        on server: ScriptedPostgres, _ change: (inout PostgresConfiguration) -> Void = { _ in }
    ) -> PostgresDatabase {
        var configuration = PostgresConfiguration(
            "postgres://latch:canary-8dK3@127.0.0.1:\(server.port)/latch?sslmode=disable")
        configuration.maximumConnections = 1
        configuration.retryTimeout = .seconds(3600)
        change(&configuration)
        return PostgresDatabase(configuration)
    }

    /// Each attempt is followed by one that shows the code.
    @Test(arguments: [false, true])
    func `A server that refuses connections is tried once for all calls that wait`(writes: Bool) async throws {
        let server = try ScriptedPostgres(
            .refusing(sqlState: "3D000", sentence: "Datenbank »latch« existiert nicht", afterPassword: false))
        let database = database(on: server)
        defer { database.close() }
        let reader = PostgresReader(database, maximumBatch: 1, maximumFlights: 1)
        let writer = PostgresWriter(database, maximumBatch: 1, maximumFlights: 1)
        let statement = PostgresStatement("SELECT 1")
        let calls = (0..<8 as Range<Int>).map { _ in
            Task {
                await failure {
                    writes ? try await writer.run([statement], key: [])[0] : try await reader.run(statement)
                }
            }
        }
        try await eventually { (writes ? writer.waitingCount : reader.waitingCount) == calls.count - 1 }
        let running = Task { await server.run() }
        defer { running.cancel() }
        for call in calls {
            let error = await call.value
            #expect(error == .connectionRejected && error?.endsWait == true && error?.isRepeatable == false)
        }
        expectEqual(server.connections, 2)
    }

    /// Only English says without the code that it is the password.
    @Test(arguments: [
        ("password authentication failed for user \"latch\"", 1),
        ("Passwort-Authentifizierung für Benutzer »latch« fehlgeschlagen", 2),
    ])
    func `A server that refuses connections is sent a wrong password as seldom as possible`(
        sentence: String, times: Int
    ) async throws {
        let server = try ScriptedPostgres(.refusing(sqlState: "28P01", sentence: sentence, afterPassword: true))
        let running = Task { await server.run() }
        defer { running.cancel() }
        let database = database(on: server)
        defer { database.close() }
        let error = await failure { try await database.number("SELECT 1") }
        #expect(error == .authenticationFailed && error?.description.contains("canary") == false)
        #expect(server.passwords == times && server.connections == times)
    }

    /// A pooler passes on what the server says, once its client has proved the password.
    @Test(arguments: [
        ("57P03", "the database system is starting up"), ("08P01", "server login has been failing, try again later"),
    ])
    func `A server that refuses connections is awaited if it starts behind a pooler`(sqlState: String, sentence: String)
        async throws
    {
        let server = try ScriptedPostgres(.refusing(sqlState: sqlState, sentence: sentence, afterPassword: true))
        let running = Task { await server.run() }
        defer { running.cancel() }
        let database = database(on: server) { $0.retryTimeout = .zero }
        defer { database.close() }
        await expectEqual(failure { try await database.number("SELECT 1") }, .connectionFailed)
    }

    @Test
    func `A server that refuses connections is awaited if it is full, as it says after the password`() async throws {
        let server = try ScriptedPostgres(
            .refusing(
                sqlState: "53300", sentence: "too many connections for role \"latch\"", afterPassword: true))
        let running = Task { await server.run() }
        defer { running.cancel() }
        let database = database(on: server) { $0.retryTimeout = .zero }
        defer { database.close() }
        await expectEqual(failure { try await database.number("SELECT 1") }, .connectionFailed)
        expectEqual(server.passwords, 2)
    }
}
#endif
