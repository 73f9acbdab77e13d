// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
public import LatchFoundation
public import LatchJOSE

/// An authorization server, and the registration of this program at it.
///
/// ```swift
/// OAuthConfiguration(issuer: URL(string: "https://id.example.com")!, clientID: "notes")   // found by its issuer
/// OAuthConfiguration.google(clientID: "…")                                                // one of the known ones
/// OAuthConfiguration(server: server, registration: registration)                          // described by hand
/// ```
public struct OAuthConfiguration: Sendable {
    /// The issuer identifier (RFC 8414 §2), at which the server's metadata is found.
    public let issuer: URL
    /// The server if it was described by hand; nil if its metadata is fetched.
    public let server: AuthorizationServer?
    /// The registration of this program.
    public var registration: ClientRegistration
    /// The scopes that a sign-in requests.
    ///
    /// By default these are `Scopes.signIn` without those that the server's metadata does not list.
    public var scopes: Scopes { didSet { hasChosenScopes = true } }
    /// Whether the program has chosen the scopes, which are then requested unchanged.
    private(set) var hasChosenScopes: Bool
    /// The resources that tokens are requested for if the request names none (RFC 8707 §2).
    ///
    /// They apply to sign-ins on a page or another device, and to client credentials.
    ///
    /// Auth0 and Microsoft Entra accept one resource, which is sent as `audience` or as the prefix of scopes.
    public var resources: [String] = []
    /// The URL that the server redirects to; nil for that of the browser, such as the address of a loopback listener.
    public var redirectURI: URL?
    /// The keys, one of which must have signed the server's metadata (RFC 8414 §2.1).
    ///
    /// Signed members then replace those that are not signed, and metadata without them is refused. Nil ignores them:
    /// the metadata is trusted because it comes from the issuer's origin.
    public var metadataKeys: KeySet?
    /// The algorithms of the server's ID tokens; nil for the asymmetric algorithms in its metadata, or RS256 without
    /// any.
    public var idTokenAlgorithms: [SignatureAlgorithm]?
    /// The keys for which the server encrypts ID tokens.
    ///
    /// If there are any, unencrypted ID tokens are refused (OpenID Connect Core §3.1.3.7, rule 1).
    public var decryptionKeys: [EncryptionKey] = []
    /// Whether authorization requests are sent to the server in advance, so that the browser does not carry their
    /// parameters (RFC 9126).
    ///
    /// If the server requires it, they always are.
    public var pushesRequests = false
    /// Whether authorization requests are signed with the registration's key (RFC 9101).
    ///
    /// If the server requires it, they always are.
    public var signsRequests = false
    /// The publisher of request objects; nil if the server does not fetch them from this program.
    ///
    /// With one, authorization requests are signed and published, unless they are sent to the server in advance.
    public var requestPublisher: RequestPublisher?
    /// The way in which the server returns its responses, unless a request names another; nil for the query.
    public var responseMode: ResponseMode?
    /// The deviations of the server from the specifications.
    var quirks = ServerQuirks()

    /// Creates the configuration of a server that publishes its metadata.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier, without `/.well-known/…`.
    ///   - registration: The registration of this program.
    ///   - scopes: The scopes that a sign-in requests; nil for those of `Scopes.signIn` that the server knows.
    public init(issuer: URL, registration: ClientRegistration, scopes: Scopes? = nil) {
        (self.issuer, server, self.registration) = (issuer, nil, registration)
        (self.scopes, hasChosenScopes) = (scopes ?? .signIn, scopes != nil)
    }

    /// Creates the configuration of a server that publishes its metadata.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier, without `/.well-known/…`.
    ///   - clientID: The client identifier.
    ///   - secret: The client secret; nil for a program on a user's device, which cannot keep one.
    ///   - scopes: The scopes that a sign-in requests; nil for those of `Scopes.signIn` that the server knows.
    public init(issuer: URL, clientID: String, secret: String? = nil, scopes: Scopes? = nil) {
        self.init(
            issuer: issuer, registration: ClientRegistration(clientID: clientID, secret: secret), scopes: scopes)
    }

    /// Creates the configuration of a server that is described by hand.
    public init(server: AuthorizationServer, registration: ClientRegistration, scopes: Scopes? = nil) {
        (issuer, self.server, self.registration) = (server.issuer, server, registration)
        (self.scopes, hasChosenScopes) = (scopes ?? .signIn, scopes != nil)
    }

    /// Returns the scopes of a sign-in at a server: the chosen ones, or the default ones that its metadata lists.
    ///
    /// Google and others refuse a request with an unknown scope, such as `offline_access`.
    func scopes(at server: AuthorizationServer) -> Scopes {
        guard !hasChosenScopes, let known = server.supported("scopes_supported"), !known.isEmpty else { return scopes }
        // A provider of ID tokens knows `openid`, even if it does not list it (OpenID Connect Discovery §3).
        let isOpenID = server.metadata["id_token_signing_alg_values_supported"] != nil
        return Scopes(scopes.elements.filter { known.contains($0.rawValue) || isOpenID && $0 == "openid" })
    }
}

extension Scopes {
    /// `openid profile email offline_access`: the user's identity and a refresh token (OpenID Connect Core §5.4, §11).
    public static var signIn: Scopes { ["openid", "profile", "email", "offline_access"] }
}

/// The deviations of a server from the specifications.
struct ServerQuirks: Sendable, Hashable {
    /// The issuers of tokens in addition to that of the metadata.
    var otherIssuers: [String] = []
    /// The parameters that each authorization request needs, by name.
    var authorizationParameters: [String: String] = [:]
    /// The name of the redirect URI in a sign-out URL at a server that accepts no ID token there; nil for OpenID
    /// Connect's.
    var signOutRedirectParameter: String?
    /// The spelling of resources at the server; nil for that of the product that the server is known to be.
    var resourceSpelling: ResourceSpelling?
    /// Whether an ID token contains the nonce of its request (OpenID Connect Core §3.1.2.1).
    var returnsNonce = true
    /// Whether the server accepts the verifier of a code (RFC 7636); false if it refuses requests with one.
    var takesVerifier = true
}
