// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityProvider
import LatchIdentityStorage
package import LatchServer

/// The route of token introspection (RFC 7662).
package struct IntrospectionRoutes: Sendable {
    package let limits: RateLimits
    package let clientAuthentication: ClientAuthentication
    package let introspection: IntrospectionService

    package init(limits: RateLimits, clientAuthentication: ClientAuthentication, introspection: IntrospectionService) {
        self.limits = limits
        self.clientAuthentication = clientAuthentication
        self.introspection = introspection
    }

    package func add(to router: inout Router) {
        let interceptors: [any Interceptor] = limits.limiting(.token, as: .oauth) + [QueryInterceptor()]
        router.group(interceptors: interceptors) { $0.post("/oauth/introspect", .introspectToken, introspect) }
    }

    /// Returns the state of a token to a client that authenticates.
    ///
    /// Every token that is not active has the same response, without a reason (§2.2). `token_type_hint` only speeds up
    /// a search, which this server does not need (§2.1).
    ///
    /// - Throws: `IdentityError.invalidClient` for a public client, too: each of its copies could ask (§2.1).
    @Sendable private func introspect(_ request: HTTPRequest) async throws -> HTTPResponse {
        let parameters = try OAuthParameters(form: request)
        let client = try await clientAuthentication.client(of: request, parameters)
        guard client.isConfidential else { throw IdentityError.invalidClient }
        if client.isResourceServer {
            // A resource server asks for its own requests, whose number other limits bound. Only its failures count.
            limits.refund(limits.attempts(of: .token, from: request.requestOrigin.address))
        }
        let members = try await introspection.members(of: try parameters.required("token"), for: client)
        // RFC 9701 §4: the resource server asks for a signed response by its media type.
        guard request.fields[.accept].flatMap({ Preferences($0).accepted.first }) == "application/\(Self.signedType)"
        else {
            return .json(members ?? ["active": false])
        }
        return .jwt(
            try introspection.signed(members, to: client, type: Self.signedType),
            mediaType: "application/\(Self.signedType)")
    }

    private static let signedType = "token-introspection+jwt"
}

extension HTTPResponse {
    /// Returns a response whose content is a JWT.
    static func jwt(_ text: String, mediaType: String) -> HTTPResponse {
        HTTPResponse(
            status: .ok, fields: [.contentType: mediaType, .cacheControl: "no-store"], body: HTTPBody(text))
    }
}
