// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import LatchServer

/// The route of the authorization server metadata (RFC 8414).
struct MetadataRoutes: Sendable {
    let dependencies: Dependencies

    func add(to router: inout Router) {
        router.group(interceptors: dependencies.limiting(.other)) { others in
            others.get("/.well-known/oauth-authorization-server", metadata)
        }
    }

    /// Returns the metadata, with the existing endpoints alone.
    ///
    /// - Throws: `IdentityError.notReady` until the issuer is known.
    @Sendable private func metadata(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let issuer = dependencies.accessTokens.issuer else { throw IdentityError.notReady }
        let base = issuer.withoutFinalSlash
        let methods: JSONValue = ["none", "client_secret_basic", "client_secret_post"]
        var response = HTTPResponse.json([
            "issuer": .string(issuer), "token_endpoint": .string("\(base)/oauth/token"),
            "revocation_endpoint": .string("\(base)/oauth/revoke"),
            "jwks_uri": .string("\(base)/.well-known/jwks.json"),
            // RFC 8414 §2 requires the member; without an authorization endpoint there is no response type.
            "response_types_supported": [],
            "grant_types_supported": .array(dependencies.grantHandlers.map { .string($0.grantType.rawValue) }),
            "scopes_supported": .array(dependencies.scopes.known.elements.map { .string($0.rawValue) }),
            "token_endpoint_auth_methods_supported": methods,
            "revocation_endpoint_auth_methods_supported": methods,
        ])
        response.fields[.cacheControl] = "public, max-age=300"
        return response
    }
}
