// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import JWTAuthDependencies
import LatchAuth
import LatchCore
import LatchHTTP
import Synchronization
import TestTags
import Testing

@Suite(.tags(.tokenRedaction)) struct CanaryTests {
    let backend: Backend

    init() throws { backend = try Backend() }

    /// All that a value shows of itself: to print, to debug, to dump, to interpolate, to mirror.
    private func shown(_ value: Any) -> String {
        var text = "\(value) \(String(describing: value)) \(String(reflecting: value))"
        dump(value, to: &text)
        func walk(_ mirror: Mirror, depth: Int) {
            guard depth < 8 else { return }
            for child in mirror.children {
                text += " \(child.value)"
                walk(Mirror(reflecting: child.value), depth: depth + 1)
            }
        }
        walk(Mirror(reflecting: value), depth: 0)
        if let error = value as? any Error { text += error.localizedDescription }
        return text
    }

    private func expectNothing(of secrets: [String], in value: Any, _ name: String) {
        let text = shown(value)
        for secret in secrets { #expect(!text.contains(secret), "\(name)") }
    }

    @Test func `No token is shown by tokens, sessions and the values made from them`() throws {
        let tokens = try backend.issue()
        let secrets = [tokens.access, tokens.refresh, String(tokens.access.split(separator: ".")[1])]
        expectNothing(of: secrets, in: tokens, "tokens")
        for session in [AuthSession.valid(tokens), .expired(tokens), .missing] {
            expectNothing(of: secrets, in: session, "session")
            expectNothing(of: secrets, in: Optional(session) as Any, "optional")
        }
        expectNothing(of: secrets, in: ["state": tokens], "a program's state")
        expectNothing(of: secrets, in: try tokens.toJWT(), "JWT")
    }

    @Test func `No token is shown by clients and dependencies that hold a session`() async throws {
        let tokens = try backend.issue()
        let secrets = [tokens.access, tokens.refresh]
        try await backend.run(keychain: .inMemory(tokens)) {
            let shared = Shared(.authSession)
            let dependency = Dependency(\.jwtAuthClient)
            try await dependency.wrappedValue.loadSession()
            expectEqual(shared.wrappedValue, .valid(tokens))
            expectNothing(of: secrets, in: shared, "Shared")
            expectNothing(of: secrets, in: dependency, "Dependency")
            expectNothing(of: secrets, in: dependency.wrappedValue, "JWTAuthClient")
            expectNothing(of: secrets, in: Dependency(\.authTokensClient).wrappedValue, "AuthTokensClient")
            expectNothing(of: secrets, in: Dependency(\.keychainClient).wrappedValue, "KeychainClient")
            expectNothing(of: secrets, in: Dependency(\.httpRequestClient).wrappedValue, "HTTPRequestClient")
            withDependencies {
                expectNothing(of: secrets, in: $0, "DependencyValues")
            } operation: {
            }
        }
    }

    @Test func `No token is shown by errors, for any response of the server`() async throws {
        let tokens = try backend.issue(life: -10)
        let secrets = [tokens.access, tokens.refresh]
        let echo = #"{"name":{"token":"\#(tokens.refresh)"},"\#(tokens.access)":1}"#
        try await backend.run(keychain: .inMemory(tokens)) {
            @Dependency(\.jwtAuthClient) var client
            for status in [200, 400, 401, 500] {
                backend.on("/x") { _ in .json(echo, status: HTTPStatus(rawValue: status)) }
                backend.on("/auth/refresh") { _ in .json(echo, status: HTTPStatus(rawValue: status == 200 ? 503 : 500))
                }
                let sent = await failure { () async throws -> SuccessResponse<Profile> in
                    try await client.send(.get("/x"))
                }
                expectNothing(of: secrets, in: try #require(sent), "send \(status)")
                let refreshed = await failure { try await client.refreshExpiredTokens() }
                expectNothing(of: secrets, in: try #require(refreshed), "refresh \(status)")
            }
        }
    }

    @Test func `No token is shown by errors of the keychain`() async throws {
        let tokens = try backend.issue()
        let keychain = RecordedKeychain()
        keychain.memory.write(Array("{\"access\":\"\(tokens.access)\"".utf8), for: "JWTAuth.authSession")
        try await backend.run(keychain: keychain.client) {
            let loading = await failure { try await Dependency(\.jwtAuthClient).wrappedValue.loadSession() }
            expectNothing(of: [tokens.access], in: try #require(loading), "loading")
            keychain.failWrites(.storeDenied)
            let saving = await failure { try await Dependency(\.authTokensClient).wrappedValue.save(tokens) }
            expectNothing(of: [tokens.access, tokens.refresh], in: try #require(saving), "saving")
        }
    }

    @Test func `No token is shown by the log of a client`() async throws {
        let tokens = try backend.issue(life: -10)
        let lines = Mutex<[String]>([])
        let log = LoggingInterceptor(LoggingOptions(minimumLevel: .debug)) { entry in
            lines.withLock { $0.append("\(entry) \(String(reflecting: entry))") }
        }
        try await backend.run(
            keychain: .inMemory(tokens),
            { values, _ in
                values.httpRequestClient = HTTPRequestClient(handler: Transport.live.intercepted(by: [log]))
            }
        ) {
            let answer: SuccessResponse<Profile> = try await Dependency(\.jwtAuthClient).wrappedValue
                .sendAuthenticated(.get("/user/profile"))
            expectEqual(answer.data.name, "Ada")
        }
        let text = lines.withLock { $0.joined() }
        let fresh = backend.state.withLock { ($0.accepted.first ?? "?", $0.refreshable.first ?? "?") }
        #expect(text.contains("POST") && text.contains("GET"))
        for secret in [tokens.access, tokens.refresh, fresh.0, fresh.1] { #expect(!text.contains(secret)) }
    }
}
