// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
import LatchCore
package import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityStorage

/// A handler of one grant type at the token endpoint (RFC 6749 §4).
///
/// A new grant is one file with a handler, one line in ``GrantHandlers/all``, and one in `GrantType.supported`. Endpoint
/// and metrics follow from the handlers, metadata and settings from the grant types. A sign-in with a passkey is not a
/// grant, and only has a metric.
package protocol GrantHandler: Sendable {
    /// The value of `grant_type`, which is also the label of the metric.
    static var grantType: OAuthClient.GrantType { get }

    /// Creates a handler with the services that it needs.
    init(_ services: IdentityServices)

    /// Returns the content of the response to an authenticated client that may use the grant.
    ///
    /// ``TokenService`` issues the tokens and counts them: for a session of an account, or for the client itself.
    func tokens(for request: TokenRequest) async throws -> TokenResponse
}

/// The grant handlers of the server.
package enum GrantHandlers {
    package static let all: [any GrantHandler.Type] = [
        PasswordGrantHandler.self, RefreshTokenGrantHandler.self, AuthorizationCodeGrantHandler.self,
        DeviceCodeGrantHandler.self, ClientCredentialsGrantHandler.self, JWTBearerGrantHandler.self,
        TokenExchangeGrantHandler.self,
    ]
}

extension Metrics {
    /// Creates counters that all start at 0.
    package convenience init() {
        let grants = [OAuthClient.GrantType.passkey, .guest] + GrantHandlers.all.map { $0.grantType }
        self.init(grants: grants.map(\.rawValue))
    }
}

/// A request to the token endpoint (RFC 6749 §3.2).
package struct TokenRequest: Sendable {
    /// The authenticated client, or the server's own if the request names none.
    package let client: OAuthClient
    package let origin: RequestOrigin
    package let idempotencyKey: String?
    /// The requested scopes; nil if the request names none.
    package let scopes: Scopes?
    package let parameters: OAuthParameters
    /// What the request adds to the conditions of its grant.
    package let conditions: TokenConditions

    /// Creates a request.
    ///
    /// - Parameter binding: What the request has proved, for its tokens.
    /// - Throws: `IdentityError.invalidScope`, `.invalidAuthorizationDetails`.
    package init(
        _ request: HTTPRequest, client: OAuthClient, parameters: OAuthParameters, binding: TokenBinding = TokenBinding()
    ) throws(IdentityError) {
        self.client = client
        self.parameters = parameters
        origin = request.requestOrigin
        idempotencyKey = request.fields[.idempotencyKey]
        scopes = try Scopes(requested: parameters["scope"])
        conditions = TokenConditions(
            resources: parameters.resources, binding: binding,
            authorization: try AuthorizationDetails(requested: parameters["authorization_details"]))
    }
}

extension Scopes {
    /// Parses the scopes of a request; nil if it names none.
    ///
    /// - Throws: `IdentityError.invalidScope` if a part is not a scope-token (RFC 6749 §3.3) or the text exceeds 4 KiB.
    package init?(requested text: String?) throws(IdentityError) {
        guard let text else { return nil }
        let words = text.unicodeScalars.split(separator: " ")
        guard text.utf8.count <= 4096, words.allSatisfy({ Scope(rawValue: String($0)) != nil }) else {
            throw .invalidScope
        }
        self.init(parsing: text)
        if isEmpty { return nil }
    }
}
