// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import TestSupport
import Testing

@testable import LatchPostgres

@Suite(needsServer, .timeLimit(.minutes(1))) struct StatementTests {
    @Test func `A statement returns values as they were bound`() async throws {
        let database = try await PostgresCluster.shared().database()
        defer { database.close() }
        try await database.run("CREATE TABLE round_trip (id bigint PRIMARY KEY, t text, b bytea, n bigint)")
        let texts = ["", "\u{1F511} ø", "'); DROP TABLE round_trip; --", nil]
        let blobs: [[UInt8]?] = [[], [0, 255, 92], Array(repeating: 7, count: 100_000), nil]
        let numbers = [0, Int64.min, Int64.max, nil]
        for index in texts.indices {
            try await database.run(
                "INSERT INTO round_trip VALUES ($1, $2, $3, $4)",
                [.integer(Int64(index)), .text(texts[index]), .blob(blobs[index]), .integer(numbers[index])])
        }
        let rows = try await database.read { connection in
            try connection.all("SELECT t, b, n FROM round_trip ORDER BY id") { row throws(PostgresError) in
                (try row.optionalText(0), try row.optionalBlob(1), try row.optionalInteger(2))
            }
        }
        #expect(rows.map(\.0) == texts && rows.map(\.1) == blobs && rows.map(\.2) == numbers)
    }

    @Test func `A statement is reported with those of the same round trip`() async throws {
        let (trips, trip) = AsyncStream.makeStream(of: [String].self)
        let database = try await PostgresCluster.shared().database {
            $0.reportRoundTrip = { groups, _ in trip.yield(groups.joined().map(\.sql)) }
        }
        defer { database.close() }
        _ = try await database.transaction(.serializable) { try $0.run("SELECT 1") }
        trip.finish()
        let all = await trips.reduce(into: []) { $0.append($1) }
        expectEqual(all.suffix(2), [["BEGIN ISOLATION LEVEL SERIALIZABLE", "SELECT 1"], ["COMMIT"]])
    }

    @Test func `A statement reads small numbers, Booleans and names`() async throws {
        let database = try await PostgresCluster.shared().database()
        defer { database.close() }
        let sql = "SELECT -1::smallint, -2::integer, true, false, current_database(), 'x'::varchar"
        let row = try await database.read { connection in
            try connection.first(sql) { row throws(PostgresError) in
                let numbers = [try row.integer(0), try row.integer(1), try row.integer(2), try row.integer(3)]
                return (numbers, [try row.text(4), try row.text(5)])
            }
        }
        #expect(row?.0 == [-1, -2, 1, 0] && row?.1 == ["postgres", "x"])
    }

    @Test func `A statement rejects a column of another type, and names it without its value`() async throws {
        let database = try await PostgresCluster.shared().database()
        defer { database.close() }
        let error = await failure {
            try await database.read {
                try $0.first("SELECT 'canary' AS secret") { row throws(PostgresError) in try row.integer(0) }
            }
        }
        expectEqual(error, .mismatch)
        #expect(error?.message.contains("secret") == true && error?.message.contains("canary") == false)
        await expectEqual(failure { try await database.number("SELECT NULL::bigint") }, .mismatch)
        await expectEqual(failure { try await database.number("SELECT 1.5") }, .mismatch)
    }

    @Test func `A statement reports a violated key by its name and never by its value`() async throws {
        let database = try await PostgresCluster.shared().database()
        defer { database.close() }
        try await database.run(
            "CREATE TABLE person (email text PRIMARY KEY, age bigint CONSTRAINT grown CHECK (age > 17))")
        let values: [PostgresValue] = [.text("canary@example.org"), .integer(30)]
        try await database.run("INSERT INTO person VALUES ($1, $2)", values)
        let twice = await failure { try await database.run("INSERT INTO person VALUES ($1, $2)", values) }
        #expect(twice == .uniqueViolation && twice?.sqlState == "23505" && twice?.constraint == "person_pkey")
        let young = await failure {
            try await database.run("INSERT INTO person VALUES ($1, $2)", [.text("canary"), .integer(3)])
        }
        #expect(young == .constraintViolation && young?.constraint == "grown")
        let division = await failure { try await database.number("SELECT 'canary'::text::bigint") }
        #expect(division == .statementFailed && division?.sqlState == "22P02")
        for error in [twice, young, division] { #expect(!"\(String(describing: error))".contains("canary")) }
        let unknown = await failure { try await database.number("SELECT 1 FROM no_such_table") }
        #expect(unknown?.sqlState == "42P01" && unknown?.message.contains("no_such_table") == true)
    }

    @Test func `A statement is prepared once, and again after the table has changed`() async throws {
        let database = try await PostgresCluster.shared().database { $0.maximumConnections = 1 }
        defer { database.close() }
        try await database.run("CREATE TABLE changing (a bigint)")
        try await database.run("INSERT INTO changing VALUES ($1)", [.integer(1)])
        let select = "SELECT * FROM changing"
        for _ in 0..<3 { try await expectEqual(database.number(select), 1) }
        // BEGIN is the fourth.
        try await expectEqual(database.withConnection { $0.preparedCount }, 4)
        try await database.run("ALTER TABLE changing ADD COLUMN b bigint")
        // "cached plan must not change result type": the read is repeated on a fresh connection.
        try await expectEqual(database.number(select), 1)
    }

    @Test func `A statement has a name from its text, and is refused in the session of another client`() async throws {
        let database = try await PostgresCluster.shared().database { $0.maximumConnections = 1 }
        defer { database.close() }
        let select = "SELECT 7 + 0 * length('of many clients')"
        let names = "SELECT name FROM pg_prepared_statements WHERE statement = $1"
        let read = { @Sendable (connection: PostgresConnection) throws -> String? in
            _ = try connection.run(select)
            return try connection.first(names, [.text(select)]) { row throws(PostgresError) in try row.text(0) }
        }
        let name = try #require(try await database.withConnection(read))
        let other = try await PostgresCluster.shared().database { $0.maximumConnections = 1 }
        defer { other.close() }
        // A pooler that lends out sessions leaves behind what was prepared in them.
        try await other.run("PREPARE \(name) AS \(select)")
        await #expect(throws: PostgresError.sharedSession) { try await other.withConnection(read) }
    }

    @Test func `A statement is parsed each time if there are too many`() async throws {
        let database = try await PostgresCluster.shared().database { $0.maximumConnections = 1 }
        defer { database.close() }
        let last = try await database.read { connection in
            try (0..<300 as Range<Int>).reduce(into: [Int64]()) { results, number in
                let sql = "SELECT \(number)"
                results += try connection.all(sql) { row throws(PostgresError) in try row.integer(0) }
            }
        }
        expectEqual(last, Array(0..<300))
        try await expectEqual(database.withConnection { $0.preparedCount }, 256)
    }

    @Test func `A statement is canceled after the time limit, and the connection stays`() async throws {
        let database = try await PostgresCluster.shared().database {
            $0.maximumConnections = 1
            $0.statementTimeout = .milliseconds(50)
        }
        defer { database.close() }
        let process = try await database.withConnection { $0.processID }
        await expectEqual(failure { try await database.number("SELECT 1 FROM pg_sleep(600)") }, .statementTimeout)
        try await expectEqual(database.withConnection { $0.processID }, process)
    }
}

@Suite(needsServer, .timeLimit(.minutes(1))) struct PipelineTests {
    @Test func `A pipeline is one transaction, and a failing statement undoes all of it`() async throws {
        let database = try await PostgresCluster.shared().database { $0.maximumConnections = 1 }
        defer { database.close() }
        try await database.run("CREATE TABLE flight (id bigint PRIMARY KEY)")
        let insert = { (id: Int64) in PostgresStatement("INSERT INTO flight VALUES ($1)", [.integer(id)]) }
        let results = try await database.pipeline([insert(1), insert(2)])
        expectEqual(results.map(\.changedRows), [1, 1])
        await expectEqual(failure { try await database.pipeline([insert(3), insert(1), insert(4)]) }, .uniqueViolation)
        try await expectEqual(database.number("SELECT count(*) FROM flight"), 2)
    }

    @Test func `A pipeline of separate transactions loses only the failing one`() async throws {
        let database = try await PostgresCluster.shared().database { $0.maximumConnections = 1 }
        defer { database.close() }
        try await database.run("CREATE TABLE flights (id bigint PRIMARY KEY)")
        let outcomes = try await database.withConnection { connection in
            try connection.independently(
                [1, 1, 2, 3].map { (id: Int64) in
                    [PostgresStatement("INSERT INTO flights VALUES ($1)", [.integer(id)])]
                }
            ).map { result -> PostgresError? in
                guard case .failure(let error) = result else { return nil }
                return error
            }
        }
        expectEqual(outcomes, [nil, .uniqueViolation, nil, nil])
        try await expectEqual(database.number("SELECT count(*) FROM flights"), 3)
    }

    @Test func `A pipeline can be larger than the buffers between client and server`() async throws {
        let database = try await PostgresCluster.shared().database()
        defer { database.close() }
        let blob = [UInt8](repeating: 1, count: 200_000)
        let echo = PostgresStatement("SELECT $1::bytea", [.blob(blob)])
        let results = try await database.pipeline(Array(repeating: echo, count: 100))
        for result in results {
            try expectEqual(result.first { row throws(PostgresError) in try row.blob(0) }, blob)
        }
    }
}
