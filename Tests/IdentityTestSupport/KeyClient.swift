// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
package import LatchCore
import LatchHTTP
package import LatchIdentity
package import LatchJOSE
import LatchTesting

/// A client that signs assertions (RFC 7523).
package struct KeyClient: Sendable {
    package static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    package var id = "service"
    package var key: Key

    package init(_ algorithm: SignatureAlgorithm = .es256) throws { key = try Key.generate(algorithm) }

    /// Its registration, with `private_key_jwt`.
    package var registration: OAuthClient {
        OAuthClient(
            id: id, isConfidential: true,
            grants: [.clientCredentials, .password, .refreshToken, .authorizationCode, .deviceCode, .jwtBearer],
            redirectURIs: ["https://service.example/back"], isTrusted: true, idTokenAlgorithm: .es256,
            introspectsAllTokens: true, authenticationMethod: .privateKeyJWT, jwks: KeySet([key]).jwks())
    }

    /// The claims of an assertion for a site; nil leaves one out.
    package func claims(for site: Site, _ changes: KeyValuePairs<String, JSONValue?> = [:]) -> Claims {
        let now = Int64(site.clock.now.timeIntervalSince1970)
        var claims: Claims = [
            "iss": .string(id), "sub": .string(id), "aud": .string(site.identity.issuer ?? ""),
            "exp": .integer(now + 60), "iat": .integer(now), "jti": .string(UUID().uuidString),
        ]
        for (name, value) in changes { claims[name] = value }
        return claims
    }

    package func assertion(
        for site: Site, _ changes: KeyValuePairs<String, JSONValue?> = [:], type: String? = "JWT", with key: Key? = nil
    ) throws -> String {
        try JWT.sign(claims(for: site, changes), with: key ?? self.key, type: type)
    }
}

extension Site {
    /// A token request of a client that authenticates with an assertion.
    package func clientCredentials(_ assertion: String, clientID: String? = nil, type: String? = KeyClient.type)
        async throws
        -> Response
    {
        try await token([
            "grant_type": "client_credentials", "client_id": clientID, "client_assertion_type": type,
            "client_assertion": assertion,
        ])
    }
}
