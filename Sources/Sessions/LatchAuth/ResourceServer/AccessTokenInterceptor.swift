// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchHTTP
public import LatchJOSE

/// An interceptor for the routes of a resource server, which passes requests on whose access token is valid and carries
/// the required scopes (RFC 6750, RFC 9068 §4).
///
/// ```swift
/// let issuer = "https://login.example.com"
/// let verifier = RemoteJWTVerifier(
///     keys: try RemoteKeySet(url: URL(string: issuer + "/.well-known/jwks.json")!), algorithms: [.es256],
///     issuer: issuer, audience: "https://api.example.com", type: "at+jwt")
/// router.group(prefix: "/notes", interceptors: [AccessTokenInterceptor(verifier, requiring: ["notes:read"])]) { notes in
///     notes.get("/") { request in try await list(of: request.accessTokenClaims?.subject) }
/// }
/// ```
///
/// A request without a token gets 401 with a challenge, one with a token that is not valid 401 with `invalid_token`, one
/// with too few scopes 403 with `insufficient_scope` (RFC 6750 §3.1), and 503 where the issuer's keys cannot be fetched.
public struct AccessTokenInterceptor: Interceptor {
    /// A token that is longer is refused unread.
    private static let maximumTokenBytes = 16 << 10

    private let verifier: RemoteJWTVerifier
    private let required: Scopes
    private let hierarchy: ScopeHierarchy

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - verifier: Verifies the token: signature, issuer, audience, type and times.
    ///   - required: The scopes that the token must carry, all of them.
    ///   - hierarchy: The scopes that imply others.
    public init(_ verifier: RemoteJWTVerifier, requiring required: Scopes = [], in hierarchy: ScopeHierarchy = .levels)
    {
        self.verifier = verifier
        self.required = required
        self.hierarchy = hierarchy
    }

    /// Passes the request on with the token's claims in its context, or refuses it.
    ///
    /// - Throws: The errors of `next`, and `CancellationError`.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        // RFC 6750 §3.1: without any authentication information the challenge carries no error code.
        guard let value = request.fields[.authorization] else { return Self.rejection(.unauthorized) }
        let parts = value.unicodeScalars.split(separator: " ", maxSplits: 1).map { String($0) }
        guard parts.count == 2, parts[0].lowercasedASCII() == "bearer", value.utf8.count <= Self.maximumTokenBytes
        else {
            return Self.rejection(.unauthorized, "invalid_token", "The request carries no bearer token.")
        }
        let claims: Claims
        do {
            claims = try await verifier.verify(String(parts[1]))
        } catch let error as JOSEError {
            return Self.rejection(.unauthorized, "invalid_token", error.message)
        } catch let error as AuthError {
            return Self.rejection(.serviceUnavailable, nil, error.message)
        }
        // RFC 9068 §2.2.3: a list of scopes with spaces between them.
        guard Scopes(parsing: claims.string("scope") ?? "").allow(all: required, in: hierarchy) else {
            return Self.rejection(
                .forbidden, "insufficient_scope", "The request needs the scopes '\(required.text)'.", scope: required)
        }
        var request = request
        request.accessTokenClaims = claims
        return try await next.respond(to: request)
    }

    private static func rejection(
        _ status: HTTPStatus, _ error: String? = nil, _ detail: String? = nil, scope: Scopes? = nil
    ) -> HTTPResponse {
        let problem = ProblemDetails(
            status: status, detail: detail, extensions: error.map { ["error": .string($0)] } ?? [:])
        var response = HTTPResponse(status: status, body: HTTPBody(problem.json.serialized()))
        response.fields[.contentType] = ProblemDetails.mediaType
        guard status != .serviceUnavailable else { return response }
        let parameters = [error.map { #"error="\#($0)""# }, scope.map { #"scope="\#($0.text)""# }].compactMap(\.self)
        response.fields[.wwwAuthenticate] =
            parameters.isEmpty ? "Bearer" : "Bearer " + parameters.joined(separator: ", ")
        return response
    }
}

private enum AccessTokenClaims: HTTPContextKey {
    static var defaultValue: Claims? { nil }
}

extension HTTPRequest {
    /// The verified claims of the access token, behind an ``AccessTokenInterceptor``; nil elsewhere.
    public internal(set) var accessTokenClaims: Claims? {
        get { context[AccessTokenClaims.self] }
        set { context[AccessTokenClaims.self] = newValue }
    }
}
