// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchRPC
import LatchTesting
import Synchronization
import UserAuthentication

@testable import LatchIdentity

/// The real server without a socket, an app's manager over it, and what passed between them.
@MainActor final class Stage {
    /// The server's clock, and the one of the device, by which nobody waits but the app; `advance` moves both.
    private let clock = ManualClock(Date(timeIntervalSince1970: 1_800_000_000))
    let device = ManualClock(Date(timeIntervalSince1970: 1_800_000_000))
    let mailer = MemoryMailer()
    let identity: Identity
    let wire: Wire
    let store = InMemoryTokenStore<Tokens>()
    let manager: AuthenticationManager
    private let folder = FileManager.default.temporaryDirectory.appending(path: "latch-user-\(UUID().uuidString)")

    static let url = "http://127.0.0.1:8080"
    static let password = "a long enough sentence"

    init(
        requiringVerification isStrict: Bool = false, firstAdministrator: String? = nil,
        tokenLife: Duration = .seconds(1800),
        refreshesInBackground: Bool = false
    ) async throws {
        var configuration = IdentityConfiguration()
        (configuration.argon2MemoryKiB, configuration.argon2Passes) = (64, 1)
        configuration.accessTokenLifetime = tokenLife
        configuration.requireVerifiedEmail = isStrict
        configuration.firstAdministrator = firstAdministrator
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        identity = try await Identity(
            configuration: configuration, storePath: folder.appending(path: "store.sqlite").path, mailer: mailer,
            clock: clock.wallClock())
        identity.adoptIssuer(Self.url)
        wire = Wire(identity.handlerAfterMails)
        manager = try AuthenticationManager(
            url: Self.url, store: store, folder: folder.appending(path: "responses").path, transport: wire,
            clock: device.wallClock(), refreshesInBackground: refreshesInBackground)
    }

    /// Lets seconds pass, on the server first: what the app does then meets a server that has come as far.
    func advance(by seconds: TimeInterval) {
        clock.advance(by: seconds)
        device.advance(by: seconds)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Another launch of the app over the same store, and over the same folder unless it is nil.
    func relaunched(
        folder name: String? = "responses", refreshesInBackground: Bool = false
    ) throws -> AuthenticationManager {
        try AuthenticationManager(
            url: Self.url, store: store, folder: name.map { folder.appending(path: $0).path }, transport: wire,
            clock: device.wallClock(), refreshesInBackground: refreshesInBackground)
    }

    func register(_ email: String = "ada@example.com") async throws {
        try await manager.register(
            email: email, password: Self.password, firstName: "Ada", lastName: "Lovelace", username: "")
    }
}

extension Stage {
    /// An account that somebody else made.
    func signUp(_ email: String, isVerified: Bool = false) async throws {
        _ = try await identity.accounts.signUp(email: email, password: Self.password, isVerified: isVerified)
    }

    func suspend(_ id: String) async throws {
        _ = try await identity.administration.setStatus(of: id, to: .suspended, by: nil)
    }

    /// What an authenticator app shows now for the factor that was begun.
    func code(of id: String) async throws -> String {
        guard let factor = try await identity.services.store.secondFactor(of: id, isConfirmed: false) else {
            return ""
        }
        let secret = try TOTPSecretCipher(pepper: identity.services.pepper).open(factor.sealedSecret, of: id)
        return TOTP.code(secret, at: TOTP.step(of: clock.now))
    }

    /// The token of the newest mail.
    func mailedToken() async -> String {
        await identity.services.mails.flush()
        let text = mailer.messages.last { $0.text.contains("token=") }?.text ?? ""
        return String(text.split(separator: "token=").last?.split(separator: "\n").first ?? "")
    }
}

/// Counts the calls that pass, and can be cut.
final class Wire: Handler {
    private let server: any Handler
    private let state = Mutex((calls: [String](), isCut: false))

    init(_ server: any Handler) { self.server = server }

    var calls: [String] { state.withLock { $0.calls } }
    func count(_ method: String) -> Int { calls.filter { $0 == method }.count }
    func cut(_ isCut: Bool) { state.withLock { $0.isCut = isCut } }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let isCut = state.withLock { state in
            state.calls.append(String(request.path.split(separator: "/").last ?? ""))
            return state.isCut
        }
        if isCut { throw HTTPError.offline }
        return try await server.respond(to: request)
    }
}
