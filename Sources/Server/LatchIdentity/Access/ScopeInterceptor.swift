// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
public import LatchHTTP

/// Lets a request pass whose access token is valid and carries the scopes that the routes behind it need.
///
/// ```swift
/// let both = Scopes(parsing: "widgets:write files:write")
/// router.group(prefix: "/media", interceptors: [identity.errorInterceptor, identity.requiring(both)]) { media in
///     media.post("/") { request in try await upload(request, of: request.bearer?.accountID) }
/// }
/// ```
///
/// Without a valid token the answer is 401 with a challenge; with one that carries too little it is 403 and says what is
/// missing (RFC 6750 §3.1).
public struct ScopeInterceptor: Interceptor {
    private let signIns: SignIns
    /// All of them are needed; a higher level of the same resource will do for a lower one.
    private let required: Scopes

    init(_ parts: IdentityParts, requiring required: Scopes) {
        signIns = SignIns(parts: parts)
        self.required = required
    }

    /// Asks `next` with who the request speaks for in its context.
    ///
    /// - Throws: `IdentityError.invalidToken`, or a store's error.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        guard let token = request.bearerToken else { throw IdentityError.invalidToken }
        let bearer = try await signIns.bearer(ofAccessToken: token)
        guard bearer.scopes.allow(all: required) else { return refusal(of: bearer) }
        var request = request
        request.bearer = bearer
        return try await next.respond(to: request)
    }

    /// RFC 6750 §3.1, and in the content what seed 004's clients read.
    private func refusal(of bearer: Bearer) -> HTTPResponse {
        let names = { (scopes: Scopes) in JSONValue.array(scopes.elements.map { .string($0.rawValue) }) }
        var response = HTTPResponse.failure(
            .insufficientScope, as: .detail,
            with: ["required_scopes": names(required), "provided_scopes": names(bearer.scopes)])
        response.fields[.wwwAuthenticate] = #"Bearer error="insufficient_scope", scope="\#(required.text)""#
        return response
    }
}

extension Identity {
    /// An interceptor for one's own routes beside the server's, which lets access tokens with these scopes pass.
    ///
    /// What it throws is an `IdentityError`, which the routes of this server answer by themselves; put it inside of
    /// something that does, such as ``errorInterceptor``.
    public func requiring(_ scopes: Scopes) -> ScopeInterceptor { ScopeInterceptor(parts, requiring: scopes) }

    /// Answers what the server's own interceptors throw, in the shape of the server's own errors.
    public var errorInterceptor: some Interceptor { IdentityErrorInterceptor(shape: .detail) }
}
