// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import Nevod
import Synchronization
import TestSupport

/// A server that accepts some bearer tokens, issues new ones, and records requests.
final class Backend: Handler {
    struct State: Sendable {
        var accepted: Set<String> = []
        var issued = 0
        var requests: [HTTPRequest] = []
        var answers: [String: @Sendable (HTTPRequest) async throws -> HTTPResponse] = [:]
    }

    let state = Mutex(State())

    init(accepting tokens: Set<String> = []) { state.withLock { $0.accepted = tokens } }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let (answer, isKnown) = state.withLock { state in
            state.requests.append(request)
            let token = request.fields[.authorization]?.dropFirst("Bearer ".count).description
            return (state.answers[String(request.pathWithoutQuery)], token.map(state.accepted.contains) ?? false)
        }
        if let answer { return try await answer(request) }
        if request.pathWithoutQuery == "/refresh" { return .json(#"{"token":"\#(issue())"}"#) }
        return isKnown ? .json(#"{"id":7,"name":"Ada"}"#) : .json(#"{"error":"who are you"}"#, status: .unauthorized)
    }

    /// Issues a token, which becomes the only valid one.
    @discardableResult
    func issue() -> String {
        state.withLock { state in
            state.issued += 1
            state.accepted = ["fresh-\(state.issued)"]
            return "fresh-\(state.issued)"
        }
    }

    func on(_ path: String, _ answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) {
        state.withLock { $0.answers[path] = answer }
    }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }

    func requests(to path: String) -> [HTTPRequest] { requests.filter { $0.pathWithoutQuery == path } }

    /// Serves while `body` runs.
    func serve<Result: Sendable>(_ body: (URL) async throws -> Result) async throws -> Result {
        var configuration = Server.Configuration.patient
        configuration.maximumConnectionsPerAddress = 10_000
        return try await serving(self, configuration: configuration) { address in
            guard let url = URL(string: "http://127.0.0.1:\(address.port)") else { throw HTTPError.invalidURL }
            return try await body(url)
        }
    }
}

extension HTTPResponse {
    static func json(_ text: String, status: HTTPStatus = .ok, fields: HTTPFields = [:]) -> HTTPResponse {
        var fields = fields
        fields[.contentType] = "application/json"
        return HTTPResponse(status: status, fields: fields, body: HTTPBody(text))
    }
}

/// The responses of the backend.
struct User: Codable, Equatable, Sendable {
    let id: Int
    let name: String
}

struct FreshToken: Codable, Sendable {
    let token: String
}

enum TestDomain: ServiceDomain {
    case api
    case other

    var identifier: String {
        switch self {
        case .api: "api"
        case .other: "other"
        }
    }
}

/// Returns a provider of one service, without logs and delays.
func provider(
    _ url: URL, interceptor: (any RequestInterceptor)? = nil, retryPolicy: RetryPolicy = .none,
    timeout: TimeInterval = 30
) -> NetworkProvider {
    .quick(baseURL: url, timeout: timeout, retryPolicy: retryPolicy, interceptor: interceptor, logger: nil)
}

/// Returns the error of a call as a `NetworkError`.
func failure<Value: Sendable>(_ body: () async throws -> Value) async -> NetworkError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? NetworkError ?? .unknown(error)
    }
}

/// Runs `body` a number of times concurrently.
func atOnce<Value: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) async -> Value
) async -> [Value] {
    await withTaskGroup(of: Value.self) { group in
        for number in 0..<count { group.addTask { await body(number) } }
        var results: [Value] = []
        for await result in group { results.append(result) }
        return results
    }
}
