// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP
import LatchIdentity
import LatchProcess
import LatchServer

/// The auth server, its clock, the gate of the workers, and a count of the refreshes.
struct SoakServer: Sendable {
    /// One second more than an access token lives.
    static let expiry = 901

    let url: String
    let folder: String
    let gate = Gate()
    let clock: ShiftedClock
    let refreshes: RefreshCount
    private let server: Server
    private let identity: Identity

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
        var router = Router()
        gate.add(to: &router)
        var configuration = Server.Configuration()
        configuration.maximumConnectionsPerAddress = 10_000
        server = Server(handler: Split(gate: router, others: refreshes), configuration: configuration)
        url = try await server.start().url
        identity.adoptIssuer(url)
        self.identity = identity
        self.clock = clock
        self.folder = folder
    }

    /// Lets the token expire, and the workers find out.
    func expire() {
        clock.seconds += Self.expiry
        gate.open(offset: clock.seconds)
    }

    /// A worker over the account.
    func worker(tasks: Int) throws -> ChildProcess {
        try ChildProcess.start(
            CommandLine.arguments[0], ["worker", url, String(tasks)], errors: .file("\(folder)/errors"))
    }

    /// Whether somebody who starts now is still signed in.
    func isSignedIn() async throws -> Bool {
        let auth = AuthClient(
            baseURL: URL(string: url) ?? URL(filePath: "/"), store: SoakWorker.store, clock: clock.wallClock)
        return try await auth.profile().email == "ada@example.com"
    }

    func stop() async {
        await server.shutdown(grace: .zero)
        await identity.close()
    }
}

/// The gate is no part of the auth server.
private struct Split: Handler {
    let gate: Router
    let others: RefreshCount

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        try await request.path.hasPrefix("/gate/") ? gate.respond(to: request) : others.respond(to: request)
    }
}
