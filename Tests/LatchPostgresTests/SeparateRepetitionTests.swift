// SPDX-License-Identifier: Apache-2.0

import Expectations
import TestSupport
import Testing

@testable import LatchPostgres

@Suite(needsServer, .timeLimit(.minutes(1))) struct SeparateRepetitionTests {
    /// Their own time limit would be an hour for each.
    @Test func `Groups of a failed flight end with the time for all of them, if a table is locked`() async throws {
        let database = try await PostgresCluster.shared().database {
            $0.repetitionTimeout = .seconds(3600)
            $0.retryTimeout = .milliseconds(500)
        }
        let other = try await PostgresCluster.shared().database()
        defer {
            database.close()
            other.close()
        }
        try await other.run("CREATE TABLE held (id bigint PRIMARY KEY)")
        let gate = Gate()
        let holder = try await other.occupy(with: "LOCK TABLE held", until: gate)
        let groups = (0..<32 as Range<Int64>).map { id in
            [PostgresStatement("INSERT INTO held VALUES ($1)", [.integer(id)])]
        }
        for outcome in await database.separately(groups) {
            await expectEqual(failure { try outcome.get() }, .statementTimeout)
        }
        gate.open()
        try await holder.value
    }

    @Test func `Groups of a failed flight have the short time limit also when they are repeated`() async throws {
        let database = try await PostgresCluster.shared().database { $0.repetitionTimeout = .milliseconds(1234) }
        defer { database.close() }
        try await database.run("CREATE SEQUENCE attempts")
        try await database.run(
            """
            CREATE FUNCTION limit_of_second_attempt() RETURNS text LANGUAGE plpgsql AS $$ BEGIN
                IF nextval('attempts') % 2 = 1 THEN RAISE EXCEPTION 'conflict' USING ERRCODE = '40001'; END IF;
                RETURN current_setting('statement_timeout');
            END $$
            """)
        for reading in [false, true] {
            let outcomes = await database.separately(
                [[PostgresStatement("SELECT limit_of_second_attempt()")]], reading: reading)
            let limit = try outcomes[0].get()[0].first { row throws(PostgresError) in try row.text(0) }
            expectEqual(limit, "1234ms")
        }
    }
}
