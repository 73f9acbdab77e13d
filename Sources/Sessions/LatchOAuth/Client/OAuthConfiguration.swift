// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
public import LatchJOSE
public import PortableFoundation

/// An authorization server, and the registration of this program at it.
///
/// ```swift
/// OAuthConfiguration(issuer: URL(string: "https://id.example.com")!, clientID: "notes")   // found by its issuer
/// OAuthConfiguration.google(clientID: "…")                                                // one of the known ones
/// OAuthConfiguration(server: server, registration: registration)                          // described by hand
/// ```
public struct OAuthConfiguration: Sendable {
    /// The issuer identifier (RFC 8414 §2), by which the server's metadata is found.
    public let issuer: URL
    /// The server, where it was described by hand; nil where its metadata is fetched.
    public let server: AuthorizationServer?
    /// The registration of this program.
    public var registration: ClientRegistration
    /// The scopes that a sign-in requests.
    ///
    /// Without a choice of the program they are `Scopes.signIn`, less those that the server's metadata does not list.
    public var scopes: Scopes { didSet { hasChosenScopes = true } }
    /// Whether the program has chosen the scopes, which are then requested as they are.
    private(set) var hasChosenScopes: Bool
    /// The resources that a sign-in, on a page or on another device, and client credentials request tokens for (RFC 8707 §2),
    /// where the request names none.
    ///
    /// Auth0 and Microsoft Entra take one, which they are told as `audience` and as the prefix of scopes.
    public var resources: [String] = []
    /// The URL that the server redirects to; nil for that of the browser, such as the address of a loopback listener.
    public var redirectURI: URL?
    /// The algorithms of the server's ID tokens; nil for the asymmetric ones that its metadata names, and RS256 without it.
    public var idTokenAlgorithms: [SignatureAlgorithm]?
    /// The keys for which the server encrypts ID tokens; if there are any, others are refused (OpenID Connect Core §3.1.3.7,
    /// rule 1).
    public var decryptionKeys: [EncryptionKey] = []
    /// Whether authorization requests are sent to the server in advance, so that the browser carries none of their
    /// parameters (RFC 9126); they always are where the server requires it.
    public var pushesRequests = false
    /// Whether authorization requests are signed with the registration's key (RFC 9101); they always are where the server
    /// requires it.
    public var signsRequests = false
    /// The deviations of the server from the specifications.
    var quirks = ServerQuirks()

    /// Whether the server posts its responses to the redirect URI, as Apple does (OAuth 2.0 Form Post Response Mode).
    package var postsResponse: Bool { quirks.authorizationParameters["response_mode"] == "form_post" }

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

    /// Returns the scopes of a sign-in at a server: the chosen ones, or the usual ones that its metadata lists.
    ///
    /// Google and others refuse a request for a scope that they do not know, such as `offline_access`.
    func scopes(at server: AuthorizationServer) -> Scopes {
        guard !hasChosenScopes, let known = server.supported("scopes_supported"), !known.isEmpty else { return scopes }
        // A provider of ID tokens knows `openid`, listed or not (OpenID Connect Discovery §3).
        let isOpenID = server.metadata["id_token_signing_alg_values_supported"] != nil
        return Scopes(scopes.elements.filter { known.contains($0.rawValue) || isOpenID && $0 == "openid" })
    }
}

extension Scopes {
    /// `openid profile email offline_access`: who the user is, and a refresh token (OpenID Connect Core §5.4, §11).
    public static var signIn: Scopes { ["openid", "profile", "email", "offline_access"] }
}

/// The deviations of a server from the specifications.
struct ServerQuirks: Sendable, Hashable {
    /// The issuers of tokens besides that of the metadata.
    var otherIssuers: [String] = []
    /// The parameters that each authorization request needs, by name.
    var authorizationParameters: [String: String] = [:]
    /// The name of the redirect URI in the URL of a sign-out, at a server that knows no ID token there; nil for OpenID
    /// Connect's.
    var signOutRedirectParameter: String?
    /// The way in which the server is told a resource; nil for that of the product that it is known to be.
    var resourceSpelling: ResourceSpelling?
    /// Whether an ID token contains the nonce of its request (OpenID Connect Core §3.1.2.1).
    var returnsNonce = true
    /// Whether the server takes the verifier of a code (RFC 7636), rather than refusing the request for it.
    var takesVerifier = true
}
