// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP
import LatchIdentityTesting
import LatchServer
import LatchTesting
import Synchronization
import TestSupport
import Testing

@testable import LatchIdentity

/// The auth server itself, in process or over a socket, with a clock that tests move.
final class RealBackend: Sendable {
    enum Connection: String, CaseIterable, Sendable { case inProcess, socket }

    static let password = "Secret123!"
    static let email = "ada@example.com"

    let identity: Identity
    let mailer = MemoryMailer()
    /// The fault of the network between client and server, in both directions.
    let network = Mutex<@Sendable (HTTPRequest, any Handler) async throws -> HTTPResponse>({
        try await $1.respond(to: $0)
    })
    private let clock = ManualClock()
    private let server: Server?
    private let transport: any Handler
    private let base: String

    init(
        _ way: Connection = .inProcess, in folder: String, hooks: IdentityHooks = IdentityHooks(),
        change: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws {
        var configuration = IdentityConfiguration()
        configuration.argon2MemoryKiB = 64
        configuration.argon2Passes = 1
        change(&configuration)
        identity = try await Identity(
            configuration: configuration, storePath: "\(folder)/identity.sqlite", mailer: mailer, hooks: hooks,
            clock: clock.wallClock())
        switch way {
        case .inProcess:
            (server, transport, base) = (nil, identity.handlerAfterMails, "http://localhost:8080")
        case .socket:
            let server = Server(handler: identity.handlerAfterMails, configuration: .patient)
            base = try await server.start().url
            (self.server, transport) = (server, Transport.live)
        }
        identity.adoptIssuer(base)
    }

    /// Runs `body` with a server of its own.
    static func run(
        _ way: Connection = .inProcess, hooks: IdentityHooks = IdentityHooks(),
        change: @Sendable (inout IdentityConfiguration) -> Void = { _ in },
        _ body: (RealBackend, String) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let backend = try await RealBackend(way, in: folder, hooks: hooks, change: change)
            do {
                try await body(backend, folder)
            } catch {
                await backend.close()
                throw error
            }
            await backend.close()
        }
    }

    func close() async {
        await server?.shutdown(grace: .seconds(5))
        await identity.close()
    }

    func passTime(_ seconds: TimeInterval) { clock.advance(by: seconds) }

    /// A client whose clock is the server's, give or take `skew` seconds.
    func client(store: any TokenStore<Tokens> = InMemoryTokenStore<Tokens>(), skew: TimeInterval = 0) throws
        -> AuthClient
    {
        guard let url = URL(string: base) else { throw HTTPError.invalidURL }
        return AuthClient(
            baseURL: url, store: store,
            transport: ClosureHandler { request in
                let network = self.network.withLock { $0 }
                return try await network(request, self.transport)
            }, clock: clock.wallClock(skew: skew))
    }

    /// A client of a user who has an account and is signed in.
    func signedIn(
        as email: String = RealBackend.email, store: any TokenStore<Tokens> = InMemoryTokenStore<Tokens>()
    ) async throws -> AuthClient {
        let client = try client(store: store)
        try await client.signUp(email: email, password: Self.password)
        try await client.signIn(email: email, password: Self.password)
        return client
    }

    /// The token in the newest mail to an address.
    func mailedToken(to email: String = RealBackend.email) async -> String {
        await identity.services.mails.flush()
        let text = mailer.messages.last { $0.recipient == email && $0.text.contains("token=") }?.text
        return text?.split(separator: "token=").last?.split(separator: "\n").first.map(String.init) ?? ""
    }

    /// The code in the newest mail with one to an address.
    func mailedCode(to email: String = RealBackend.email) async -> String {
        await identity.services.mails.flush()
        // Workers send in parallel, so that a notice without a code can arrive after the mail with one.
        let mails = mailer.messages.reversed().filter { $0.recipient == email }
        let lines = mails.flatMap { $0.text.split(separator: "\n") }
        return lines.first { $0.contains(/^[0-9]{3} [0-9]{3}$/) }.map(String.init) ?? ""
    }

    /// Gives the account of a signed-in client a second factor, and returns the recovery codes.
    func enrolSecondFactor(of client: AuthClient) async throws -> [String] {
        let access = try await client.session.credential().access
        let session = try await identity.services.tokens.authenticate(accessToken: access)
        let setup = try await identity.secondFactors.enroll(session)
        let app = try #require(AuthenticatorApp(secret: setup.secret))
        try await identity.secondFactors.confirm(
            app.code(at: identity.services.clock.now), session,
            from: RequestOrigin(address: "127.0.0.1", userAgent: nil))
        return setup.recoveryCodes
    }

    /// The number of tokens issued for a grant.
    func issued(_ grant: String) async throws -> Int {
        let request = HTTPRequest(authority: "127.0.0.1", path: "/metrics")
        let text = try await identity.handler.respond(to: request).body.text ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("latch_tokens_issued_total{grant=\"\(grant)\"} ") }
        return line.flatMap { Int($0.split(separator: " ").last ?? "") } ?? 0
    }
}
