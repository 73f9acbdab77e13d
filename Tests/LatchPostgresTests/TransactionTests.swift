// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import TestSupport
import Testing

@testable import LatchPostgres

@Suite(needsServer, .timeLimit(.minutes(1))) struct TransactionTests {
    private struct Refusal: Error {}

    @Test func `A transaction is repeated after a conflict, until its time is up`() async throws {
        let cluster = try await PostgresCluster.shared()
        let database = cluster.database()
        defer { database.close() }
        try await database.run("CREATE TABLE shift (id bigint PRIMARY KEY, doctors bigint)")
        try await database.run("INSERT INTO shift VALUES (1, 1), (2, 1)")
        let configuration = PostgresConfiguration(cluster.address())
        // Each of two doctors goes off duty if the other is on duty; without isolation both would.
        let leave = { @Sendable (id: Int64, connection: PostgresConnection) throws -> Bool in
            let count = try connection.first("SELECT sum(doctors)::bigint FROM shift") { row throws(PostgresError) in
                try row.integer(0)
            }
            guard count == 2 else { return false }
            return try connection.run("UPDATE shift SET doctors = 0 WHERE id = $1", [.integer(id)]) == 1
        }
        let attempts = Journal()
        let hasLeft = try await database.transaction(.serializable) { connection in
            let isFirst = attempts.isFirst()
            // The snapshot is taken before the other one commits.
            try connection.run("SELECT 1 FROM shift")
            if isFirst {
                _ = try PostgresConnection(configuration).transaction(.serializable) { try leave(2, $0) }
            }
            return try leave(1, connection)
        }
        #expect(!hasLeft && attempts.entries.count == 2)
        try await expectEqual(database.number("SELECT sum(doctors)::bigint FROM shift"), 1)

        let impatient = cluster.database { $0.retryTimeout = .zero }
        defer { impatient.close() }
        let error = await failure {
            try await impatient.transaction(.serializable) { connection in
                try connection.run("SELECT 1 FROM shift")
                _ = try PostgresConnection(configuration).transaction {
                    try $0.run("UPDATE shift SET doctors = doctors + 1")
                }
                try connection.run("UPDATE shift SET doctors = 5")
            }
        }
        #expect(error == .conflict && error?.sqlState == "40001")
    }

    @Test func `A transaction is repeated after a deadlock`() async throws {
        let database = try await PostgresCluster.shared().database()
        defer { database.close() }
        try await database.run("CREATE TABLE lock_order (id bigint PRIMARY KEY, n bigint)")
        try await database.run("INSERT INTO lock_order VALUES (1, 0), (2, 0)")
        let arrived = [Gate(), Gate()]
        let attempts = Journal()
        let raise = "UPDATE lock_order SET n = n + 1 WHERE id = $1"
        try await withThrowingTaskGroup { group in
            for own in 0..<2 as Range<Int> {
                let rounds = Journal()
                group.addTask {
                    try await database.transaction { connection in
                        attempts.append(own)
                        try connection.run("SET LOCAL deadlock_timeout = '1ms'")
                        try connection.run(raise, [.integer(Int64(own + 1))])
                        if rounds.isFirst() {
                            arrived[own].open()
                            arrived[1 - own].wait()
                        }
                        try connection.run(raise, [.integer(Int64(2 - own))])
                    }
                }
            }
            try await group.waitForAll()
        }
        // Repeated once, or more often where the two meet again.
        #expect(attempts.entries.count >= 3)
        try await expectEqual(database.number("SELECT sum(n)::bigint FROM lock_order"), 4)
    }

    @Test func `A transaction whose server process is killed before the commit is repeated`() async throws {
        let cluster = try await PostgresCluster.shared()
        let database = cluster.database()
        defer { database.close() }
        let configuration = PostgresConfiguration(cluster.address())
        try await database.run("CREATE TABLE killed (n bigint)")
        let attempts = Journal()
        try await database.transaction { connection in
            try connection.run("INSERT INTO killed VALUES (1)")
            guard attempts.isFirst() else { return }
            try PostgresConnection(configuration).run(
                "SELECT pg_terminate_backend($1::bigint::int, 10000)", [.integer(Int64(connection.processID))])
            try connection.run("INSERT INTO killed VALUES (2)")
        }
        expectEqual(attempts.entries.count, 2)
        try await expectEqual(database.number("SELECT count(*) FROM killed"), 1)
    }

    @Test func `A transaction without a time limit takes any time, and ends with its server process`() async throws {
        let cluster = try await PostgresCluster.shared()
        let database = cluster.database {
            // A statement of milliseconds stays below them also where a compiler has the processors.
            ($0.statementTimeout, $0.networkTimeout) = (.seconds(2), .milliseconds(1500))
            $0.maximumConnections = 1
        }
        defer { database.close() }
        for _ in 0..<2 {
            _ = try await database.transaction(isLimited: false) { try $0.run("SELECT 1 FROM pg_sleep(4)") }
            // Each of them is within the limit, and all of them together are not.
            let many = [PostgresStatement](repeating: PostgresStatement("SELECT 1 FROM pg_sleep(0.01)"), count: 400)
            try await expectEqual(database.pipeline(many).count, 400)
            let error = await failure { try await database.run("SELECT 1 FROM pg_sleep(600)") }
            expectEqual(error, .statementTimeout)
        }
        let attempts = Journal()
        let processes = Journal()
        let waiting = Task {
            try await database.transaction(isLimited: false) { connection in
                processes.append(Int(connection.processID))
                // No other test has its text.
                if attempts.isFirst() { try connection.run("SELECT 4 FROM pg_sleep(600)") }
            }
        }
        let other = cluster.database()
        defer { other.close() }
        try await other.wait(
            for: "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT 4 FROM pg_sleep(600)%'")
        try await other.run(
            "SELECT pg_terminate_backend($1::bigint::int)", [.integer(Int64(try #require(processes.entries.first)))])
        try await waiting.value
        #expect(attempts.entries.count == 2 && Set(processes.entries).count == 2)
    }

    @Test func `A transaction without a time limit has the server look for its client`() async throws {
        let cluster = try await PostgresCluster.shared()
        let database = cluster.database { $0.maximumConnections = 1 }
        defer { database.close() }
        let names = ["statement_timeout", "idle_in_transaction_session_timeout", "client_connection_check_interval"]
        let settings = { @Sendable (connection: PostgresConnection) in
            try names.map { name in
                try connection.first("SELECT current_setting($1)", [.text(name)]) { row throws(PostgresError) in
                    try row.text(0)
                }
            }
        }
        let before = try await database.withConnection(settings)
        try await expectEqual(database.transaction(isLimited: false, settings), ["0", "1h", "2s"])
        #expect(try await database.withConnection(settings) == before && before != ["0", "1h", "2s"])
        let unlimited = cluster.database { $0.statementTimeout = nil }
        defer { unlimited.close() }
        try await expectEqual(unlimited.withConnection(settings), ["0", "1h", "2s"])
    }

    @Test func `A transaction without a time limit ends within a statement when its process is killed`() async throws {
        let cluster = try await PostgresCluster.shared()
        let other = cluster.database()
        defer { other.close() }
        try await other.run("CREATE TABLE abandoned (n bigint)")
        await #expect(processExitsWith: .signal(SIGKILL)) { [address = cluster.address() as String] in
            alarm(120)
            let database = PostgresDatabase(PostgresConfiguration(address))
            let looking = PostgresDatabase(PostgresConfiguration(address))
            Task {
                try await database.transaction(isLimited: false) { connection in
                    try connection.run("LOCK TABLE abandoned")
                    try connection.run("SELECT 2 FROM pg_sleep(600)")
                }
            }
            try await looking.wait(
                for: "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT 2 FROM pg_sleep(600)%'")
            kill(getpid(), SIGKILL)
        }
        try await other.wait(
            for: """
                SELECT (count(*) = 0)::int::bigint FROM pg_stat_activity WHERE query LIKE 'SELECT 2 FROM pg_sleep(600)%'
                """)
        try await other.run("DROP TABLE abandoned")
    }

    @Test
    func `A transaction without a time limit still waits for locks no longer than a statement is allowed to`()
        async throws
    {
        let cluster = try await PostgresCluster.shared()
        let (database, other) = (
            cluster.database {
                ($0.statementTimeout, $0.networkTimeout) = (.seconds(1), .seconds(60))
                $0.retryTimeout = .milliseconds(1500)
            }, cluster.database()
        )
        defer {
            database.close()
            other.close()
        }
        try await other.run("CREATE TABLE awaited (n bigint)")
        let gate = Gate()
        let holder = try await other.occupy(with: "LOCK TABLE awaited", until: gate)
        let error = await failure {
            try await database.transaction(isLimited: false) { connection in
                try connection.limitLockWaits()
                try connection.run("ALTER TABLE awaited ADD COLUMN m bigint")
            }
        }
        #expect(error == .conflict && error?.sqlState == "55P03")
        gate.open()
        try await holder.value
    }

    @Test func `A transaction leaves nothing if its body throws, or hides a failure`() async throws {
        let database = try await PostgresCluster.shared().database { $0.maximumConnections = 1 }
        defer { database.close() }
        try await database.run("CREATE TABLE undone (n bigint PRIMARY KEY)")
        let process = try await database.withConnection { $0.processID }
        await #expect(throws: Refusal.self) {
            try await database.transaction { connection in
                try connection.run("INSERT INTO undone VALUES (1)")
                throw Refusal()
            }
        }
        let hidden = await failure {
            try await database.transaction { connection in
                try connection.run("INSERT INTO undone VALUES (1)")
                do { try connection.run("INSERT INTO undone VALUES (1)") } catch PostgresError.uniqueViolation {}
            }
        }
        expectEqual(hidden, .transactionFailed)
        try await expectEqual(database.transaction { _ in 7 }, 7)
        let nested = await failure { try await database.transaction { try $0.transaction { try $0.run("SELECT 1") } } }
        expectEqual(nested, .statementFailed)
        try await expectEqual(database.number("SELECT count(*) FROM undone"), 0)
        try await expectEqual(database.withConnection { $0.processID }, process)
    }

    @Test func `A transaction that only reads sees one state and cannot write`() async throws {
        let database = try await PostgresCluster.shared().database()
        defer { database.close() }
        try await database.run("CREATE TABLE seen (n bigint)")
        let error = await failure {
            try await database.withConnection {
                try $0.transaction(.snapshot) { try $0.run("INSERT INTO seen VALUES (1)") }
            }
        }
        #expect(error == .readOnlyServer && error?.sqlState == "25006")
    }

    @Test func `A transaction whose commit is interrupted has an unknown outcome`() async throws {
        // Commits wait for a standby that does not exist.
        try await PostgresCluster.alone(settings: ["synchronous_standby_names=nobody"]) { cluster in
            let database = cluster.database()
            let observer = cluster.database()
            defer {
                database.close()
                observer.close()
            }
            try await database.transaction { connection in
                try connection.run("SET LOCAL synchronous_commit = local")
                try connection.run("CREATE TABLE unknown (n bigint)")
            }
            for interruption in ["pg_terminate_backend", "pg_cancel_backend"] {
                let commit = Task { await failure { try await database.run("INSERT INTO unknown VALUES (1)") } }
                let waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
                try await observer.wait(for: "SELECT count(*) \(waiting)")
                _ = try await observer.number("SELECT \(interruption)(pid) \(waiting)")
                await expectEqual(commit.value, .outcomeUnknown)
            }
            let single = Task {
                await failure { try await database.pipeline([PostgresStatement("INSERT INTO unknown VALUES (1)")]) }
            }
            try await observer.wait(for: "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
            await cluster.stop()
            await expectEqual(single.value, .outcomeUnknown)
        }
    }

    @Test func `A transaction is not left in doubt by a warning of a trigger`() async throws {
        let database = try await PostgresCluster.shared().database()
        defer { database.close() }
        try await database.transaction { connection in
            try connection.run("CREATE TABLE warned (n bigint)")
            try connection.run(
                "CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'x'; RETURN NEW; END $$"
            )
            try connection.run("CREATE TRIGGER warned AFTER INSERT ON warned FOR EACH ROW EXECUTE FUNCTION warn()")
            // At the commit as well.
            try connection.run(
                """
                CREATE CONSTRAINT TRIGGER warned_late AFTER INSERT ON warned DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION warn()
                """)
        }
        try await database.run("INSERT INTO warned VALUES (1)")
        _ = try await database.pipeline([PostgresStatement("INSERT INTO warned VALUES (2)")])
        try await expectEqual(database.number("SELECT count(*) FROM warned"), 2)
    }

    @Test func `A transaction waits for a server that starts again`() async throws {
        let first = try await PostgresCluster()
        let news = Journal()
        let database = first.database {
            $0.retryTimeout = .seconds(40)
            $0.reportOutage = { news.append($0 == nil ? 1 : 0) }
        }
        defer { database.close() }
        _ = try await database.withConnection { try $0.run("CREATE TABLE survivor (n bigint)") }
        _ = try await database.withConnection { try $0.run("CHECKPOINT") }
        await first.stop()
        let impatient = first.database { $0.retryTimeout = .zero }
        let error = await failure { try await impatient.number("SELECT 1") }
        #expect(error == .connectionFailed && error?.description.contains(PostgresCluster.password) == false)
        let write = Task { try await database.run("INSERT INTO survivor VALUES (1)") }
        try await eventually { database.outage == .connectionFailed }
        let second = try await first.restarted()
        try await expectEqual(write.value, 1)
        #expect(news.entries == [0, 1] && database.outage == nil, "lost once, and back")
        try await expectEqual(database.number("SELECT count(*) FROM survivor"), 1)
        try await second.remove()
    }
}
