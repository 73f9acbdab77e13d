// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP
import LatchIdentityTesting
import LatchTesting
import LatchUI
import Synchronization
import Testing

@testable import LatchIdentity

/// The auth server itself, in process, with a clock that tests move and a network that they cut.
final class RealServer: Sendable {
    static let email = "ada@example.com"
    static let password = "a long sentence"

    let identity: Identity
    let mailer = MemoryMailer()
    let clock = ManualClock()
    /// The secret store of the one device of ``app(secrets:)``.
    let secrets = InMemorySecretStore()
    /// The gates that answers pass on their way back, by the end of their request's path; no cancellation ends them there.
    let gates = Mutex<[String: Gate]>([:])
    /// The paths whose next answer is lost on its way back.
    let losses = Mutex<Set<String>>([])
    /// The paths of all requests, in order.
    let paths = Mutex<[String]>([])
    /// Whether the server is one without `userservice.v1.UserService`.
    let hasNoUserService = Mutex(false)
    /// Whether the network is down.
    let isOffline = Mutex(false)

    init(in folder: String, change: (inout IdentityConfiguration) -> Void = { _ in }) async throws {
        var configuration = IdentityConfiguration()
        configuration.argon2MemoryKiB = 64
        configuration.argon2Passes = 1
        change(&configuration)
        identity = try await Identity(
            configuration: configuration, storePath: "\(folder)/identity.sqlite", mailer: mailer,
            clock: clock.wallClock())
        // A secure context, which passkeys need.
        identity.adoptIssuer("http://localhost:8080")
    }

    /// Runs `body` with a server of its own.
    static func run(
        change: @Sendable (inout IdentityConfiguration) -> Void = { _ in },
        _ body: @MainActor (RealServer) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let server = try await RealServer(in: folder, change: change)
            do {
                try await body(server)
            } catch {
                await server.identity.close()
                throw error
            }
            await server.identity.close()
        }
    }

    /// Holds the answers of a path back until the gate is open.
    func hold(_ path: String) -> Gate {
        let gate = Gate()
        gates.withLock { $0[path] = gate }
        return gate
    }

    /// Loses the next answer of a path.
    func lose(_ path: String) { losses.withLock { _ = $0.insert(path) } }

    /// The number of requests to a path.
    func requests(to path: String) -> Int { paths.withLock { $0.count { $0.hasSuffix(path) } } }

    /// A client on a device of its own.
    func client() throws -> AuthClient { client(at: try url) }

    private func client(at url: URL) -> AuthClient {
        AuthClient(
            baseURL: url, store: InMemoryTokenStore<Tokens>(), transport: transport, clock: clock.wallClock())
    }

    /// The network between a device and the server.
    var transport: some Handler {
        ClosureHandler { request in
            if self.isOffline.withLock({ $0 }) { throw HTTPError.offline }
            let path = request.path
            self.paths.withLock { $0.append(path) }
            if path.contains("userservice"), self.hasNoUserService.withLock(\.self) {
                return HTTPResponse(status: .notFound, body: HTTPBody("{}"))
            }
            let response = try await self.identity.handlerAfterMails.respond(to: request)
            let loss = self.losses.withLock { losses in
                losses.first { path.hasSuffix($0) }.flatMap { losses.remove($0) }
            }
            if loss != nil { throw HTTPError.offline }
            let gate = self.gates.withLock { gates in gates.first { path.hasSuffix($0.key) }?.value }
            await gate?.pass()
            return response
        }
    }

    private var url: URL {
        get throws { try #require(URL(string: "http://localhost:8080")) }
    }

    /// The configuration of an app on the device, whose accounts are in ``secrets``.
    func configuration() throws -> AuthModel.Configuration {
        var configuration = AuthModel.Configuration(server: try url, service: "com.example.notes")
        configuration.secrets = secrets
        configuration.transport = transport
        configuration.clock = clock.wallClock()
        // Most tests type into the form at once.
        configuration.options.loadsWays = false
        return configuration
    }

    /// An app on a device, whose accounts are in ``secrets`` unless others are given.
    @MainActor func app(
        secrets: (any SecretStore)? = nil, passkeys: (any PasskeyProvider)? = nil,
        change: (inout AuthModel.Configuration) -> Void = { _ in }
    ) throws -> AuthModel {
        var configuration = try configuration()
        configuration.secrets = secrets ?? self.secrets
        configuration.passkeys = passkeys
        change(&configuration)
        return AuthModel(configuration)
    }

    /// An app at its sign-in; the account exists.
    @MainActor func signedUp(
        secrets: (any SecretStore)? = nil, passkeys: (any PasskeyProvider)? = nil,
        change: (inout AuthModel.Configuration) -> Void = { _ in }
    ) async throws -> AuthModel {
        try await client().signUp(email: Self.email, password: Self.password)
        let auth = try app(secrets: secrets, passkeys: passkeys, change: change)
        await auth.restore()
        await auth.settled()
        return auth
    }

    /// An app with a signed-in user.
    @MainActor func signedIn(
        passkeys: (any PasskeyProvider)? = nil, change: (inout AuthModel.Configuration) -> Void = { _ in }
    ) async throws -> AuthModel {
        let auth = try await signedUp(passkeys: passkeys, change: change)
        await auth.use([.email: Self.email, .password: Self.password], press: .submit)
        return auth
    }

    /// The URL in the newest mail to the address.
    func mailedURL(to address: String = RealServer.email) async throws -> URL {
        await identity.services.mails.flush()
        let text = try #require(mailer.messages.last { $0.recipient == address && $0.text.contains("token=") }?.text)
        let word = try #require(text.split(whereSeparator: \.isWhitespace).first { $0.contains("token=") })
        return try #require(URL(string: String(word)))
    }

    /// The link in the newest mail to the address.
    func mailedLink() async throws -> ScreenLink { try #require(ScreenLink(try await mailedURL())) }

    /// The code in the newest mail with one.
    func mailedCode() async -> String {
        await identity.flushMails()
        let lines = mailer.messages.reversed().flatMap { $0.text.split(separator: "\n") }
        return lines.first { $0.contains(/^[0-9]{3} [0-9]{3}$/) }.map(String.init) ?? ""
    }

    /// The code that an authenticator app shows now.
    func code(of secret: String) -> String {
        AuthenticatorApp(secret: secret)?.code(at: identity.services.clock.now) ?? ""
    }
}

extension ScreenModel {
    /// Shows the screen, types texts, presses a button, and waits for the end of the request.
    func use(_ texts: [ControlID: String] = [:], press id: ControlID? = nil) async {
        send(.appear)
        await settled()
        for (field, text) in texts { edit(field, text) }
        if let id { press(id) }
        await settled()
    }
}
