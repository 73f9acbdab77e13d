// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchCore
package import LatchFoundation
public import LatchIdentityStorage
public import LatchJOSE

/// A registered OAuth client (RFC 6749 §2), with the grants and scopes that it may use.
///
/// In a configuration file it is a table. In the environment it is one word with parts that are separated by semicolons:
///
/// ```
/// [[clients]]
/// id = "reports"
/// confidential = true
/// grants = ["password", "refresh_token"]
/// scopes = ["widgets:read", "files:read"]
///
/// reports;confidential;grants=password,refresh_token;scopes=widgets:read,files:read
/// ```
///
/// Without `confidential`, a client is public, and without `grants`, it has only the grant `refresh_token`. A client
/// without `scopes` may request every scope of the server, and the rights of the account limit its tokens. A client that
/// signs users in on the server's pages has `redirects`. A client of the operator is
/// `trusted`, and its users are not asked for their consent:
///
/// ```
/// notes;grants=authorization_code,refresh_token;redirects=https://notes.example.com/callback,notes://callback
/// ```
///
/// A confidential client whose library sends no code challenge has `require_pkce = false`.
public struct OAuthClient: Sendable, Hashable {
    /// A grant type that the server supports.
    public struct GrantType: RawRepresentable, Sendable, Hashable {
        /// The value of `grant_type`.
        public let rawValue: String

        /// Creates a supported grant type; nil if no handler supports it.
        public init?(rawValue: String) {
            guard Self.supported.contains(GrantType(rawValue)) else { return nil }
            self.rawValue = rawValue
        }

        /// Creates the grant type of a handler.
        package init(_ rawValue: String) { self.rawValue = rawValue }
    }

    /// A method of client authentication, by its registered name (OpenID Connect Core §9).
    public enum AuthenticationMethod: String, Sendable, Hashable, CaseIterable {
        /// A public client has none.
        case none
        /// The secret in the `Authorization` field (RFC 6749 §2.3.1).
        case secretBasic = "client_secret_basic"
        /// The secret in the form (RFC 6749 §2.3.1).
        case secretPost = "client_secret_post"
        /// An assertion that one of the client's keys signs (RFC 7523 §2.2).
        case privateKeyJWT = "private_key_jwt"
        /// A certificate of an authority, with the client's ``OAuthClient/certificateName`` (RFC 8705 §2.1).
        case tlsClientAuth = "tls_client_auth"
        /// A certificate with one of the client's keys (RFC 8705 §2.2).
        case selfSignedTLSClientAuth = "self_signed_tls_client_auth"
    }

    /// A set of rules for high security, which implies members of a client.
    public enum SecurityProfile: String, Sendable, Hashable, CaseIterable {
        /// FAPI 2.0 Security Profile, with `private_key_jwt` or a certificate.
        ///
        /// It requires pushed requests, PKCE and bound tokens: to a key, or to a certificate if the client is registered
        /// for that. It permits only PS256, ES256 and EdDSA. It takes assertions for the issuer only.
        case fapi2
        /// FAPI 2.0 Message Signing, which also requires signed request objects.
        case fapi2MessageSigning = "fapi2_message_signing"
    }

    /// A rule for the nonces of the server in the proofs of a client (RFC 9449 §8).
    public enum ProofNonces: String, Sendable, Hashable, CaseIterable {
        /// A proof without a recent nonce is refused.
        case required
        /// A proof is accepted without one.
        case optional
    }

    /// The kind of a client, which decides on its redirects (OpenID Connect Registration §2).
    public enum ApplicationType: String, Sendable, Hashable, CaseIterable {
        /// An app on the web, whose redirects are https.
        case web
        /// An app on a device, whose redirects may also have a custom scheme, or be http on that device (RFC 8252 §7).
        case native
    }

    /// The `client_id`.
    public let id: String
    /// Whether the client authenticates (RFC 6749 §2.1).
    public var isConfidential: Bool
    /// The method with which the client authenticates; nil for either method of a secret, or none for a public client.
    public var authenticationMethod: AuthenticationMethod?
    /// The name in the client's certificate, for `tls_client_auth`.
    public var certificateName: CertificateName?
    /// Whether each request for tokens needs a certificate, which the tokens are bound to (RFC 8705 §3.4).
    public var bindsTokensToCertificate = false
    /// The algorithm of the client's assertions; nil for each that its keys have.
    public var assertionAlgorithm: SignatureAlgorithm?
    /// The URL that is told when a session of the client has ended (OpenID Connect Back-Channel Logout §2.2).
    public var backchannelLogoutURI: String?
    /// The URL that a sign-out loads in the user's browser (OpenID Connect Front-Channel Logout §2).
    public var frontchannelLogoutURI: String?
    /// Whether the client needs the issuer and the session ID at that URL, which always has both.
    public var requiresFrontchannelSession: Bool
    /// The applications behind a proxy that the client stands for.
    public var forwardAuth: ForwardAuth
    /// The client's public keys, as a JSON Web Key Set (RFC 7517 §5).
    public var jwks: JSONValue?
    /// The URL of the client's public keys, in place of ``jwks`` (OpenID Connect Registration §2).
    public var jwksURI: String?
    /// The profile that the client obeys; nil for none.
    public var securityProfile: SecurityProfile?
    /// The grants that the client may use.
    public var grants: Set<GrantType>
    /// The scopes that the client's tokens may have; nil for every scope of the server.
    public var scopes: Scopes?
    /// The resource servers that the client may name, by their URLs; nil for all of them.
    public var resources: [String]?
    /// The resource servers that the client is, whose access tokens it may exchange (RFC 8693), by their URLs.
    public var serves: [String]
    /// The types of `authorization_details` that the client may request of a user (RFC 9396); none by default.
    public var authorizationDetailsTypes: [String] = []
    /// The URLs that the browser may return to after a sign-in on the server's pages, compared exactly.
    ///
    /// A loopback URL without a port accepts every port (RFC 8252 §7.3).
    public var redirectURIs: [String]
    /// The URLs that the browser may return to after a sign-out, compared exactly.
    public var postLogoutRedirectURIs: [String]
    /// Whether the operator owns the client, so that its users are not asked for their consent.
    public var isTrusted: Bool
    /// Whether each authorization request needs a code challenge (RFC 7636), as each one of a public client must have.
    public var requiresPKCE: Bool
    /// Whether each authorization request must be pushed (RFC 9126 §6).
    public var requiresPushedRequests: Bool
    /// Whether each authorization request must be a signed request object with a bounded life (RFC 9101 §10.5).
    public var requiresRequestObjects: Bool
    /// The algorithm of the client's request objects; nil for each that its keys have.
    public var requestObjectAlgorithm: SignatureAlgorithm?
    /// Whether each request for tokens needs the proof of a key, which the tokens are bound to (RFC 9449 §5.2).
    public var requiresProofs: Bool
    /// Whether the proofs need a nonce of the server (RFC 9449 §8); nil for the rule of the server.
    ///
    /// Without a word of the operator, the clients of a ``securityProfile`` need one, and public clients with pages.
    public var proofNonces: ProofNonces?
    /// Whether each authorization request needs a nonce (OpenID Connect Core §3.1.2.1).
    public var requiresNonce: Bool
    /// Whether the users of the client must sign in with a second factor, or with a passkey.
    public var requiresFactor = false
    /// The ways in which the users of the client must sign in; nil for all that the server permits.
    public var signInWays: Set<SignInWay>?
    /// The algorithm of the client's ID tokens: RS256, ES256 or EdDSA (OpenID Connect Registration §2).
    public var idTokenAlgorithm: SignatureAlgorithm
    /// The algorithm of signed responses of the userinfo endpoint (OpenID Connect Core §5.3.2); nil for JSON.
    public var userInfoAlgorithm: SignatureAlgorithm?
    /// The algorithm of signed authorization responses (JARM §3); nil for that of ID tokens, and for RS256 if the client
    /// has registered itself.
    public var responseAlgorithm: SignatureAlgorithm?
    /// The algorithm of signed introspection responses (RFC 9701 §6); nil for that of access tokens.
    public var introspectionAlgorithm: SignatureAlgorithm?
    /// Whether the client's ID tokens also have what its scopes say about the user.
    ///
    /// Otherwise it is only at the userinfo endpoint (OpenID Connect Core §5.4).
    public var idTokenHasClaims: Bool
    /// The names of the claims with the roles of the user, in ID tokens and userinfo; nil for none.
    public var rolesClaim, groupsClaim: String?
    /// The origins whose pages may call the server for this client, such as `https://app.example.com`.
    ///
    /// Nil for those of the redirects of a public client, and for none if it is confidential.
    public var allowedOrigins: [String]?
    /// Whether a confidential client may introspect the access tokens of all clients (RFC 7662), and not only its own.
    ///
    /// A client without a grant, as an API has none, may do so in any case.
    public var introspectsAllTokens: Bool
    /// The kind of the client; nil for a client that does not say.
    public var applicationType: ApplicationType?
    /// The `max_age` in seconds of an authorization request without one (OpenID Connect Registration §2); nil for none.
    public var defaultMaximumAge: Int?
    /// The lifetimes in seconds of the client's access tokens and sessions, where they are shorter than the server's.
    public var accessTokenLifetime, sessionLifetime: Int?
    /// Whether the client gets an address that was never verified, with `email_verified` false.
    ///
    /// Only for a client that looks at `email_verified` before it finds an account by the address.
    public var receivesUnverifiedEmail = false
    /// What the client says about itself to people.
    public var presentation = ClientPresentation()
    /// Whether the client has registered itself, so that no operator vouches for what it says.
    package var registersItself = false
    /// The time since which the store has the client; nil for a client of the configuration.
    package var registeredAt: Date?

    /// Creates a registration.
    public init(
        id: String, isConfidential: Bool = false, grants: Set<GrantType> = [.refreshToken], scopes: Scopes? = nil,
        redirectURIs: [String] = [], postLogoutRedirectURIs: [String] = [], isTrusted: Bool = false,
        requiresPKCE: Bool = true, requiresNonce: Bool = false, idTokenAlgorithm: SignatureAlgorithm = .rs256,
        idTokenHasClaims: Bool = false, rolesClaim: String? = nil, groupsClaim: String? = nil,
        allowedOrigins: [String]? = nil,
        introspectsAllTokens: Bool = false, requiresPushedRequests: Bool = false, requiresProofs: Bool = false,
        requiresRequestObjects: Bool = false, requestObjectAlgorithm: SignatureAlgorithm? = nil,
        authenticationMethod: AuthenticationMethod? = nil,
        assertionAlgorithm: SignatureAlgorithm? = nil, jwks: JSONValue? = nil, backchannelLogoutURI: String? = nil,
        securityProfile: SecurityProfile? = nil, resources: [String]? = nil, serves: [String] = [],
        forwardAuth: ForwardAuth = ForwardAuth(), frontchannelLogoutURI: String? = nil,
        requiresFrontchannelSession: Bool = false
    ) {
        self.id = id
        self.isConfidential = isConfidential
        self.grants = grants
        self.scopes = scopes
        self.redirectURIs = redirectURIs
        self.postLogoutRedirectURIs = postLogoutRedirectURIs
        self.isTrusted = isTrusted
        self.requiresPKCE = requiresPKCE
        self.requiresNonce = requiresNonce
        self.idTokenAlgorithm = idTokenAlgorithm
        self.idTokenHasClaims = idTokenHasClaims
        self.rolesClaim = rolesClaim
        self.groupsClaim = groupsClaim
        self.allowedOrigins = allowedOrigins
        self.introspectsAllTokens = introspectsAllTokens
        self.requiresPushedRequests = requiresPushedRequests
        self.requiresProofs = requiresProofs
        self.requiresRequestObjects = requiresRequestObjects
        self.requestObjectAlgorithm = requestObjectAlgorithm
        self.authenticationMethod = authenticationMethod
        self.assertionAlgorithm = assertionAlgorithm
        self.jwks = jwks
        self.securityProfile = securityProfile
        self.resources = resources
        self.serves = serves
        self.backchannelLogoutURI = backchannelLogoutURI
        self.forwardAuth = forwardAuth
        self.frontchannelLogoutURI = frontchannelLogoutURI
        self.requiresFrontchannelSession = requiresFrontchannelSession
    }
}

extension OAuthClient {
    /// The reserved `client_id` of the server's own client, used for requests without one.
    public static let firstPartyID = "first-party"

    /// The command `latch`, which is registered unless the configuration has a client with this id.
    ///
    /// Any program can impersonate a public client (RFC 8252 §8.6), so its users always see the consent page.
    package static let command = OAuthClient(
        id: "latch", grants: [.authorizationCode, .deviceCode, .refreshToken],
        redirectURIs: ["http://127.0.0.1/callback", "http://[::1]/callback"], isTrusted: true, idTokenAlgorithm: .es256,
        idTokenHasClaims: true)

    /// Whether the client belongs to the operator, so that its tokens are valid at the operator's API.
    ///
    /// A client with the password grant sees its users' passwords, so operators do not give it to third-party clients.
    package var belongsToOperator: Bool {
        guard !registersItself else { return false }
        return id == Self.firstPartyID || isTrusted || grants.contains(.password)
            // A client that exchanges tokens acts for users of other clients.
            || !signsUsersIn && !grants.contains(.tokenExchange)
    }

    /// Returns whether a session is of this client, and not of an earlier one that had the ID.
    func owns(sessionOf date: Date) -> Bool { registeredAt.map { date >= $0 } ?? true }

    /// Returns whether a token without a session is of this client, and not of an earlier one that had the ID.
    func owns(tokenOf claims: AccessTokenIssuer.VerifiedClaims) -> Bool {
        guard let registeredAt else { return true }
        // Tokens have whole seconds.
        return (claims.registered.issuedAt ?? 0) >= registeredAt.timeIntervalSince1970.rounded(.down)
    }

    /// The origins whose pages may call the server, in the spelling of browsers (RFC 6454 §6.2).
    package var pageOrigins: Set<String> {
        if let allowedOrigins { return Set(allowedOrigins.compactMap(PublicURL.origin)) }
        // The pages of a confidential client have no secret to call the server with. Any program of a user's machine can
        // open a port without a certificate, so a page there has to be named.
        return isConfidential ? [] : Set(redirectURIs.filter(AppRedirect.isSecure).compactMap(PublicURL.origin))
    }

    /// Whether each proof of the client needs a nonce of the server.
    package var needsProofNonces: Bool {
        // A script in a page can sign proofs in advance (RFC 9449 §11.2). FAPI 2.0 §5.3.3.1 has its clients know nonces.
        proofNonces.map { $0 == .required } ?? (securityProfile != nil || !isConfidential && !pageOrigins.isEmpty)
    }

    /// Whether the client is a resource server that may introspect the access tokens of all clients.
    package var isResourceServer: Bool {
        isConfidential && !registersItself && (introspectsAllTokens || grants.isEmpty || !serves.isEmpty)
    }

    /// Returns whether a text is a valid `client_id`.
    ///
    /// RFC 6749 appendix A.1 allows every visible character. The ones allowed here need no escape in a form, a field or
    /// a word.
    static func isID(_ text: String) -> Bool { text.isWord(maximum: 100, also: "-._") }
}
