// SPDX-License-Identifier: Apache-2.0

public import LatchAuth

/// A grant that exchanges the client's token for one with another audience, scope or actor (RFC 8693).
///
/// ```swift
/// let grant = TokenExchangeGrant(subject: .access(token), audience: "https://orders.example")
/// let tokens = try await endpoint.tokens(for: grant).tokens
/// ```
public struct TokenExchangeGrant: Grant {
    /// A token with its type (RFC 8693 §3).
    public struct Token: Sendable {
        /// The identifier of the type.
        public let type: String
        fileprivate let text: String

        /// Creates a token of any type.
        public init(_ text: String, type: String) { (self.text, self.type) = (text, type) }

        /// An access token of the same authorization server.
        public static func access(_ text: String) -> Token { Token(text, type: Self.prefix + "access_token") }

        /// A refresh token of the same authorization server.
        public static func refresh(_ text: String) -> Token { Token(text, type: Self.prefix + "refresh_token") }

        /// A token that names its user (OpenID Connect Core §2).
        public static func id(_ text: String) -> Token { Token(text, type: Self.prefix + "id_token") }

        /// A JSON Web Token of another issuer.
        public static func jwt(_ text: String) -> Token { Token(text, type: Self.prefix + "jwt") }

        fileprivate static let prefix = "urn:ietf:params:oauth:token-type:"
    }

    /// The requested scopes.
    public let scopes: Scopes
    private let subject: Token
    private let actor: Token?
    private let audiences: [String]
    private let resources: [String]
    private let requestedType: String?

    /// Creates a grant.
    ///
    /// - Parameters:
    ///   - subject: A token of the party that the new token is for.
    ///   - actor: A token of the party that acts for the subject; nil if the subject acts itself.
    ///   - audience: The name of the service that the new token is for.
    ///   - resource: The URI of the service that the new token is for.
    ///   - scopes: The requested scopes.
    ///   - requestedType: The identifier of the requested type; nil for an access token of any form.
    public init(
        subject: Token, actor: Token? = nil, audience: String? = nil, resource: String? = nil, scopes: Scopes = [],
        requestedType: String? = nil
    ) {
        self.subject = subject
        self.actor = actor
        audiences = audience.map { [$0] } ?? []
        resources = resource.map { [$0] } ?? []
        self.scopes = scopes
        self.requestedType = requestedType
    }

    /// `urn:ietf:params:oauth:grant-type:token-exchange` (RFC 8693 §2.1).
    public var type: String { "urn:ietf:params:oauth:grant-type:token-exchange" }

    /// The tokens with their types, and the requested properties.
    public var parameters: [(String, String)] {
        var list = [("subject_token", subject.text), ("subject_token_type", subject.type)]
        if let actor { list += [("actor_token", actor.text), ("actor_token_type", actor.type)] }
        list += audiences.map { ("audience", $0) } + resources.map { ("resource", $0) }
        return list + [("scope", scopes.text), ("requested_token_type", requestedType ?? "")]
    }

    /// The type of the issued token; nil for an access token.
    ///
    /// Tokens of any other type cannot be used as credentials for requests (RFC 8693 §2.2.1).
    var tokenType: TokenType? {
        requestedType.flatMap { $0 == Token.access("").type ? nil : TokenType.notApplicable }
    }

    /// The requested scopes; nil if the server chooses.
    public var expectedScopes: Scopes? { scopes.isEmpty ? nil : scopes }
}

extension TokenExchangeGrant: Redacting {}

extension TokenExchangeGrant.Token: Redacting {}
