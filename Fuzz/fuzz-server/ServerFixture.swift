// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzDriver
import LatchAuth
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchServer
import LatchTesting
import Synchronization

@testable import LatchIdentity

/// The server, once for the process, and the store with which each input begins: two accounts that are not the attacker's.
final class ServerFixture: Sendable {
    /// A handler that passes requests to the identity of the current input.
    private final class CurrentHandler: Handler, Sendable {
        let identity = Mutex<Identity?>(nil)

        func respond(to request: HTTPRequest) async throws -> HTTPResponse {
            guard let identity = identity.withLock({ $0 }) else { return HTTPResponse(status: .serviceUnavailable) }
            return try await identity.handler.respond(to: request)
        }
    }

    static let beginning = Date(timeIntervalSince1970: 1_800_000_000)
    static let rootPassword = "canary of the root password 8261"
    static let victimPassword = "canary of the victims password 5173"
    static let victimName = "Canary Victim 4409"
    static let administrator = "boss@example.com"

    let port: UInt16
    private let server: Server
    private let url: String
    private let current = CurrentHandler()
    private let folder: String
    private static let folder = "/dev/shm/fuzz-server-\(getpid())"
    private let template: [UInt8]
    /// What no response may contain.
    let canaries: [[UInt8]]
    let victimID: String
    /// The accounts of others, as they are when an input begins.
    let untouched: [Account]

    init() async throws {
        folder = Self.folder
        // The fuzzer ends the process itself.
        atexit { _ = try? FileManager.default.removeItem(atPath: ServerFixture.folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/template.sqlite"
        let identity = try await Identity(
            configuration: Self.configuration, storePath: path, mailer: MemoryMailer(),
            clock: ManualClock(Self.beginning).wallClock(), random: Self.random(1))
        identity.adoptIssuer("http://127.0.0.1:1")
        var canaries = [Self.rootPassword, Self.victimPassword, Self.victimName].map { Array($0.utf8) }
        _ = try await identity.accounts.signUp(
            email: "root@example.com", password: Self.rootPassword, roles: Role.superAdmin.words, isVerified: true)
        let victim = try await identity.accounts.signUp(
            email: "victim@example.com", password: Self.victimPassword, name: Self.victimName, isVerified: true)
        victimID = victim.id
        let issued = try await identity.services.signIns.signIn(
            name: "victim@example.com", password: Self.victimPassword,
            from: RequestOrigin(address: "10.9.9.9", userAgent: nil))
        canaries += [Array(issued.accessToken.utf8), Array(issued.refreshToken.utf8)]
        canaries += try await Self.keyCanaries(of: identity)
        self.canaries = canaries.filter { $0.count >= 16 }
        untouched = try await identity.services.store.accounts(after: nil, limit: 10)
        await identity.close()
        template = [UInt8](try Data(contentsOf: URL(filePath: path)))
        hold(template.count > 10_000, "the template is a store")
        var limits = Server.Configuration()
        limits.contentLimits = [Identity.callPath: 256 << 10]
        limits.maximumContentBytes = 64 << 20
        limits.trustedProxies = TrustedProxies(["127.0.0.0/8"].compactMap(NetworkRange.init))
        server = Server(handler: current, configuration: limits)
        let address = try await server.start()
        (port, url) = (UInt16(address.port), address.url)
    }

    /// The bytes that requests hold.
    var memory: MemoryBudget? { server.memory }
    var connectionCount: Int { server.connectionCount }

    /// Cheap hashes, scopes of an API, a confidential client, and an administrator who has not signed up.
    private static var configuration: IdentityConfiguration {
        var configuration = IdentityConfiguration()
        configuration.argon2MemoryKiB = 8
        configuration.argon2Passes = 1
        configuration.scopes = "widgets:read widgets:write widgets:delete widgets:admin files:read files:write"
        configuration.defaultScopes = "widgets:read files:read"
        configuration.firstAdministrator = administrator
        configuration.tokenPepper = "canary of the pepper 90210"
        configuration.clients = ["web;confidential;grants=password,refresh_token", "phone;grants=password"].compactMap {
            OAuthClient(word: $0)
        }
        let digest = Array(SHA256.hash(data: Array("a secret of the client".utf8)))
        configuration.clientSecretDigests["web"] = hexadecimal(digest)
        return configuration
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The same numbers for each input, and others for the template, whose accounts have their ids from them.
    private static func random(_ seed: UInt64) -> RandomSource {
        let generator = Mutex(SplitMix64(state: seed))
        return RandomSource { generator.withLock { $0.next() } }
    }

    /// The private parts of the keys, in the encodings in which they could leak.
    private static func keyCanaries(of identity: Identity) async throws -> [[UInt8]] {
        var canaries = [Array("canary of the pepper".utf8)]
        for key in try await identity.services.store.signingKeys() {
            let jwk = try JSONValue(parsing: key.privateJWK)
            if let secret = jwk["d"]?.stringValue { canaries.append(Array(secret.utf8)) }
        }
        for secret in try await identity.services.store.secrets() {
            canaries += [
                secret.content, Array(hexadecimal(secret.content).utf8), Base64Alphabet.url.encode(secret.content),
            ]
        }
        return canaries
    }

    /// Returns an identity over a copy of the store, to which the server passes requests from now on.
    func begin(_ clock: ManualClock, _ mailer: MemoryMailer) async throws -> Identity {
        let path = folder + "/store.sqlite"
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        try Data(template).write(to: URL(filePath: path))
        chmod(path, 0o600)
        let identity = try await Identity(
            configuration: Self.configuration, storePath: path, mailer: mailer, clock: clock.wallClock(),
            random: Self.random(2))
        identity.adoptIssuer(url)
        current.identity.withLock { $0 = identity }
        return identity
    }

    /// Closes the identity of an input.
    func end(_ identity: Identity) async {
        current.identity.withLock { $0 = nil }
        await identity.close()
    }
}
