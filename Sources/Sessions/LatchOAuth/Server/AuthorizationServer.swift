// SPDX-License-Identifier: Apache-2.0

import LatchAuth
public import LatchCore
public import LatchFoundation
import LatchHTTP

/// The metadata of an authorization server (RFC 8414 §2): its identifier, its endpoints, and its features.
///
/// Most servers publish it, and an ``AuthorizationClient`` needs only the issuer to fetch it. For other servers, name
/// the endpoints:
///
/// ```swift
/// var server = AuthorizationServer(issuer: url, tokenEndpoint: url.appending(path: "oauth/token"))
/// server.authorizationEndpoint = url.appending(path: "oauth/authorize")
/// ```
public struct AuthorizationServer: Sendable, Hashable {
    /// The issuer identifier, which is compared character by character (RFC 8414 §2).
    public var issuer: URL
    /// The URL that exchanges grants for tokens (RFC 6749 §3.2).
    public var tokenEndpoint: URL
    /// The URL of the page on which users authorize clients (RFC 6749 §3.1); nil if the server has none.
    public var authorizationEndpoint: URL?
    /// The URL that revokes tokens (RFC 7009 §2); nil if the server has none.
    public var revocationEndpoint: URL?
    /// The URL that answers resource servers' questions about tokens (RFC 7662 §2); nil if the server has none.
    public var introspectionEndpoint: URL?
    /// The URL that returns claims about the signed-in user (OpenID Connect Core §5.3); nil if the server has none.
    public var userInfoEndpoint: URL?
    /// The URL that begins a sign-in on another device (RFC 8628 §3.1); nil if the server has none.
    public var deviceAuthorizationEndpoint: URL?
    /// The URL that receives authorization requests in advance (RFC 9126 §2); nil if the server has none.
    public var pushedAuthorizationRequestEndpoint: URL?
    /// The URL that registers clients (RFC 7591 §3); nil if the server has none.
    public var registrationEndpoint: URL?
    /// The URL of the page that signs users out (OpenID Connect RP-Initiated Logout §2); nil if the server has none.
    public var endSessionEndpoint: URL?
    /// The URL of the server's keys (RFC 7517 §5); nil if the server signs nothing.
    public var keySetURL: URL?
    /// The URL of a server that refreshes with the JSON object `{"refresh_token": …}`.
    ///
    /// Nil for a server that refreshes at the token endpoint, as RFC 6749 §6 requires.
    public var jsonRefreshEndpoint: URL?
    /// Whether the server separates granted scopes by commas, as GitHub, LinkedIn and Slack do.
    public var separatesScopesByCommas = false
    /// The URL at which GitHub deletes an access token, instead of a revocation endpoint.
    var tokenDeletionURL: URL?
    /// The spelling of resources that the configuration states; nil for that of the product.
    var statedSpelling: ResourceSpelling?
    /// Whether this is Latchwork's own server, described by hand.
    private var isLatchwork = false
    /// All members of the document that the server publishes; empty for a server that was described by hand.
    public var metadata: JSONObject = [:]

    /// Creates the metadata of a server.
    public init(
        issuer: URL, tokenEndpoint: URL, revocationEndpoint: URL? = nil, jsonRefreshEndpoint: URL? = nil
    ) {
        self.issuer = issuer
        self.tokenEndpoint = tokenEndpoint
        self.revocationEndpoint = revocationEndpoint
        self.jsonRefreshEndpoint = jsonRefreshEndpoint
    }

    /// Returns the metadata of Latchwork's own server, whose routes begin at `url`.
    public static func latchwork(at url: URL) -> AuthorizationServer {
        var server = AuthorizationServer(
            issuer: url, tokenEndpoint: url.appending(path: "oauth/token"),
            revocationEndpoint: url.appending(path: "oauth/revoke"))
        server.isLatchwork = true
        return server
    }

    /// Whether a revocation is known to end only one sign-in, as at Latchwork's own server.
    ///
    /// Other servers, such as Google, have one grant for each user and client. A revocation there ends the user's
    /// sessions on all devices.
    package var revokesSingleSignIns: Bool { isKnownAsLatchworks }

    /// The implications among the server's scopes; nil if they are not known.
    var scopeHierarchy: ScopeHierarchy? { isKnownAsLatchworks ? .levels : nil }

    private var isKnownAsLatchworks: Bool { isLatchwork || metadata["latch_client_id"]?.stringValue != nil }
}

// MARK: - Metadata documents

extension AuthorizationServer {
    /// Decodes a metadata document (RFC 8414 §3.2, OpenID Connect Discovery §4.2).
    ///
    /// Unknown members are kept and ignored. An endpoint for which `isAllowed` returns false is refused, because it
    /// would receive secrets.
    ///
    /// - Throws: `OAuthError.invalidMetadata`.
    init(
        metadata: JSONObject, issuer: URL, isAllowed: (URL) -> Bool
    ) throws(OAuthError) {
        func endpoint(_ name: String) throws(OAuthError) -> URL? {
            // A member without a value counts as missing; several servers write null or an empty string.
            guard let value = metadata[name], !value.isNull, value != "" else { return nil }
            guard let url = value.stringValue.flatMap({ URL(encodingOnce: $0) }), url.host() != nil,
                url.fragment() == nil
            else {
                throw .invalidMetadata("its \(name) is not a URL")
            }
            guard isAllowed(url) else { throw .invalidMetadata("its \(name) is not an https URL") }
            return url
        }
        /// Returns an endpoint that only few clients use; nil if it is not an https URL.
        ///
        /// A wrong URL of such an endpoint must not exclude the other clients.
        func endpointOfFew(_ name: String) -> URL? {
            metadata[name]?.stringValue.flatMap { URL(encodingOnce: $0) }.flatMap { isAllowed($0) ? $0 : nil }
        }
        guard let token = try endpoint("token_endpoint") else { throw .invalidMetadata("it has no token_endpoint") }
        self.init(issuer: issuer, tokenEndpoint: token, revocationEndpoint: try endpoint("revocation_endpoint"))
        authorizationEndpoint = try endpoint("authorization_endpoint")
        introspectionEndpoint = endpointOfFew("introspection_endpoint")
        userInfoEndpoint = try endpoint("userinfo_endpoint")
        deviceAuthorizationEndpoint = try endpoint("device_authorization_endpoint")
        pushedAuthorizationRequestEndpoint = try endpoint("pushed_authorization_request_endpoint")
        registrationEndpoint = endpointOfFew("registration_endpoint")
        endSessionEndpoint = try endpoint("end_session_endpoint")
        keySetURL = try endpoint("jwks_uri")
        self.metadata = metadata
        // RFC 8705 §5: clients that authenticate by a certificate use these endpoints.
        guard let aliases = metadata["mtls_endpoint_aliases"], !aliases.isNull else { return }
        guard let aliases = aliases.objectValue else {
            throw .invalidMetadata("its mtls_endpoint_aliases are no object")
        }
        for (name, value) in aliases
        where name.utf8.ends(with: "_endpoint".utf8) && !value.isNull && value != "" {
            guard value.stringValue.flatMap({ URL(encodingOnce: $0) }).map(isAllowed) == true else {
                throw .invalidMetadata("its alias \(OAuthError.printable(name)) is not an https URL")
            }
        }
    }

    /// Returns the values of a member that lists what the server supports; nil if the server does not state it.
    func supported(_ name: String) -> [String]? {
        metadata[name]?.arrayValue?.compactMap(\.stringValue)
    }

    /// Whether a member is true.
    func isTrue(_ name: String) -> Bool { metadata[name]?.boolValue == true }

    /// Returns an endpoint for clients that authenticate with a certificate (RFC 8705 §5); without an alias, the usual
    /// one.
    func endpoint(_ name: String, or usual: URL?, mutualTLS: Bool) -> URL? {
        guard mutualTLS, let alias = metadata["mtls_endpoint_aliases"]?[name]?.stringValue, !alias.isEmpty else {
            return usual
        }
        return URL(encodingOnce: alias)
    }
}
