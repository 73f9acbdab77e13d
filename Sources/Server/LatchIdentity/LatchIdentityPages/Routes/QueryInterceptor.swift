// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchIdentityStorage
import LatchServer

/// An interceptor that rejects credentials and tokens in the URL (RFC 6749 §2.3.1 and §3.2), since logs, histories and
/// proxies store URLs.
struct QueryInterceptor: Interceptor {
    private static let secrets: Set<String> = [
        "username", "email", "password", "client_secret", "token", "refresh_token", "refreshToken", "access_token",
        "client_assertion", "assertion", "subject_token", "actor_token", "code", "code_verifier", "device_code",
    ]

    /// Passes the request on.
    ///
    /// - Throws: `IdentityError.secretInURL`.
    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        guard request.query == nil || request.queryItems.allSatisfy({ !Self.secrets.contains($0.name) }) else {
            throw IdentityError.secretInURL
        }
        return try await next.respond(to: request)
    }
}
