// SPDX-License-Identifier: Apache-2.0

import Foundation
import JWTAuthDependencies
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchServer
import LatchTesting
import Synchronization
import TestSupport

/// A real server that accepts the access token it handed out last, rotates at `/auth/refresh`, and records what it was
/// asked; its clock is the test's.
final class Backend: Handler {
    struct State: Sendable {
        var issued = 0
        var accepted: Set<String> = []
        var refreshable: Set<String> = []
        var requests: [HTTPRequest] = []
        var answers: [String: @Sendable (HTTPRequest) async throws -> HTTPResponse] = [:]
    }

    let clock = ManualClock()
    let state = Mutex(State())
    private let key: Key

    init() throws { key = try Key.generate(.hs256) }

    /// An access token with claims; `exp` is so many seconds from now.
    func access(life: TimeInterval? = 900, claims: Claims = [:]) throws -> String {
        var claims = claims
        claims["sub"] = "ada"
        if let life { claims["exp"] = .integer(Int64(clock.now.timeIntervalSince1970 + life)) }
        claims["jti"] = .string(UUID().uuidString)
        return try JWT.sign(claims, with: key)
    }

    /// Hands out tokens, which are from now on the only ones that it accepts.
    @discardableResult
    func issue(life: TimeInterval = 900) throws -> AuthTokens {
        let access = try access(life: life)
        return state.withLock { state in
            state.issued += 1
            let tokens = AuthTokens(access: access, refresh: "refresh-canary-\(state.issued)")
            state.accepted = [tokens.access]
            state.refreshable = [tokens.refresh]
            return tokens
        }
    }

    func on(_ path: String, _ answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) {
        state.withLock { $0.answers[path] = answer }
    }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let (answer, isKnown) = state.withLock { state in
            state.requests.append(request)
            let token = request.fields[.authorization]?.dropFirst("Bearer ".count).description
            return (state.answers[String(request.pathWithoutQuery)], token.map(state.accepted.contains) ?? false)
        }
        if let answer { return try await answer(request) }
        if request.pathWithoutQuery == "/auth/refresh" { return try refresh(request) }
        return isKnown ? .json(#"{"name":"Ada"}"#) : .json(#"{"message":"who are you"}"#, status: .unauthorized)
    }

    /// Rotates; a refresh token that was used before is refused.
    func refresh(_ request: HTTPRequest) throws -> HTTPResponse {
        let old = try JSONValue(parsing: request.body.bytes)["refresh"]?.stringValue ?? ""
        guard state.withLock({ $0.refreshable.contains(old) }) else {
            return .json(#"{"error":"invalid_grant"}"#, status: .badRequest)
        }
        let tokens = try issue()
        return .json(#"{"access":"\#(tokens.access)","refresh":"\#(tokens.refresh)"}"#)
    }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }
    func requests(to path: String) -> [HTTPRequest] { requests.filter { $0.pathWithoutQuery == path } }
    var refreshes: Int { requests(to: "/auth/refresh").count }
    var authorizations: [String?] { requests.map { $0.fields[.authorization] } }

    /// Serves while `body` runs.
    func serve<Result: Sendable>(_ body: (String) async throws -> Result) async throws -> Result {
        var configuration = Server.Configuration.patient
        configuration.maximumConnectionsPerAddress = 10_000
        return try await serving(self, configuration: configuration) { try await body($0.url) }
    }

    /// Serves while `body` runs with dependencies of its own: this server, this clock, a refresh through this server.
    func run<Result: Sendable>(
        keychain: KeychainClient = .inMemory(),
        _ change: @Sendable (inout DependencyValues, String) -> Void = { _, _ in },
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await serve { url in
            try await withDependencies {
                $0.context = .test
                $0.wallClock = clock.wallClock()
                $0.keychainClient = keychain
                $0.httpRequestClient = HTTPRequestClient(handler: dated)
                $0.jwtAuthClient = JWTAuthClient(baseURL: { url }, refresh: Self.refresh)
                change(&$0, url)
            } operation: {
                try await body()
            }
        }
    }

    /// The real transport, with the test's date in its answers.
    private var dated: any Handler {
        let live = Transport.live
        return ClosureHandler { request in
            var response = try await live.respond(to: request)
            response.fields[.date] = HTTPDate(self.clock.now).description
            return response
        }
    }

    /// A program's refresh closure.
    @Sendable static func refresh(_ tokens: AuthTokens) async throws -> AuthTokens {
        @Dependency(\.httpRequestClient) var httpRequestClient
        let answer: SuccessResponse<AuthTokens> = try await httpRequestClient.send(
            .post("/auth/refresh").body(["refresh": tokens.refresh]))
        return answer.data
    }
}

extension HTTPResponse {
    static func json(_ text: String, status: HTTPStatus = .ok) -> HTTPResponse {
        HTTPResponse(status: status, fields: [.contentType: "application/json"], body: HTTPBody(text))
    }
}

/// The response of the backend.
struct Profile: Codable, Equatable, Sendable { let name: String }

/// The response of the backend to a rejected request.
struct Refusal: Codable, Equatable, Sendable, Error { let message: String }

/// Runs `body` so many times concurrently.
func atOnce<Value: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) async -> Value
) async -> [Value] {
    await withTaskGroup(of: Value.self) { group in
        for number in 0..<count { group.addTask { await body(number) } }
        return await group.reduce(into: []) { $0.append($1) }
    }
}

/// Returns the error of a call; nil if it succeeds.
func failure<Value: Sendable>(_ body: () async throws -> Value) async -> (any Error)? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}
