// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import SessionSimulation
import Synchronization
import TestTags
import Testing

/// Statuses that a server answers with one after the other, the last for ever; a refused token is answered with 401.
private final class Script: Sendable {
    private let statuses: [HTTPStatus]
    private let sent = Mutex<[String]>([])

    init(_ statuses: HTTPStatus...) { self.statuses = statuses }

    /// A sent request: the token and the attempt.
    var requests: [String] { sent.withLock { $0 } }

    func answer(_ request: HTTPRequest) -> HTTPResponse {
        let number = sent.withLock { sent in
            sent.append("\(request.fields[.authorization]?.dropFirst(7) ?? "-") \(request.attempt)")
            return sent.count
        }
        return HTTPResponse(status: statuses[min(number, statuses.count) - 1])
    }
}

@Suite(.tags(.retryPolicy)) struct SessionRetryTests {
    enum Order: CaseIterable { case retryOutside, retryInside }

    let fixture = SessionFixture()

    /// Asks through a session whose token is refused as the script says, and a retry of three attempts.
    private func ask(
        _ order: Order, _ script: Script, attempts: Int = 3, method: HTTPMethod = .get, budget: RetryBudget? = nil
    ) throws -> HTTPResponse {
        let session = fixture.makeSession()
        try fixture.run { try await session.signIn(fixture.tokens(0)) }
        let auth = SessionInterceptor(session, for: .host("api.example.com"))
        let retry = RetryInterceptor(
            RetryPolicy(maximumAttempts: attempts, baseDelay: .seconds(1), jitter: .none), budget: budget,
            clock: fixture.simulation.clock)
        let server = ClosureHandler { script.answer($0) }
        let chain: [any Interceptor] = order == .retryOutside ? [retry, auth] : [auth, retry]
        let client = server.intercepted(by: chain)
        let request = SessionFixture.request(method)
        return try fixture.run { try await client.respond(to: request) }
    }

    @Test(arguments: Order.allCases)
    func `A refresh and the attempts at a request are counted apart`(order: Order) throws {
        let script = Script(.unauthorized, 503, 503, .ok)
        try expectEqual(ask(order, script).status, .ok)
        expectEqual(fixture.refreshes, 1)
        expectEqual(script.requests.map { $0.prefix(8) }, ["access-0", "access-1", "access-1", "access-1"])
        expectEqual(script.requests.last, "access-1 3")
    }

    @Test(arguments: Order.allCases)
    func `A refresh and the attempts at a request are independent: one attempt still refreshes`(order: Order) throws {
        let script = Script(.unauthorized, .ok)
        try expectEqual(ask(order, script, attempts: 1).status, .ok)
        expectEqual(script.requests, ["access-0 1", "access-1 1"])
        expectEqual(fixture.refreshes, 1)
    }

    @Test(arguments: Order.allCases)
    func `A refresh and the attempts at a request repeat a non-idempotent request only once`(
        order: Order
    ) throws {
        let script = Script(.unauthorized, 503)
        try expectEqual(ask(order, script, method: .post).status, .serviceUnavailable)
        expectEqual(script.requests, ["access-0 1", "access-1 1"])
    }

    @Test(arguments: Order.allCases)
    func `A refresh and the attempts at a request spend nothing of a budget for the refresh`(order: Order) throws {
        let budget = RetryBudget(share: 0, reserve: 1)
        let script = Script(.unauthorized, .ok)
        try expectEqual(ask(order, script, budget: budget).status, .ok)
        #expect(!budget.isEmpty)
    }

    @Test(arguments: Order.allCases)
    func `A refresh and the attempts at a request end with a server that always refuses after one repeat`(order: Order)
        throws
    {
        let script = Script(.unauthorized)
        try expectEqual(ask(order, script).status, .unauthorized)
        expectEqual(script.requests, ["access-0 1", "access-1 1"])
        expectEqual(fixture.refreshes, 1)
    }

    @Test(arguments: Order.allCases)
    func `A refresh and the attempts at a request find a refusal between two failures`(order: Order) throws {
        let script = Script(503, .unauthorized, 503, .ok)
        try expectEqual(ask(order, script).status, .ok)
        expectEqual(fixture.refreshes, 1)
        expectEqual(script.requests.map { $0.prefix(8) }, ["access-0", "access-0", "access-1", "access-1"])
    }
}

@Suite(.tags(.logRedaction)) struct SessionTokenLoggingTests {
    @Test(arguments: LogLevel.allCases, [true, false])
    func `The tokens of a session are in no log, not even while they are refreshed`(level: LogLevel, isInside: Bool)
        throws
    {
        let fixture = SessionFixture()
        let script = Script(.unauthorized, 503, .ok)
        let session = fixture.makeSession()
        try fixture.run { try await session.signIn(fixture.tokens(0)) }
        let shown = Collector()
        var options = LoggingOptions(minimumLevel: level)
        options.fieldNames.insert(.authorization)
        let log = LoggingInterceptor(options, clock: fixture.simulation.clock) { shown.add($0) }
        let auth = SessionInterceptor(session, for: .host("api.example.com"))
        let retry = RetryInterceptor(clock: fixture.simulation.clock)
        let client = ClosureHandler { script.answer($0) }
            .intercepted(by: isInside ? [retry, auth, log] : [log, retry, auth])
        let response = try fixture.run { try await client.respond(to: SessionFixture.request()) }
        expectEqual(response.status, .ok)
        expectEqual(script.requests.count, 3)
        for line in shown.lines {
            #expect(!line.contains("access-0") && !line.contains("access-1") && !line.contains("Bearer"), "\(line)")
        }
        // Inside it sees the refusal and the failure, outside only that all went well.
        expectEqual(shown.lines.isEmpty, level > .info && !isInside)
    }

    private final class Collector: Sendable {
        private let kept = Mutex<[String]>([])
        var lines: [String] { kept.withLock { $0 } }
        func add(_ entry: LogEntry) {
            var text = "\(entry)"
            dump(entry, to: &text)
            kept.withLock { $0.append(text) }
        }
    }
}
