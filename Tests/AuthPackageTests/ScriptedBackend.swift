// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchJOSE
import Synchronization

/// A backend with pages of other providers and one-time codes that are bound to the app's challenge.
final class ScriptedBackend: Handler {
    private struct State {
        var challenges: [String: String] = [:]
        var requests: [HTTPRequest] = []
        var parameters: [String: String] = [:]
    }

    private let state = Mutex(State())

    var requests: [HTTPRequest] { state.withLock { $0.requests } }
    /// The parameters of the last page.
    var parameters: [String: String] { state.withLock { $0.parameters } }

    /// Plays the page: the user signs in, and the backend redirects to the app.
    func page(_ url: URL, _ change: (inout [(String, String)]) -> Void = { _ in }) throws -> URL {
        let parameters = Self.parameters(url.query(percentEncoded: true) ?? "")
        let code = UUID().uuidString
        state.withLock { state in
            state.parameters = parameters
            state.challenges[code] = parameters["code_challenge_method"] == "S256" ? parameters["code_challenge"] : nil
        }
        var answer = [("code", code), ("state", parameters["state"] ?? "")]
        change(&answer)
        let text = (parameters["redirect"] ?? "") + "?" + FormEncoding.encode(answer)
        guard let url = URL(string: text) else { throw URLError(.badURL) }
        return url
    }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        state.withLock { $0.requests.append(request) }
        guard request.method == .post, request.pathWithoutQuery.hasSuffix("/api/auth/exchange"),
            let object = try? JSONValue(parsing: request.body.bytes).objectValue,
            let code = object["code"]?.stringValue, let verifier = object["code_verifier"]?.stringValue
        else { return HTTPResponse(status: .notFound) }
        let challenge = state.withLock { $0.challenges.removeValue(forKey: code) }
        guard challenge == Base64URL.encode(Array(SHA256.hash(data: Array(verifier.utf8)))) else {
            return HTTPResponse(
                status: .badRequest, fields: [.contentType: "application/json"],
                body: HTTPBody(#"{"message":"The code is not valid."}"#))
        }
        return HTTPResponse(
            status: .ok, fields: [.contentType: "application/json"],
            body: HTTPBody(#"{"accessToken":"\#(Self.accessToken)","refreshToken":"refresh-1"}"#))
    }

    /// An access token without a signature, whose claims are for display.
    static let accessToken: String = {
        let header = Base64URL.encode(Array(#"{"alg":"HS256"}"#.utf8))
        let claims = Base64URL.encode(
            Array(#"{"id":"u1","email":"ada@example.com","roles":["client"],"permissions":[],"exp":4000000000}"#.utf8))
        return "\(header).\(claims).\(Base64URL.encode([1, 2, 3]))"
    }()

    static func parameters(_ query: String) -> [String: String] {
        var parameters: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.replacing("+", with: " ").removingPercentEncoding ?? "?"
            }
            parameters[sides[0]] = sides.count > 1 ? sides[1] : ""
        }
        return parameters
    }
}
