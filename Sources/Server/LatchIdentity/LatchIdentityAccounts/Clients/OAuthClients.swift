// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
package import LatchFoundation
package import LatchIdentityStorage
package import LatchJOSE

/// A client with what the server compares and verifies for it.
package struct VerifiableClient: Sendable {
    package let client: OAuthClient
    /// The client's public keys.
    package let keys: KeySet
    /// The SHA-256 digests of the secrets that are valid.
    package let secretDigests: [[UInt8]]
    /// The time at which the client ends unless a user signs in with it; nil for never.
    package let end: Date?

    /// Checks a registration.
    ///
    /// - Throws: `IdentityError.unusableSetting` if the client could not be used as it is registered, or has something
    ///   that only a secret protects without having one.
    package init(
        _ client: OAuthClient, secretDigests: [[UInt8]] = [], end: Date? = nil
    ) throws(IdentityError) {
        let client = client.profiled
        // RFC 6749 §3.1.2.2: a code is sent only to a registered URL.
        guard !client.grants.contains(.authorizationCode) || !client.redirectURIs.isEmpty else {
            throw .unusableSetting(
                "clients", "the client '\(client.id)' needs a URL in 'redirects' for the grant authorization_code")
        }
        if !client.isConfidential { try client.requireNothingSecret() }
        let notified = [client.backchannelLogoutURI, client.frontchannelLogoutURI].compactMap(\.self)
        guard notified.allSatisfy(AppRedirect.takesForms) else {
            throw .invalidSetting("clients", "clients with a logout URI such as https://app.example.com/logout")
        }
        try client.requireOwnFrame()
        let urls = client.redirectURIs + client.postLogoutRedirectURIs + notified
        guard urls.allSatisfy(AppRedirect.isValid) else {
            throw .invalidSetting("clients", "clients with redirects such as https://app.example.com/callback")
        }
        self.client = client
        keys = try client.checkedKeys()
        self.secretDigests = secretDigests
        self.end = end
    }

    /// The maximum number of secrets that a client has at a time: the one before, and the one after a change.
    private static let maximumSecrets = 2

    /// Returns the digests of a client's secrets, in hexadecimal with `+` between them; nil if they are malformed.
    static func secretDigests(in text: String) -> [[UInt8]]? {
        let words = text.utf8.split(separator: UInt8(ascii: "+"), omittingEmptySubsequences: false)
        let digests = words.compactMap { Hex.decode(String(Substring($0)), count: 32) }
        return digests.count == words.count && words.count <= maximumSecrets ? digests : nil
    }

    /// Returns whether one of the readings of a secret is a secret of the client.
    func isAuthentic(_ readings: Set<String>) -> Bool {
        // SHA-256 without a salt is enough for a secret of 256 random bits.
        readings.contains { reading in
            let digest = reading.digest
            return secretDigests.contains { constantTimeEquals(digest, $0) }
        }
    }
}

/// The clients of a server: those of its configuration, and those of its store.
package struct OAuthClients: Sendable {
    /// The server's own client, used for requests without a `client_id`.
    package let firstParty: OAuthClient
    private let configured: [String: VerifiableClient]
    private let stored: StoredClients?
    private let documents: ClientDocuments?
    /// The methods with which clients may authenticate with a certificate; empty if none are taken.
    private let certificateMethods: Set<OAuthClient.AuthenticationMethod>
    private let accessTokenAlgorithm: SignatureAlgorithm
    private let ways: SignInWayRule
    /// The origins of the configured clients' pages.
    private let origins: Set<String>
    /// The clients by the origins of the applications behind a proxy that they stand for.
    private let protected: [String: OAuthClient]

    /// Creates the registry.
    ///
    /// - Parameters:
    ///   - stored: The clients of the store; nil for those of the configuration only.
    ///   - documents: The clients whose ID is the URL of a document; nil if the server takes none.
    /// - Throws: `IdentityError.invalidSetting` if a client is registered twice, if a confidential client has no
    ///   secret, or if a secret belongs to no confidential client. `.unusableSetting` if a client has a grant that it
    ///   cannot use, or a public one leaves out PKCE.
    package init(
        _ configuration: IdentityConfiguration, stored: StoredClients? = nil, documents: ClientDocuments? = nil
    ) throws(IdentityError) {
        firstParty = OAuthClient(
            id: OAuthClient.firstPartyID, grants: configuration.firstPartyGrants,
            scopes: configuration.firstPartyScopes)
        guard configuration.firstPartyGrants.isDisjoint(with: [.clientCredentials, .jwtBearer, .tokenExchange]) else {
            throw .unusableSetting(
                "first_party_grants",
                "client_credentials, jwt-bearer and token-exchange need a client that authenticates")
        }
        let digests = configuration.clientSecretDigests.compactMapValues { VerifiableClient.secretDigests(in: $0) }
        var clients: [String: VerifiableClient] = [:]
        for client in configuration.clients {
            guard OAuthClient.isID(client.id), client.id != firstParty.id, clients[client.id] == nil else {
                throw .invalidSetting("clients", "a list of clients with different ids, none of them \(firstParty.id)")
            }
            clients[client.id] = try VerifiableClient(
                client, secretDigests: digests[client.id] ?? [])
        }
        let withSecret = Set(clients.values.filter(\.client.hasSecret).map(\.client.id))
        guard withSecret == Set(digests.keys), digests.count == configuration.clientSecretDigests.count else {
            throw .invalidSetting(
                "client_secrets",
                "one ID=SHA256, or ID=SHA256+SHA256, for each client that authenticates with a secret, and for no other"
            )
        }
        if clients[OAuthClient.command.id] == nil {
            clients[OAuthClient.command.id] = try VerifiableClient(.command)
        }
        configured = clients
        (certificateMethods, accessTokenAlgorithm) = (
            configuration.certificateMethods, configuration.accessTokenAlgorithm
        )
        ways = SignInWayRule(configuration)
        self.stored = stored
        self.documents = documents
        origins = clients.values.reduce(into: []) { $0.formUnion($1.client.pageOrigins) }
        protected = try Self.protecting(clients.values.map(\.client))
        for id in clients.keys.sorted() { if let client = clients[id]?.client { try check(client) } }
    }

    /// Requires that a client can show the certificate that it needs.
    ///
    /// Its access tokens must have an algorithm of its profile (FAPI 2.0 Security Profile §5.4.1).
    package func check(_ client: OAuthClient) throws(IdentityError) {
        guard client.securityProfile == nil || accessTokenAlgorithm != .rs256 else {
            throw .unusableSetting(
                "access_token_algorithm",
                "the client '\(client.id)' has a 'security_profile', which permits no access tokens with RS256")
        }
        guard client.signInWays?.isDisjoint(with: ways.permitted) != true else {
            throw .unusableSetting(
                "clients", "the client '\(client.id)' has only 'sign_in_ways' that the server has turned off")
        }
        guard !certificateMethods.isEmpty || !client.needsCertificate else {
            throw .unusableSetting(
                "clients", "the client '\(client.id)' needs a certificate, which 'client_certificates' does not ask for"
            )
        }
        guard !client.permits(.tlsClientAuth) || certificateMethods.contains(.tlsClientAuth) else {
            throw .unusableSetting(
                "clients",
                "the client '\(client.id)' needs a certificate of an authority, and 'client_authorities_file' names none"
            )
        }
    }

    /// Returns the algorithms of ID tokens that the configured clients use, or that clients may choose.
    package func idTokenAlgorithms(of configuration: IdentityConfiguration) -> [SignatureAlgorithm] {
        // A client that registers itself may sign users in at another node at once.
        guard configuration.registration == .off, !configuration.takesClientDocuments else {
            return SignatureAlgorithm.ofSigningKeys
        }
        let used = configured.values.reduce(into: Set<SignatureAlgorithm>()) { $0.formUnion($1.client.signers) }
        return SignatureAlgorithm.ofSigningKeys.filter(used.contains)
    }

    /// Returns whether the server itself registered the command, instead of the configuration.
    package var hasOwnCommand: Bool { configured[OAuthClient.command.id]?.client == .command }

    /// Whether a client may be told of the end of its sessions.
    var mayHaveLogoutURIs: Bool {
        stored != nil || configured.values.contains { $0.client.backchannelLogoutURI != nil }
    }

    /// Returns whether pages of an origin may call the endpoints of a configured client.
    package func allows(origin: String) -> Bool { origins.contains(origin) }

    /// Whether a sign-out may load a page of a client.
    package var mayHaveFrames: Bool {
        stored != nil || configured.values.contains { $0.client.frontchannelLogoutURI != nil }
    }

    /// Whether a client stands for an application behind a proxy.
    package var protectApplications: Bool { !protected.isEmpty }

    /// Returns the client that stands for the application at an origin; nil if none does.
    package func client(protecting origin: String) -> OAuthClient? { protected[origin] }

    /// Returns whether the configuration has a client, which then hides one of the store.
    package func isConfigured(_ id: String) -> Bool { id == firstParty.id || configured[id] != nil }

    /// Returns the client with an id, or the server's own for nil; nil if the client is not, or not any longer,
    /// registered.
    package func client(_ id: String?) async throws(IdentityError) -> OAuthClient? {
        guard let id, id != firstParty.id else { return firstParty }
        return try await registration(of: id)?.client
    }

    /// Returns a client with its keys and secrets; nil if it is not, or not any longer, registered.
    ///
    /// - Throws: `IdentityError.unusableDocument`, or a store's error.
    package func registration(of id: String) async throws(IdentityError) -> VerifiableClient? {
        if let client = configured[id] { return client }
        guard ClientDocuments.isID(id) else { return try await stored?.client(id) }
        guard let client = try await documents?.client(id) else { return nil }
        do throws(IdentityError) { return try VerifiableClient(client) } catch {
            throw .unusableDocument("it could not be used as it describes itself")
        }
    }

    /// Notes that a user has signed in with a client.
    func noteUse(of client: OAuthClient) async throws(IdentityError) {
        if client.registersItself, client.registeredAt != nil { try await stored?.noteUse(of: client.id) }
    }

    /// Returns the client if it is public.
    package func publicClient(id: String?) async throws(IdentityError) -> OAuthClient? {
        try await client(id).flatMap { $0.permits(.none) ? $0 : nil }
    }

    /// Returns the client if it authenticates with a secret by a method.
    ///
    /// - Parameter secrets: The secret in each of its readings. One of them must match.
    /// - Returns: Nil for an unknown client, a wrong secret, and a client without a secret that sends one (attack J4).
    package func authenticated(
        id: String?, secrets: Set<String>, by method: OAuthClient.AuthenticationMethod
    ) async throws(IdentityError) -> OAuthClient? {
        guard let id, let found = try await registration(of: id), found.client.permits(method),
            found.isAuthentic(secrets)
        else { return nil }
        return found.client
    }
}

extension OAuthClient {
    /// Requires that the page that a sign-out loads is one of the client's own (Front-Channel Logout §2).
    fileprivate func requireOwnFrame() throws(IdentityError) {
        guard let uri = frontchannelLogoutURI else { return }
        let origin = PublicURL.origin(of: uri)
        guard redirectURIs.contains(where: { PublicURL.origin(of: $0) == origin }) else {
            throw .unusableSetting(
                "clients",
                "the client '\(id)' has a 'frontchannel_logout_uri' of another origin than its 'redirects'")
        }
    }

    /// Requires that a public client has nothing that only a secret protects.
    fileprivate func requireNothingSecret() throws(IdentityError) {
        let problem: String? =
            if grants.contains(.tokenExchange) {
                // Everybody could exchange a stolen token for one of another audience.
                "so it cannot have the grant \(OAuthClient.GrantType.tokenExchange.rawValue)"
            } else if actsForItself {
                // RFC 6749 §4.4: without a proof, everybody would be this client.
                "so it cannot have the grants client_credentials and jwt-bearer"
            } else if !requiresPKCE {
                // RFC 9700 §2.1.1: it cannot protect its code in another way.
                "so 'require_pkce' cannot be false for it"
            } else if !serves.isEmpty {
                // RFC 7662 §2.1, as for all tokens below.
                "so it cannot have 'serves'"
            } else if introspectsAllTokens {
                // RFC 7662 §2.1: without a secret, every caller could examine stolen tokens.
                "so it cannot have 'introspect_all'"
            } else {
                nil
            }
        if let problem { throw .unusableSetting("clients", "the client '\(id)' is public, \(problem)") }
    }
}
