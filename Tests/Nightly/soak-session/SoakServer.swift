// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP
import LatchIdentity
import LatchProcess
import LatchServer
import Synchronization

/// The auth server, its clock, the gate of the workers, and a count of the refreshes.
struct SoakServer: Sendable {
    /// One second more than an access token lives.
    static let expiry = 901

    let url: String
    let folder: String
    let gate = Gate()
    let clock: ShiftedClock
    let refreshes: RefreshCount
    /// A resource of the server that may refuse every token.
    let resource: Resource
    private let server: Server
    private let identity: Identity

    /// The folder of the workers' files, `$LATCH_HOME`: apart from the server's, so that it alone may be full.
    var home: String { Self.home(in: folder) }

    /// Returns the folder of the workers' files.
    static func home(in folder: String) -> String { "\(folder)/home" }

    /// Starts a server with one account, which is signed in on this device.
    static func start(in folder: String) async throws -> SoakServer {
        let clock = ShiftedClock()
        var configuration = IdentityConfiguration()
        configuration.argon2MemoryKiB = 64
        let identity = try await Identity(
            configuration: configuration, storePath: "\(folder)/identity.sqlite", mailer: MemoryMailer(),
            clock: clock.wallClock)
        let soak = try await SoakServer(identity, clock: clock, folder: folder)
        let auth = AuthClient(baseURL: URL(string: soak.url) ?? URL(filePath: "/"), store: SoakWorker.store)
        try await auth.signUp(email: "ada@example.com", password: "Secret123!")
        try await auth.signIn(email: "ada@example.com", password: "Secret123!")
        return soak
    }

    private init(_ identity: Identity, clock: ShiftedClock, folder: String) async throws {
        refreshes = RefreshCount(identity.handler)
        resource = Resource(refreshes)
        var router = Router()
        gate.add(to: &router)
        var configuration = Server.Configuration()
        configuration.maximumConnectionsPerAddress = 10_000
        server = Server(handler: Split(gate: router, others: resource), configuration: configuration)
        url = try await server.start().url
        identity.adoptIssuer(url)
        self.identity = identity
        self.clock = clock
        self.folder = folder
    }

    /// Lets the token expire, and the workers find out.
    @discardableResult
    func expire() -> Int { open(after: Self.expiry) }

    /// Opens the next round.
    ///
    /// - Parameter seconds: The time that passes before it for all clocks.
    /// - Returns: The number of the round.
    func open(
        after seconds: Int = 0, _ action: Gate.Round.Action = .requestProfile, for members: [Int32]? = nil
    ) -> Int {
        clock.seconds += seconds
        return gate.open(offset: clock.seconds, action, for: members)
    }

    /// A worker over the account.
    ///
    /// - Parameter limit: The time limit of its refreshes; nil for the policy's own.
    func worker(tasks: Int, limit: Duration? = nil) throws -> ChildProcess {
        let arguments = [url, "\(tasks)"] + (limit.map { ["\(Int($0 / .milliseconds(1)))"] } ?? [])
        return try ChildProcess.start(
            CommandLine.arguments[0], ["worker"] + arguments, errors: .file("\(folder)/errors"))
    }

    /// Whether somebody who starts now is still signed in.
    func isSignedIn() async throws -> Bool {
        let auth = AuthClient(
            baseURL: URL(string: url) ?? URL(filePath: "/"), store: SoakWorker.store, clock: clock.wallClock)
        return try await auth.profile().email == "ada@example.com"
    }

    /// The number of token families that the issuer has revoked because it saw a refresh token twice.
    func revokedFamilies() async throws -> Int? {
        let url = URL(string: "\(url)/metrics") ?? URL(filePath: "/")
        let metrics = try await identity.handler.respond(to: HTTPRequest(method: .get, url: url)).body.text ?? ""
        return metrics.split(separator: "\n").first { $0.hasPrefix("latch_families_revoked_total ") }
            .flatMap { $0.split(separator: " ").last }.flatMap { Int($0) }
    }

    func stop() async {
        await server.shutdown(grace: .zero)
        await identity.close()
    }
}

/// The resource of the account's profile, which refuses every token while it is told to.
final class Resource: Handler {
    private let next: any Handler
    private let refuses = Mutex(false)

    init(_ next: any Handler) { self.next = next }

    /// Whether it refuses every token.
    var refusesTokens: Bool {
        get { refuses.withLock { $0 } }
        set { refuses.withLock { $0 = newValue } }
    }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard refusesTokens, request.path == "/user/profile" else { return try await next.respond(to: request) }
        // RFC 6750 §3.1: the status and the code of an expired or revoked token.
        return HTTPResponse(status: .unauthorized, fields: [.wwwAuthenticate: #"Bearer error="invalid_token""#])
    }
}

/// The gate is no part of the auth server.
private struct Split: Handler {
    let gate: Router
    let others: Resource

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        try await request.path.hasPrefix("/gate/") ? gate.respond(to: request) : others.respond(to: request)
    }
}
