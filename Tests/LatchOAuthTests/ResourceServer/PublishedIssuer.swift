// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchServer
import LatchTesting
import Synchronization
import Testing

/// An issuer that publishes metadata and keys, and signs access tokens of any shape.
final class PublishedIssuer: Handler {
    private struct State {
        var metadata: JSONObject
        /// The path of the metadata.
        var place: String
        var key: Key
        var requests: [HTTPRequest] = []
    }

    let url: URL
    let clock = ManualClock()
    private let state: Mutex<State>

    init(
        _ issuer: String = "https://id.example.com", at place: String? = nil, algorithm: SignatureAlgorithm = .es256
    ) throws {
        url = try #require(URL(string: issuer))
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let key = try Key.generate(algorithm)
        let metadata: JSONObject = [
            "issuer": .string(issuer), "token_endpoint": .string(base + "/token"), "jwks_uri": .string(base + "/keys"),
            "id_token_signing_alg_values_supported": [.string(algorithm.rawValue)],
        ]
        let path = URL(string: base)?.path() ?? ""
        state = Mutex(
            State(metadata: metadata, place: place ?? path + "/.well-known/openid-configuration", key: key))
    }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        state.withLock { state in
            state.requests.append(request)
            let address = "\(request.scheme)://\(request.authority)\(request.path)"
            if request.path == state.place { return .json(.object(state.metadata)) }
            guard address == state.metadata["jwks_uri"]?.stringValue else { return HTTPResponse(status: .notFound) }
            return .json(KeySet([state.key]).jwks())
        }
    }

    /// Changes the metadata from now on.
    func publish(_ change: (inout JSONObject) -> Void) { state.withLock { change(&$0.metadata) } }

    /// Signs with another key from now on.
    func rotate(_ algorithm: SignatureAlgorithm = .es256) throws {
        let key = try Key.generate(algorithm)
        state.withLock { $0.key = key }
    }

    var key: Key { state.withLock { $0.key } }

    var paths: [String] { state.withLock { $0.requests.map(\.path) } }

    func verifier(for audience: String = "https://api.example.com") throws -> RemoteJWTVerifier {
        try RemoteJWTVerifier(issuer: url, audience: audience, transport: self, clock: clock.wallClock())
    }

    /// Returns a token of ten minutes with these claims, for `https://api.example.com` unless they say otherwise.
    func token(_ claims: JSONObject = [:], type: String? = "at+jwt", with key: Key? = nil) throws -> String {
        var token: Claims = ["iss": .string(url.absoluteString), "aud": "https://api.example.com", "sub": "ada"]
        token.expiry = clock.now.addingTimeInterval(600)
        for (name, value) in claims { token[name] = value.isNull ? nil : value }
        return try JWT.sign(token, with: key ?? self.key, type: type)
    }

    /// Returns the status of a guard's response to a token.
    func status(
        of token: String, _ verifier: some AccessTokenVerifier, requiring scopes: Scopes = [],
        in hierarchy: ScopeHierarchy? = nil, from claim: [String]? = nil
    ) async throws -> HTTPStatus {
        let guarding = AccessTokenInterceptor(
            verifier, requiring: scopes, in: hierarchy, from: claim, clock: clock.wallClock())
        var request = HTTPRequest(authority: "api.example.com", path: "/notes")
        request.fields[.authorization] = "Bearer \(token)"
        return try await guarding.intercept(request, next: ClosureHandler { _ in HTTPResponse(status: .ok) }).status
    }
}
