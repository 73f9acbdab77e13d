// SPDX-License-Identifier: Apache-2.0

public import LatchJOSE

/// A verifier of access tokens: by the issuer's keys (``RemoteJWTVerifier``), or by asking the issuer (LatchOAuth's
/// `IntrospectionVerifier`).
///
/// ``AccessTokenInterceptor`` calls it with each token that a request carries.
public protocol AccessTokenVerifier: Sendable {
    /// Returns the claims of a valid token; whoever verifies it also checks that it is meant for this resource.
    ///
    /// - Throws: `JOSEError` or `AuthError.invalidAccessToken` if the token is not valid, which a client learns as 401;
    ///   any other error if that cannot be decided now, which a client learns as 503.
    nonisolated(nonsending) func verify(_ text: String) async throws -> Claims
}

extension RemoteJWTVerifier: AccessTokenVerifier {}

extension JWTVerifier: AccessTokenVerifier {}
