// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
import LatchFoundation
package import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityStorage
import LatchJOSE
package import LatchOAuth
import LatchServer

/// The clients of the configured identity providers, by name.
package struct UpstreamClients: Sendable {
    private let clients: [String: UpstreamClient]

    /// The clients, sorted by name.
    package var all: [UpstreamClient] { clients.values.sorted { $0.provider.name < $1.provider.name } }

    /// Creates the clients of a configuration, and reads the files with their secrets.
    ///
    /// - Throws: `IdentityError.invalidSetting` for a provider that cannot work.
    package init(
        _ configuration: IdentityConfiguration, transport: any Handler, clock: WallClock, random: RandomSource
    ) throws(IdentityError) {
        var clients: [String: UpstreamClient] = [:]
        for provider in configuration.upstreams {
            if let flaw = provider.flaw { throw .invalidSetting("upstreams", flaw) }
            let secret = try ConfiguredSecret.read(
                of: provider.name, in: "upstreams", or: "upstream_secrets",
                given: configuration.upstreamSecrets[provider.name], path: provider.secretFile)
            clients[provider.name] = try UpstreamClient(
                provider, secret: secret, transport: transport, clock: clock, random: random)
        }
        for name in configuration.upstreamSecrets.keys.sorted() where clients[name] == nil {
            throw .invalidSetting(
                "upstream_secrets", "only secrets of providers in 'upstreams'; '\(name)' is not one of them")
        }
        self.clients = clients
    }

    package subscript(name: String) -> UpstreamClient? { clients[name] }
}

/// The client of one identity provider.
package final class UpstreamClient: Sendable {
    /// The timeout of each request to a provider.
    ///
    /// A user waits for it.
    package static let timeout = Duration.seconds(10)

    package let provider: UpstreamProvider
    package let configuration: OAuthConfiguration
    /// The issuer of all users; nil for Microsoft, where it is that of the user's directory.
    package var issuer: String? {
        let shared = ["common", "organizations", "consumers"]
        return provider.kind == .microsoft && shared.contains(provider.tenant ?? "common")
            ? nil : configuration.issuer.absoluteString
    }
    /// The client secret; nil if a key signs it.
    package let secret: String?
    package let transport: any Handler
    /// The client for sign-ins on pages.
    package let authorization: AuthorizationClient
    /// The clients of the apps that sign users in by a dialog of the device, by app identifier.
    package let apps: [String: AuthorizationClient]

    fileprivate init(
        _ provider: UpstreamProvider, secret: String, transport: any Handler, clock: WallClock, random: RandomSource
    ) throws(IdentityError) {
        self.provider = provider
        self.secret = provider.kind == .apple ? nil : secret
        configuration = try Self.configuration(of: provider, secret: secret)
        let allowed = UpstreamTransport(issuer: configuration.issuer, transport: transport)
        self.transport = allowed
        func client(_ configuration: OAuthConfiguration) -> AuthorizationClient {
            AuthorizationClient(
                configuration, transport: allowed, timeout: Self.timeout, clock: clock, random: random)
        }
        authorization = client(configuration)
        var apps: [String: AuthorizationClient] = [:]
        for id in provider.appIDs {
            var registered = provider
            registered.clientID = id
            apps[id] = client(try Self.configuration(of: registered, secret: secret))
        }
        self.apps = apps
    }

    private static func configuration(
        of provider: UpstreamProvider, secret: String
    ) throws(IdentityError) -> OAuthConfiguration {
        let id = provider.clientID
        var configuration: OAuthConfiguration
        switch provider.kind {
        case .openID:
            guard let issuer = provider.issuer.flatMap(URL.init(string:)) else {
                throw .invalidSetting("upstreams", "an issuer for '\(provider.name)'")
            }
            configuration = OAuthConfiguration(issuer: issuer, clientID: id, secret: secret)
            configuration.scopes = openID
        case .microsoft:
            configuration = .microsoft(clientID: id, tenant: provider.tenant ?? "common", secret: secret)
            configuration.scopes = openID
        case .google: configuration = .google(clientID: id, secret: secret)
        case .apple:
            configuration = .apple(
                clientID: id, teamID: provider.teamID ?? "", key: try key(of: provider, secret: secret))
        case .github: configuration = .github(clientID: id, secret: secret)
        case .facebook: configuration = .facebook(clientID: id, secret: secret)
        }
        if let scopes = provider.scopes { configuration.scopes = scopes }
        return configuration
    }

    /// The scopes of a sign-in that needs no refresh token.
    private static let openID: Scopes = ["openid", "profile", "email"]

    /// Returns Apple's private key, from PEM or from its content in base 64.
    private static func key(of provider: UpstreamProvider, secret: String) throws(IdentityError) -> Key {
        let label = "PRIVATE KEY"
        let isPEM = secret.utf8.starts(with: "-----".utf8)
        let pem = isPEM ? secret : "-----BEGIN \(label)-----\n\(secret)\n-----END \(label)-----\n"
        do { return try Key(pem: pem, algorithm: .es256, id: provider.keyID) } catch {
            throw .invalidSetting("upstreams", "a key of Sign in with Apple as the secret of '\(provider.name)'")
        }
    }
}

/// A handler that keeps requests to an identity provider away from this machine and from addresses in its network.
///
/// Metadata names URLs that this server then requests (SSRF). Plain http, loopback, IP addresses and names without a
/// dot are refused, unless they have the origin of the configured issuer. A name that resolves to an internal address
/// is permitted, since providers of an organization have such names.
struct UpstreamTransport: Handler {
    private let issuer: HTTPOrigin?
    private let transport: any Handler

    init(issuer: URL, transport: any Handler) {
        self.issuer = HTTPOrigin(issuer)
        self.transport = transport
    }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard isAllowed(request.origin) else { throw IdentityError.upstreamMisconfigured }
        return try await transport.respond(to: request)
    }

    private func isAllowed(_ origin: HTTPOrigin) -> Bool {
        if origin == issuer { return true }
        guard origin.scheme == "https", !origin.isLoopback else { return false }
        let host = origin.host
        guard host.utf8.first != UInt8(ascii: "["), IPAddress(host) == nil,
            host.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") })
        else { return false }
        // A name without a dot belongs to the local network. A dot at the end changes nothing about `localhost`.
        let parts = host.utf8.split(separator: UInt8(ascii: "."))
        guard parts.count > 1, let last = parts.last, !last.elementsEqual("localhost".utf8) else { return false }
        // WHATWG URL §3.5: if the last part has only digits, the host is an IPv4 address in another notation.
        return !last.allSatisfy { (0x30...0x39).contains($0) } && !last.starts(with: "0x".utf8)
    }
}
