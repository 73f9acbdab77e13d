// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
import LatchCore
public import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityStorage

/// An interceptor that requires a valid access token with certain scopes.
///
/// ```swift
/// let both = Scopes(parsing: "widgets:write files:write")
/// router.group(prefix: "/media", interceptors: [identity.errorInterceptor, identity.requiring(both)]) { media in
///     media.post("/") { request in try await upload(request, of: request.principal?.accountID) }
/// }
/// ```
///
/// Without a valid token, the response is 401 with a challenge. With too few scopes, it is 403 and names the missing
/// ones (RFC 6750 §3.1).
public struct ScopeInterceptor: Interceptor {
    private let tokens: TokenService
    /// The required scopes, all of them; a higher level of a resource includes the lower ones.
    private let required: Scopes

    package init(_ tokens: TokenService, requiring required: Scopes) {
        self.tokens = tokens
        self.required = required
    }

    /// Passes the request on with its principal.
    ///
    /// - Throws: `IdentityError.invalidToken`, or a store's error.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        let principal = try await tokens.principal(of: request)
        // A token for another recipient gives no access to the API, whatever it requires. The claims about the user are
        // for all recipients (OpenID Connect Core §5.3).
        guard principal.scopes.allow(all: required),
            principal.recipient == .api
                || !required.isEmpty && required.elements.allSatisfy(ScopePolicy.openID.contains)
        else { return insufficientScope(of: principal) }
        var request = request
        request.principal = principal
        return try await next.respond(to: request)
    }

    /// Returns the response of RFC 6750 §3.1, with the members that Lazi clients expect.
    private func insufficientScope(of principal: AuthenticatedPrincipal) -> HTTPResponse {
        let names = { (scopes: Scopes) in JSONValue.array(scopes.elements.map { .string($0.rawValue) }) }
        var response = HTTPResponse.failure(
            .insufficientScope, as: .detail,
            with: ["required_scopes": names(required), "provided_scopes": names(principal.scopes)])
        response.fields[.wwwAuthenticate] = .insufficientScope(required)
        return response
    }
}

extension String {
    /// Returns the challenge for a token without these scopes (RFC 6750 §3.1).
    ///
    /// It names no scopes if no scope would suffice.
    package static func insufficientScope(_ required: Scopes) -> String {
        #"Bearer error="insufficient_scope""# + (required.isEmpty ? "" : #", scope="\#(required.text)""#)
    }
}
