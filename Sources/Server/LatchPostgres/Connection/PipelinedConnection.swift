// SPDX-License-Identifier: Apache-2.0

internal import CLatchPostgres
import LatchCore

/// A libpq connection in pipeline mode, with its prepared statements.
///
/// All known statements go out in one flight, so preparing a new statement costs no additional round trip. The calls
/// block, and only one thread may call at a time.
final class PipelinedConnection {
    /// A statement's text and the types of its parameters.
    private struct StatementKey: Hashable {
        let sql: String
        let types: [UInt32]

        /// The name of the prepared statement, derived from its text.
        ///
        /// A pooler may hand a session to another client between transactions. With counted names, our values could
        /// then be bound to that client's statement.
        var name: String {
            // Two FNV-1a digests; the texts come from this program, so no attacker can choose colliding texts.
            let bytes = Array(sql.utf8) + types.flatMap { type in [0, 8, 16, 24].map { UInt8(type >> $0 & 255) } }
            let bases: [UInt64] = [0xCBF2_9CE4_8422_2325, 0x6C62_272E_07BB_0142]
            let parts = bases.map { basis in bytes.reduce(basis) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } }
            return "latch_" + parts.map { String($0, radix: 36) }.joined(separator: "_")
        }
    }

    /// A command that was sent, in the order in which the results arrive.
    private enum SentCommand {
        case preparation(StatementKey)
        case execution
        case synchronization
    }

    /// The maximum number of prepared statements; the server parses other statements at each use.
    private static let maximumPrepared = 256

    let handle: OpaquePointer
    /// The time without any byte from the server after which the connection counts as lost.
    ///
    /// Nil if only the kernel detects a loss, by the probes of ``ConnectionString/options(connectTimeout:)``.
    private let silenceLimit: Duration?
    /// Whether the limit currently applies.
    var limitsSilence = true
    /// The names of the prepared statements.
    ///
    /// There are few of them, because values are bound and never part of a text.
    private var prepared: [StatementKey: String] = [:]
    /// The memory that libpq's notice receiver writes; see ``hasWarning``.
    private let warning: UnsafeMutablePointer<Bool>
    /// Whether the connection can no longer be used.
    private(set) var isLost = false

    var preparedCount: Int { prepared.count }

    /// Whether the server has sent a warning since the last reset that makes the outcome of a transaction uncertain.
    var hasWarning: Bool {
        get { warning.pointee }
        set { warning.pointee = newValue }
    }

    /// Connects, trying the hosts of the string in order.
    ///
    /// libpq's asynchronous functions ignore `connect_timeout`, so they would never give up a host that does not
    /// answer. This call blocks instead.
    init(_ string: ConnectionString, connectTimeout: Duration, silenceLimit: Duration?) throws(PostgresError) {
        let options = string.options(connectTimeout: connectTimeout)
        let connected = PointerTable(options.map { Array($0.keyword.utf8) }).withPointers { keywords, _ in
            PointerTable(options.map { Array($0.value.utf8) }).withPointers { values, _ in
                PQconnectdbParams(keywords, values, 1)
            }
        }
        guard let connected else { throw .libraryMissing }
        handle = connected
        self.silenceLimit = silenceLimit
        warning = .allocate(capacity: 1)
        warning.initialize(to: false)
        if PQstatus(handle) != latch_connection_ok, let failure = connectionFailure(string) { throw failure }
        _ = PQsetNoticeReceiver(
            handle,
            { argument, notice in
                guard PipelinedConnection.isDoubt(notice) else { return }
                argument?.assumingMemoryBound(to: Bool.self).pointee = true
            }, warning)
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else { throw .connectionLost }
    }

    deinit {
        PQfinish(handle)
        warning.deallocate()
    }

    /// Abandons the connection, which makes the server roll back.
    func abandon() { isLost = true }

    /// Sends all statements in one flight and returns the result of each group.
    ///
    /// The server synchronizes after each group. After a statement fails, the rest of its group does not run, but the
    /// next group does. Outside a transaction, each group is one transaction.
    ///
    /// - Returns: For each group, its results or its first error. A group whose end was not received has
    ///   `PostgresError.connectionLost`.
    func execute(
        _ groups: [[PostgresStatement]], preparing: Bool = true
    ) -> [Result<[PostgresResult], PostgresError>] {
        var results: [Result<[PostgresResult], PostgresError>] = []
        do throws(PostgresError) {
            guard !isLost else { throw .connectionLost }
            var sent: [[SentCommand]] = []
            for group in groups { sent.append(try send(group, preparing: preparing)) }
            try flush()
            for commands in sent { results.append(try receive(commands)) }
        } catch {
            isLost = true
            for _ in results.count..<groups.count { results.append(.failure(error)) }
        }
        return results
    }

    /// The PostgreSQL functions whose warnings do not concern the transaction.
    ///
    /// They warn about transaction IDs that run out, in each transaction until a vacuum has run. RAISE in a user's
    /// trigger also warns.
    private static let harmlessWarnings: Set<String> = ["GetNewTransactionId", "GetNewMultiXactId", "exec_stmt_raise"]

    /// Whether a notice makes the outcome of a transaction uncertain; unknown warnings do.
    private static func isDoubt(_ notice: OpaquePointer?) -> Bool {
        let field = { (code: Int) in PQresultErrorField(notice, Int32(code)).map { String(cString: $0) } }
        guard field(latch_field_severity) == "WARNING" else { return false }
        return !(field(latch_field_function).map(harmlessWarnings.contains) ?? false)
    }

    /// Returns why libpq could not connect; nil if a second attempt succeeded.
    private func connectionFailure(_ string: ConnectionString) -> PostgresError? {
        guard PQconnectionNeedsPassword(handle) == 0 else { return .authenticationFailed("it requires a password") }
        let message = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
        // A wrong password is not sent twice if the server reports it in English. In other languages, only the code
        // distinguishes a wrong password from a starting server behind a pooler, whose report also follows the
        // password.
        guard ConnectionFailure.isByServer(message), !message.has("authentication failed") else {
            return ConnectionFailure(message, sqlState: nil, string: string).error
        }
        // libpq shows the server's code only at this verbosity, which is set on a connection and not by an option.
        _ = PQsetErrorVerbosity(handle, Int32(latch_verbosity_sqlstate))
        PQreset(handle)
        guard PQstatus(handle) != latch_connection_ok else { return nil }
        let sqlState = PQerrorMessage(handle).flatMap { ConnectionFailure.sqlState(inBrief: String(cString: $0)) }
        return ConnectionFailure(message, sqlState: sqlState, string: string).error
    }
}

extension PipelinedConnection {
    /// The number of statements after which the server must send the results so far.
    ///
    /// Without this request it stays silent until the end. A group of hundreds on a slow disk would look like a lost
    /// server.
    private static let statementsInSilence = 16

    /// Queues a group in libpq's buffer, with the required preparations and a synchronization point.
    private func send(_ group: [PostgresStatement], preparing: Bool) throws(PostgresError) -> [SentCommand] {
        var sent: [SentCommand] = []
        for (index, statement) in group.enumerated() {
            let key = StatementKey(sql: statement.sql, types: statement.values.map(\.type))
            let name = preparing ? try preparedName(of: key, sent: &sent) : nil
            try require(send(statement, key, name: name) == 1)
            sent.append(.execution)
            if index % Self.statementsInSilence == Self.statementsInSilence - 1 {
                try require(PQsendFlushRequest(handle) == 1)
            }
        }
        try require(PQpipelineSync(handle) == 1)
        return sent + [.synchronization]
    }

    /// Queues one statement and returns libpq's result, 1 for success.
    private func send(_ statement: PostgresStatement, _ key: StatementKey, name: String?) -> Int32 {
        let count = Int32(clamping: statement.values.count)
        let formats = [Int32](repeating: 1, count: statement.values.count)
        return PointerTable(statement.values.map(\.bytes)).withPointers { values, lengths in
            if let name { return PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1) }
            return PQsendQueryParams(handle, statement.sql, count, key.types, values, lengths, formats, 1)
        }
    }

    /// Returns the name of a prepared statement, and queues its preparation if it is new; nil if the maximum is
    /// reached.
    private func preparedName(of key: StatementKey, sent: inout [SentCommand]) throws(PostgresError) -> String? {
        if let name = prepared[key] { return name }
        guard prepared.count < Self.maximumPrepared else { return nil }
        let name = key.name
        try require(PQsendPrepare(handle, name, key.sql, Int32(clamping: key.types.count), key.types) == 1)
        prepared[key] = name
        sent.append(.preparation(key))
        return name
    }

    /// Receives the results of a group up to its synchronization point, even after a failure.
    ///
    /// - Throws: `PostgresError.connectionLost`.
    private func receive(_ commands: [SentCommand]) throws(PostgresError) -> Result<[PostgresResult], PostgresError> {
        var results: [PostgresResult] = []
        var failure: PostgresError?
        for command in commands {
            guard let result = try nextResult() else { throw .connectionLost }
            let status = result.status
            let isSuccess = status == latch_command_ok || status == latch_tuples_ok
            switch command {
            case .synchronization:
                // libpq returns no null pointer after this result.
                try require(status == latch_pipeline_sync)
                continue
            case .preparation(let key): if !isSuccess { prepared[key] = nil }
            case .execution: if isSuccess { results.append(result) }
            }
            if !isSuccess, status != latch_pipeline_aborted, failure == nil { failure = try error(of: result) }
            while try nextResult() != nil {}
        }
        return failure.map { .failure($0) } ?? .success(results)
    }

    /// Returns the error of a failed statement; throws it if the failure also ended the connection.
    private func error(of result: PostgresResult) throws(PostgresError) -> PostgresError {
        // Only a COPY has another status. No store uses one, and it would wait for data.
        try require(result.status == latch_fatal_error)
        let error = PostgresError(result)
        guard error != .connectionLost else { throw error }
        // The server cannot write, or its prepared statements are outdated: the pool opens a new connection.
        if error.recovery == .reconnection { isLost = true }
        return error
    }

    /// Returns the next result, or nil after the last result of a command.
    private func nextResult() throws(PostgresError) -> PostgresResult? {
        while PQisBusy(handle) != 0 {
            try wait(toWrite: false)
            try require(PQconsumeInput(handle) == 1)
        }
        return PQgetResult(handle).map(PostgresResult.init(owning:))
    }

    /// Sends the buffer and reads in parallel, because a server stops reading while its results are not received.
    private func flush() throws(PostgresError) {
        while true {
            let rest = PQflush(handle)
            try require(rest >= 0)
            if rest == 0 { return }
            try wait(toWrite: true)
            try require(PQconsumeInput(handle) == 1)
        }
    }

    private func wait(toWrite: Bool) throws(PostgresError) {
        let limit = limitsSilence ? silenceLimit : nil
        try require(SocketWait.untilReady(PQsocket(handle), toWrite: toWrite, within: limit))
    }

    /// Throws if libpq reports a failure of the connection.
    private func require(_ isConnected: Bool) throws(PostgresError) {
        guard isConnected else { throw .connectionLost }
    }
}
