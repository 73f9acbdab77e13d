// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestSupport

/// A real server that speaks for all the services of Nevod's document.
final class SeedSite: Handler {
    private struct State {
        var accepted: Set<String> = []
        var issued = 0
        var requests: [HTTPRequest] = []
        var answers: [String: @Sendable (HTTPRequest) -> HTTPResponse] = [:]
    }

    private let state = Mutex(State())

    func respond(to request: HTTPRequest) -> HTTPResponse {
        let (answer, isKnown) = state.withLock { state in
            state.requests.append(request)
            let token = request.fields[.authorization].map { String($0.dropFirst("Bearer ".count)) }
            return (state.answers[String(request.pathWithoutQuery)], token.map(state.accepted.contains) ?? false)
        }
        if let answer { return answer(request) }
        if request.pathWithoutQuery == "/oauth/refresh" {
            let token = state.withLock { state in
                state.issued += 1
                state.accepted = ["fresh-\(state.issued)"]
                return "fresh-\(state.issued)"
            }
            return Self.json(#"{"accessToken":"\#(token)"}"#)
        }
        return isKnown ? Self.json(#"{"id":7,"name":"Ada"}"#) : HTTPResponse(status: .unauthorized)
    }

    static func json(_ text: String, fields: HTTPFields = [:]) -> HTTPResponse {
        HTTPResponse(status: .ok, fields: fields, body: HTTPBody(text))
    }

    func on(_ path: String, _ answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse) {
        state.withLock { $0.answers[path] = answer }
    }

    func serve<Result: Sendable>(_ body: (URL) async throws -> Result) async throws -> Result {
        try await serving(self) { address in
            guard let url = URL(string: "http://127.0.0.1:\(address.port)") else { throw HTTPError.invalidURL }
            return try await body(url)
        }
    }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }
    var lines: [String] { requests.map { "\($0.method) \($0.path)" } }
    var bodies: [String?] { requests.map(\.body.text) }
    var authorizations: [String?] { values(of: .authorization) }
    func values(of name: HTTPFieldName) -> [String?] { requests.map { $0.fields[name] } }
}
