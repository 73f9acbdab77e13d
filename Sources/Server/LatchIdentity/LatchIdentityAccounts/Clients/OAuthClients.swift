// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
package import LatchIdentityStorage
package import LatchJOSE

/// The registered clients of a configuration, and the digests of their secrets.
package struct OAuthClients: Sendable {
    /// The server's own client, used for requests without a `client_id`.
    package let firstParty: OAuthClient
    private let clients: [String: OAuthClient]
    /// The public keys of clients that have any, and of those that authenticate with one.
    package let keys: [String: KeySet]
    /// The SHA-256 digests of the secrets of clients that have one.
    private let digests: [String: [UInt8]]
    /// The origins of the clients' pages.
    private let origins: Set<String>

    /// Creates the registry.
    ///
    /// - Throws: `IdentityError.invalidSetting` if a client is registered twice, if a confidential client has no
    ///   secret, or if a secret belongs to no confidential client. `.unusableSetting` if a client has a grant that it
    ///   cannot use, or a public one leaves out PKCE.
    package init(_ configuration: IdentityConfiguration) throws(IdentityError) {
        firstParty = OAuthClient(
            id: OAuthClient.firstPartyID, grants: configuration.firstPartyGrants,
            scopes: configuration.firstPartyScopes)
        let registered = configuration.clients.map(\.profiled)
        var clients: [String: OAuthClient] = [:]
        for client in registered {
            guard OAuthClient.isID(client.id), client.id != firstParty.id,
                clients.updateValue(client, forKey: client.id) == nil
            else {
                throw .invalidSetting("clients", "a list of clients with different ids, none of them \(firstParty.id)")
            }
        }
        // RFC 6749 §3.1.2.2: a code is sent only to a registered URL.
        for client in registered
        where client.grants.contains(.authorizationCode) && client.redirectURIs.isEmpty {
            throw .unusableSetting(
                "clients", "the client '\(client.id)' needs a URL in 'redirects' for the grant authorization_code")
        }
        guard configuration.firstPartyGrants.isDisjoint(with: [.clientCredentials, .jwtBearer, .tokenExchange]) else {
            throw .unusableSetting(
                "first_party_grants",
                "client_credentials, jwt-bearer and token-exchange need a client that authenticates")
        }
        for client in registered where !client.isConfidential { try Self.requireNoSecret(client) }
        let notified = clients.values.compactMap(\.backchannelLogoutURI)
        let urls = clients.values.flatMap { $0.redirectURIs + $0.postLogoutRedirectURIs } + notified
        guard notified.allSatisfy(AppRedirect.takesForms) else {
            throw .invalidSetting(
                "clients", "clients with a backchannel_logout_uri such as https://app.example.com/logout")
        }
        guard urls.allSatisfy(AppRedirect.isValid) else {
            throw .invalidSetting("clients", "clients with redirects such as https://app.example.com/callback")
        }
        var keys: [String: KeySet] = [:]
        for client in registered {
            let set = try client.checkedKeys()
            if !set.keys.isEmpty { keys[client.id] = set }
        }
        self.keys = keys
        digests = configuration.clientSecretDigests.compactMapValues { Hex.decode($0, count: 32) }
        let withSecret = Set(clients.values.filter(\.hasSecret).map(\.id))
        guard withSecret == Set(digests.keys), digests.count == configuration.clientSecretDigests.count else {
            throw .invalidSetting(
                "client_secrets", "one ID=SHA256 for each client that authenticates with a secret, and for no other")
        }
        if clients[OAuthClient.command.id] == nil { clients[OAuthClient.command.id] = .command }
        self.clients = clients
        origins = clients.values.reduce(into: []) { $0.formUnion($1.pageOrigins) }
    }

    /// Requires that a public client has nothing that only a secret protects.
    private static func requireNoSecret(_ client: OAuthClient) throws(IdentityError) {
        let problem: String? =
            if client.grants.contains(.tokenExchange) {
                // Everybody could exchange a stolen token for one of another audience.
                "so it cannot have the grant \(OAuthClient.GrantType.tokenExchange.rawValue)"
            } else if client.actsForItself {
                // RFC 6749 §4.4: without a proof, everybody would be this client.
                "so it cannot have the grants client_credentials and jwt-bearer"
            } else if !client.requiresPKCE {
                // RFC 9700 §2.1.1: it cannot protect its code in another way.
                "so 'require_pkce' cannot be false for it"
            } else if !client.serves.isEmpty {
                // RFC 7662 §2.1, as for all tokens below.
                "so it cannot have 'serves'"
            } else if client.introspectsAllTokens {
                // RFC 7662 §2.1: without a secret, every caller could examine stolen tokens.
                "so it cannot have 'introspect_all'"
            } else {
                nil
            }
        if let problem { throw .unusableSetting("clients", "the client '\(client.id)' is public, \(problem)") }
    }

    /// The algorithms of ID tokens that the clients use.
    package var idTokenAlgorithms: [SignatureAlgorithm] {
        let used = Set(clients.values.filter(\.signsUsersIn).map(\.idTokenAlgorithm))
        return SignatureAlgorithm.ofSigningKeys.filter(used.contains)
    }

    /// Returns whether the server itself registered the command, instead of the configuration.
    package var hasOwnCommand: Bool { clients[OAuthClient.command.id] == .command }

    /// Whether a client is told of the end of its sessions.
    var haveLogoutURIs: Bool { clients.values.contains { $0.backchannelLogoutURI != nil } }

    /// Returns whether pages of an origin may call the endpoints of a client.
    package func allows(origin: String) -> Bool { origins.contains(origin) }

    /// Returns the client with an id, or the server's own for nil; nil if the client is not, or not any longer,
    /// registered.
    package subscript(id: String?) -> OAuthClient? {
        guard let id, id != firstParty.id else { return firstParty }
        return clients[id]
    }

    /// Returns the client if it is public.
    package func publicClient(id: String?) -> OAuthClient? { self[id].flatMap { $0.permits(.none) ? $0 : nil } }

    /// Returns the client if it authenticates with a secret by a method.
    ///
    /// - Parameter secrets: The secret in each of its readings. One of them must match.
    /// - Returns: Nil for an unknown client, a wrong secret, and a client without a secret that sends one (attack J4).
    package func authenticated(
        id: String?, secrets: Set<String>, by method: OAuthClient.AuthenticationMethod
    ) -> OAuthClient? {
        guard let client = self[id], client.permits(method), let expected = digests[client.id] else { return nil }
        // SHA-256 without a salt is enough for a secret of 256 random bits.
        return secrets.contains { constantTimeEquals($0.digest, expected) } ? client : nil
    }
}
