// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import LaziOAuth
import SampleResource
import Synchronization
import TestSupport

@testable import LatchIdentity

/// The auth server itself, in process or over a socket, with a clock that tests move, and a record of what it was asked.
final class RealBackend: Sendable {
    enum Connection: String, CaseIterable, Sendable { case inProcess, socket }

    static let password = "Secret123!"

    let identity: Identity
    let clock = ManualClock()
    /// The behaviour of the network with a request and its response.
    let network = Mutex<@Sendable (HTTPRequest, any Handler) async throws -> HTTPResponse>({
        try await $1.respond(to: $0)
    })
    private let log = Mutex<[HTTPRequest]>([])
    private let server: Server?
    private let transport: any Handler
    let url: URL

    private init(_ connection: Connection, in folder: String, change: @Sendable (inout IdentityConfiguration) -> Void)
        async throws
    {
        var configuration = IdentityConfiguration()
        configuration.argon2MemoryKiB = 64
        configuration.argon2Passes = 1
        configuration.accessTokenLifetime = .seconds(3600)
        configuration.scopes = SampleResource.scopes
        configuration.defaultScopes = SampleResource.defaultScopes
        change(&configuration)
        identity = try await Identity(
            configuration: configuration, storePath: "\(folder)/identity.sqlite", mailer: MemoryMailer(),
            clock: clock.wallClock())
        // The routes of the documented backend, as an app of its own beside the auth server.
        let identity = identity
        let samples = SampleResource {
            [identity.errorInterceptor, identity.requiring($0)]
        } owner: {
            $0.principal?.accountID
        }
        guard var router = identity.handler as? Router else { throw HTTPError.invalidURL }
        router.merge(samples.router)
        let base: String
        switch connection {
        case .inProcess:
            (server, transport, base) = (nil, router, "http://127.0.0.1:8080")
        case .socket:
            let server = Server(handler: router, configuration: .patient)
            base = try await server.start().url
            (self.server, transport) = (server, Transport.live)
        }
        identity.adoptIssuer(base)
        guard let url = URL(string: base) else { throw HTTPError.invalidURL }
        self.url = url
    }

    /// Runs `body` with a server of its own.
    @MainActor
    static func run(
        _ connection: Connection = .inProcess, change: @Sendable (inout IdentityConfiguration) -> Void = { _ in },
        _ body: @MainActor (RealBackend) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/lazi-" + RandomSource.system.identifier()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let backend = try await RealBackend(connection, in: folder, change: change)
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(backend)) } catch { outcome = .failure(error) }
        await backend.server?.shutdown(grace: .seconds(5))
        await backend.identity.close()
        try FileManager.default.removeItem(atPath: folder)
        try outcome.get()
    }

    /// The transport to the server, through the network of the test.
    var handler: any Handler {
        ClosureHandler { request in
            let network = self.network.withLock { $0 }
            self.log.withLock { $0.append(request) }
            return try await network(request, self.transport)
        }
    }

    var requests: [HTTPRequest] { log.withLock { $0 } }

    func requests(to path: String) -> [HTTPRequest] { requests.filter { $0.pathWithoutQuery == path } }

    /// A service whose clock is the server's, give or take `skew` seconds.
    @MainActor
    func service(
        store: any TokenStore<Tokens> = InMemoryTokenStore<Tokens>(), skew: TimeInterval = 0,
        interceptors: [any Interceptor] = []
    ) -> OAuthService {
        OAuthService(
            baseURL: url, store: store, transport: handler, interceptors: interceptors,
            clock: clock.wallClock(skew: skew))
    }

    /// A service of a person who has an account and is signed in.
    @MainActor
    func signedIn(
        as name: String = "ada", scopes: [OAuthScope] = OAuthScope.defaults,
        store: any TokenStore<Tokens> = InMemoryTokenStore<Tokens>()
    ) async throws -> OAuthService {
        let service = service(store: store)
        try await service.signup(
            username: name, email: "\(name)@example.com", password: Self.password, scopes: scopes)
        return service
    }
}
