// SPDX-License-Identifier: Apache-2.0

public import LatchJOSE

/// A verifier of access tokens.
///
/// It uses the issuer's keys (``RemoteJWTVerifier``), or asks the issuer (LatchOAuth's `IntrospectionVerifier`).
///
/// ``AccessTokenInterceptor`` calls it with the token of each request.
public protocol AccessTokenVerifier: Sendable {
    /// Returns the claims of a valid token, after checking that the token is meant for this resource.
    ///
    /// - Throws: `JOSEError` or `AuthError.invalidAccessToken` if the token is not valid; the client gets 401. Any
    ///   other error if that cannot be decided now; the client gets 503.
    nonisolated(nonsending) func verify(_ text: String) async throws -> Claims
}

/// A verifier that learns from the issuer's metadata how its scopes imply others.
package protocol ScopeInterpreter: AccessTokenVerifier {
    /// The implications among the issuer's scopes; nil if they are not known.
    var scopeHierarchy: ScopeHierarchy? { get }
}

extension RemoteJWTVerifier: AccessTokenVerifier {}

extension JWTVerifier: AccessTokenVerifier {}
