// SPDX-License-Identifier: Apache-2.0

internal import CLatchPostgres
import LatchCore

/// The isolation of a transaction (https://www.postgresql.org/docs/current/transaction-iso.html).
package enum PostgresIsolation: Sendable {
    /// Each statement sees everything that was committed before it.
    case readCommitted
    /// All statements see the database as it was at the first statement, and none of them writes.
    case snapshot
    /// Transactions behave as if they ran one after the other; a transaction that conflicts is repeated.
    case serializable

    fileprivate var begin: String {
        switch self {
        case .readCommitted: "BEGIN ISOLATION LEVEL READ COMMITTED"
        case .snapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        case .serializable: "BEGIN ISOLATION LEVEL SERIALIZABLE"
        }
    }
}

/// One connection to a PostgreSQL server.
///
/// `@unchecked Sendable`: a connection moves between threads, but the pool ensures that only one thread uses it at a
/// time. Its calls block, so they run on the connection's queue and never on a thread of Swift's tasks.
package final class PostgresConnection: @unchecked Sendable {
    private let wire: PipelinedConnection
    /// The time limit of statements; nil for no limit.
    private let statementTimeout: Duration?
    private let reportRoundTrip: (@Sendable ([[PostgresStatement]], Duration) -> Void)?
    /// The statement that opens the transaction, sent together with the first statement in it.
    private var deferredBegin: PostgresStatement?

    /// The number of prepared statements, for tests that check that no value becomes part of a text.
    package var preparedCount: Int { wire.preparedCount }
    /// The ID of the server process of this connection.
    package var processID: Int32 { PQbackendPID(wire.handle) }
    /// The version of the server, such as 150004 for 15.4.
    package var serverVersion: Int { Int(PQserverVersion(wire.handle)) }
    /// Whether the connection uses TLS.
    package var isEncrypted: Bool { PQsslInUse(wire.handle) != 0 }

    /// Connects, and sets the session's limits.
    ///
    /// - Throws: `PostgresError.connectionFailed` if a retry may help; otherwise `.connectionRejected`,
    ///   `.authenticationFailed`, `.untrustedServer`, `.malformedConnectionString` or `.libraryMissing`.
    package init(_ configuration: PostgresConfiguration) throws(PostgresError) {
        statementTimeout = configuration.statementTimeout
        reportRoundTrip = configuration.reportRoundTrip
        wire = try PipelinedConnection(
            try ConnectionString(configuration.connectionString), connectTimeout: configuration.connectTimeout,
            silenceLimit: statementTimeout.map { $0 + configuration.networkTimeout })
        let settings = [
            // An acknowledged commit is durable, regardless of the defaults of the server and the user.
            "synchronous_commit = on",
            // A warning can mean that no standby has received a commit.
            "client_min_messages = warning",
            // Statements outside an explicit transaction rely on this level. None of them waits for a snapshot without
            // conflicts.
            "default_transaction_isolation = 'read committed'", "default_transaction_deferrable = off",
        ]
        let limits = (statementTimeout?.wholeMilliseconds).map { limit in
            ["statement_timeout", "idle_in_transaction_session_timeout"].map {
                PostgresStatement("SET \($0) = \(limit)")
            }
        }
        _ = try execute(
            settings.map { PostgresStatement("SET \($0)") } + (limits ?? Self.withoutLimit(isLocal: false)),
            preparing: false)
    }

    /// Runs a statement and returns the number of changed rows.
    @discardableResult
    package func run(_ sql: String, _ values: [PostgresValue] = []) throws(PostgresError) -> Int {
        try pipeline([PostgresStatement(sql, values)]).reduce(0) { $0 + $1.changedRows }
    }

    /// Returns the first row of a statement's result, decoded by `read`; nil if there is none.
    package func first<Value>(
        _ sql: String, _ values: [PostgresValue] = [],
        read: (borrowing PostgresRow) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value? {
        try pipeline([PostgresStatement(sql, values)]).first?.first(read)
    }

    /// Returns all rows of a statement's result, each decoded by `read`.
    package func all<Value>(
        _ sql: String, _ values: [PostgresValue] = [],
        read: (borrowing PostgresRow) throws(PostgresError) -> Value
    ) throws(PostgresError) -> [Value] {
        try pipeline([PostgresStatement(sql, values)]).first?.all(read) ?? []
    }

    /// Runs statements in one round trip and returns their results.
    ///
    /// Outside a transaction, the statements are one transaction, committed before the call returns.
    ///
    /// - Throws: The error of the first failed statement; none of the statements has then changed anything. Outside a
    ///   transaction also `PostgresError.outcomeUnknown`.
    package func pipeline(_ statements: [PostgresStatement]) throws(PostgresError) -> [PostgresResult] {
        guard commitsByItself else { return try execute(statements) }
        return try independently([statements])[0].get()
    }

    /// Runs each group of statements as ``pipeline(_:)`` does, and returns the results of each group.
    func pipeline(groups: [[PostgresStatement]]) throws(PostgresError) -> [[PostgresResult]] {
        var rest = try pipeline(groups.flatMap(\.self))[...]
        return groups.map { group in
            defer { rest = rest.dropFirst(group.count) }
            return Array(rest.prefix(group.count))
        }
    }

    /// Runs groups of statements in one round trip, each as a separate transaction, and returns their results.
    ///
    /// - Parameter limit: The time limit of each statement; nil for the session's limit.
    package func independently(
        _ groups: [[PostgresStatement]], within limit: Duration? = nil
    ) throws(PostgresError) -> [Result<[PostgresResult], PostgresError>] {
        guard commitsByItself else { throw .statementFailed("a transaction is open") }
        guard !wire.isLost else { throw .connectionLost }
        wire.hasWarning = false
        // The setting lasts until the end of the group's transaction.
        let limiting = limit.map {
            PostgresStatement(
                "SELECT set_config('statement_timeout', $1, true)", [.text(String($0.wholeMilliseconds))])
        }
        let results = execute(groups: groups.map { (limiting.map { [$0] } ?? []) + $0 })
        return results.map { result -> Result<[PostgresResult], PostgresError> in
            switch result {
            case .failure(.connectionLost): .failure(.outcomeUnknown)
            case .success where wire.hasWarning: .failure(.outcomeUnknown)
            default: result.map { limiting == nil ? $0 : Array($0.dropFirst()) }
            }
        }
    }

    /// Runs as many of the first groups as are certain to end before a deadline, as ``independently(_:within:)`` does.
    ///
    /// - Parameter limit: The time limit of each statement; shorter if less time is left.
    /// - Returns: The results of the groups that have run. At least one group runs if it begins before the deadline.
    func independently(
        _ groups: [[PostgresStatement]], until deadline: ContinuousClock.Instant, within limit: Duration
    ) throws(PostgresError) -> [Result<[PostgresResult], PostgresError>] {
        let rest = ContinuousClock.now.duration(to: deadline)
        guard rest > .zero, let first = groups.first else { return [] }
        let limit = min(limit, rest / max(1, first.count))
        var statements = 0
        let fitting = groups.prefix { group in
            statements += group.count
            return limit * statements <= rest
        }
        return try independently(fitting.isEmpty ? [first] : Array(fitting), within: limit)
    }

    /// Returns statements that lift the time limits, and let the server notice the loss of this process or its machine.
    ///
    /// Otherwise the locks would remain until the statement ends, or for hours.
    ///
    /// - Parameter isLocal: Whether the settings last until the end of the transaction; otherwise until the end of the
    ///   session.
    private static func withoutLimit(isLocal: Bool) -> [PostgresStatement] {
        let settings = [
            "statement_timeout = 0", "idle_in_transaction_session_timeout = '1h'",
            "tcp_keepalives_idle = 10", "tcp_keepalives_interval = 5", "tcp_keepalives_count = 3",
        ]
        return settings.map { PostgresStatement("SET \(isLocal ? "LOCAL " : "")\($0)") } + [
            // The setting is rejected if the server's kernel does not support it, and unknown before PostgreSQL 14.
            PostgresStatement(
                """
                SELECT set_config(name, '2s', \(isLocal)) FROM pg_settings
                WHERE name = 'client_connection_check_interval' AND version() LIKE '%linux%'
                """)
        ]
    }

    /// Limits how long each further statement of the transaction waits for a lock, to two seconds.
    ///
    /// It is for a transaction without limits: while that waits for a table's lock, all others wait behind it.
    package func limitLockWaits() throws(PostgresError) {
        guard let statementTimeout else { return }
        try run("SET LOCAL lock_timeout = \(min(statementTimeout, .seconds(2)).wholeMilliseconds)")
    }

    /// Runs `body` in a transaction.
    ///
    /// - Parameter isLimited: Whether the time limit of statements applies, also to the commit. Without it, the kernel
    ///   notices a lost server within half a minute, but a server that hangs is not noticed.
    /// - Throws: The error of `body`, after a rollback. `PostgresError.outcomeUnknown` if the commit was sent and its
    ///   result was lost. Otherwise the error of the commit, after which no change remains.
    package func transaction<Result>(
        _ isolation: PostgresIsolation = .readCommitted, isLimited: Bool = true,
        _ body: (PostgresConnection) throws -> Result
    ) throws -> Result {
        guard commitsByItself else { throw PostgresError.statementFailed("a transaction is open") }
        deferredBegin = PostgresStatement(isolation.begin)
        wire.limitsSilence = isLimited
        defer { wire.limitsSilence = true }
        let result: Result
        do {
            if !isLimited { _ = try pipeline(Self.withoutLimit(isLocal: true)) }
            result = try body(self)
        } catch {
            rollback()
            throw error
        }
        try commit()
        return result
    }
}

extension PostgresConnection {
    /// Whether no transaction is open, so that each group of statements is a transaction.
    private var commitsByItself: Bool {
        deferredBegin == nil && PQtransactionStatus(wire.handle) == latch_transaction_idle
    }

    /// Whether another call can use the connection.
    var isReusable: Bool { !wire.isLost && PQstatus(wire.handle) == latch_connection_ok && commitsByItself }

    /// Whether the server has closed the idle connection, checked without a round trip.
    var hasEnded: Bool {
        // An idle server sends notices, and at the end its reason and the end of the connection.
        while isReusable, SocketWait.hasInput(PQsocket(wire.handle)) {
            guard PQconsumeInput(wire.handle) == 1 else { return true }
        }
        return !isReusable
    }

    /// Runs statements as one group, after the deferred BEGIN.
    private func execute(
        _ statements: [PostgresStatement], preparing: Bool = true
    ) throws(PostgresError) -> [PostgresResult] {
        guard let begin = deferredBegin else { return try execute(groups: [statements], preparing: preparing)[0].get() }
        deferredBegin = nil
        return Array(try execute(groups: [[begin] + statements], preparing: preparing)[0].get().dropFirst())
    }

    private func execute(
        groups: [[PostgresStatement]], preparing: Bool = true
    ) -> [Result<[PostgresResult], PostgresError>] {
        guard let reportRoundTrip else { return wire.execute(groups, preparing: preparing) }
        let start = ContinuousClock.now
        defer { reportRoundTrip(groups, start.duration(to: .now)) }
        return wire.execute(groups, preparing: preparing)
    }

    private func commit() throws(PostgresError) {
        // No statement was sent, so neither was BEGIN.
        guard deferredBegin == nil else { return deferredBegin = nil }
        // If the body has hidden a failure, the server answers COMMIT with ROLLBACK, as if it had succeeded.
        guard PQtransactionStatus(wire.handle) == latch_transaction_open else {
            rollback()
            throw wire.isLost ? .connectionLost : .transactionFailed
        }
        wire.hasWarning = false
        let results: [PostgresResult]
        do throws(PostgresError) {
            results = try execute([PostgresStatement("COMMIT")], preparing: false)
        } catch {
            // A server that shuts down may have committed before it reports the shutdown.
            throw error == .connectionLost ? .outcomeUnknown : error
        }
        guard results.first?.command == "COMMIT" else { throw .transactionFailed }
        // A commit that waits for a synchronous standby succeeds if an operator cancels it. The server then warns that
        // the standby may lack it (https://www.postgresql.org/docs/current/warm-standby.html), and a failover would
        // lose it.
        guard !wire.hasWarning else { throw .outcomeUnknown }
    }

    /// Rolls back, or abandons the connection.
    private func rollback() {
        guard deferredBegin == nil else { return deferredBegin = nil }
        guard !wire.isLost, PQtransactionStatus(wire.handle) != latch_transaction_idle else { return }
        do throws(PostgresError) {
            _ = try execute([PostgresStatement("ROLLBACK")], preparing: false)
        } catch {
            wire.abandon()
        }
    }
}

extension Duration {
    /// The duration in whole milliseconds, at least 1.
    var wholeMilliseconds: Int64 {
        max(1, components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
    }
}
