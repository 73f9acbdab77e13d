// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE
import LatchServer
import LatchTesting
import Synchronization

/// An issuer that publishes keys at a real address, and what a verifier over them needs.
final class PublishedKeys: Sendable {
    /// The responses of the issuer, and its requests.
    struct State {
        var keys: [Key] = []
        /// Instead of the keys, where it is set.
        var answer: (@Sendable (HTTPRequest) async throws -> HTTPResponse)?
        var fields: HTTPFields = [:]
        var requests: [HTTPRequest] = []
    }

    let state: Mutex<State>
    let clock = ManualClock()
    let url: URL
    private let server: Server

    /// Serves keys on loopback until `body` has ended.
    static func serve(
        _ keys: [Key], fields: HTTPFields = [:], _ body: (PublishedKeys) async throws -> Void
    ) async throws {
        let state = Mutex(State(keys: keys, fields: fields))
        let issuer = try await PublishedKeys(state)
        do {
            try await body(issuer)
        } catch {
            await issuer.server.shutdown(grace: .zero)
            throw error
        }
        await issuer.server.shutdown(grace: .zero)
    }

    private init(_ state: consuming sending Mutex<State>) async throws {
        self.state = state
        let relay = Relay()
        server = Server(handler: ClosureHandler { try await relay.respond(to: $0) })
        let address = try await server.start()
        url = URL(string: address.url + "/jwks.json?tenant=secret") ?? URL(filePath: "/")
        relay.issuer.withLock { $0 = Unowned(self) }
    }

    /// The server is made before the issuer is, so it asks for it by way of this.
    private final class Relay: Sendable {
        let issuer = Mutex<Unowned?>(nil)

        func respond(to request: HTTPRequest) async throws -> HTTPResponse {
            guard let issuer = issuer.withLock({ $0?.value }) else { return HTTPResponse(status: .serviceUnavailable) }
            return try await issuer.respond(to: request)
        }
    }

    private struct Unowned: Sendable {
        weak var value: PublishedKeys?
        init(_ value: PublishedKeys) { self.value = value }
    }

    private func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let (keys, fields, answer) = state.withLock { state in
            state.requests.append(request)
            return (state.keys, state.fields, state.answer)
        }
        if let answer { return try await answer(request) }
        return HTTPResponse(status: .ok, fields: fields, body: HTTPBody(KeySet(keys).jwks().serialized()))
    }

    /// The number of requests.
    var count: Int { state.withLock { $0.requests.count } }

    /// Publishes other keys from now on.
    func publish(_ keys: [Key]) { state.withLock { $0.keys = keys } }

    /// Answers otherwise from now on; nil publishes the keys again.
    func answer(_ answer: (@Sendable (HTTPRequest) async throws -> HTTPResponse)?) {
        state.withLock { $0.answer = answer }
    }

    /// Answers with a status and nothing else.
    func fail(_ status: HTTPStatus = .internalServerError) { answer { _ in HTTPResponse(status: status) } }

    /// The keys as a verifier's machine sees them.
    func keySet(_ policy: RemoteKeyPolicy = RemoteKeyPolicy()) throws -> RemoteKeySet {
        try RemoteKeySet(url: url, policy: policy, clock: clock.wallClock())
    }

    /// A verifier by these keys.
    func verifier(_ policy: RemoteKeyPolicy = RemoteKeyPolicy()) throws -> RemoteJWTVerifier {
        RemoteJWTVerifier(
            keys: try keySet(policy), algorithms: [.eddsa, .es256], issuer: "us", clock: clock.wallClock())
    }

    /// A token that is good for ten years.
    func token(_ key: Key, id: String? = nil) throws -> String {
        var claims: Claims = ["iss": "us", "sub": "u1"]
        claims.expiry = clock.now.addingTimeInterval(3_650 * 86_400)
        guard let id else { return try JWT.sign(claims, with: key) }
        var jwk = try key.jwkWithSecretsForStorage()
        jwk["kid"] = .string(id)
        return try JWT.sign(claims, with: Key(jwk: jwk))
    }
}

/// Holds whoever comes until it is opened.
final class Barrier: Sendable {
    private let opened = SharedResult<Bool>()
    private let arrived = SharedResult<Bool>()

    /// Reports an arrival, and waits.
    func wait() async throws {
        arrived.finish(.success(true))
        _ = try await opened.value()
    }

    /// Returns after an arrival.
    func reached() async throws { _ = try await arrived.value() }

    func open() { opened.finish(.success(true)) }
}
