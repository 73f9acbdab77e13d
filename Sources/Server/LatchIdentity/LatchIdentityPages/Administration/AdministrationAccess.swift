// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityStorage

/// The check of who calls a route of the administration: an administrator's session, or a program with an API key.
package struct AdministrationAccess: Sendable {
    package let limits: RateLimits
    package let tokens: TokenService
    package let keys: APIKeyService
    package let recentAuthentication: RecentAuthenticationRule
    /// Whether each caller is the operator, whose command has opened the store and calls the routes in its own process.
    private(set) var isForOperator = false

    package init(
        limits: RateLimits, tokens: TokenService, keys: APIKeyService, recentAuthentication: RecentAuthenticationRule
    ) {
        self.limits = limits
        self.tokens = tokens
        self.keys = keys
        self.recentAuthentication = recentAuthentication
    }

    /// The access of the operator to routes that no server has: without credentials, and without limits.
    ///
    /// Their errors are thrown, so that the operator sees what a response would hide.
    package var ofOperator: AdministrationAccess {
        var access = self
        access.isForOperator = true
        return access
    }

    /// Returns the interceptors of routes whose requests count by their heads.
    func limiting(_ request: RateLimits.Request) -> [any Interceptor] {
        isForOperator ? [] : limits.limiting(request)
    }

    /// Returns the administrator who sends a request.
    ///
    /// A user who changes something has signed in a short time ago. A key is not asked for that: it was made by a user
    /// who had.
    ///
    /// - Parameter scope: The scope that a key needs.
    /// - Throws: `IdentityError.invalidToken`, `.forbidden`, `.insufficientScope`, `.administrationNeedsFactor`,
    ///   `.signInAgain`, `.tooManyAttempts` for a key with too many requests, or a store's error.
    func administrator(
        _ request: HTTPRequest, for scope: AdministrationScope
    ) async throws(IdentityError) -> Administrator {
        if isForOperator { return .serverOperator }
        if let key = request.fields.bearerToken, APIKeyService.isKey(key) {
            return try await keys.administrator(presenting: key, for: scope)
        }
        return try await user(request, role: scope.minimumRole, changes: scope.isForChanges)
    }

    /// Returns the administrator of a session; a key is refused.
    func user(
        _ request: HTTPRequest, role: Role = .admin, changes: Bool
    ) async throws(IdentityError) -> Administrator {
        if isForOperator { return .serverOperator }
        if request.fields.bearerToken.map(APIKeyService.isKey) ?? false { throw .sessionRequired }
        let session = try await tokens.authenticate(request)
        try session.requireFirstParty()
        guard session.account.isAdministrator else { throw .forbidden }
        try await tokens.store.requireOwnFactor(of: session.actor)
        guard session.account.role >= role else { throw .forbidden }
        if changes { try recentAuthentication.require(session) }
        return Administrator(session)
    }

    /// Returns the response to a request that has created a resource, with its place (RFC 9110 §15.3.2).
    func created(_ json: JSONObject, at path: RoutePath) -> HTTPResponse {
        var response = HTTPResponse.json(json, status: .created)
        let below = tokens.accessTokens.issuer.map(PublicURL.path) ?? ""
        response.fields["Location"] = "\(below)\(path)"
        return response
    }
}

extension HTTPResponse {
    /// Returns the response to a removal, which has no content.
    static let removed = HTTPResponse(status: .noContent, fields: [.cacheControl: "no-store"])
}
