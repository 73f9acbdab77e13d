// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import LatchServer

/// What a client may know of the server before it asks for anything (RFC 8414).
struct MetadataRoutes: Sendable {
    private let parts: IdentityParts

    init(_ parts: IdentityParts) { self.parts = parts }

    func add(to router: inout Router) {
        router.get("/.well-known/oauth-authorization-server", metadata)
    }

    /// Only what is there: an endpoint that is named here answers.
    ///
    /// - Throws: `IdentityError.notReady` until the issuer is known, which no request decides.
    @Sendable private func metadata(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let issuer = parts.accessTokens.issuer else { throw IdentityError.notReady }
        let base = issuer.withoutFinalSlash
        let methods: JSONValue = ["none", "client_secret_basic", "client_secret_post"]
        var response = HTTPResponse.json([
            "issuer": .string(issuer), "token_endpoint": .string("\(base)/oauth/token"),
            "revocation_endpoint": .string("\(base)/oauth/revoke"),
            "jwks_uri": .string("\(base)/.well-known/jwks.json"),
            // RFC 8414 §2 wants the member; without an authorization endpoint there is no response type.
            "response_types_supported": [],
            "grant_types_supported": .array(RegisteredApp.Grant.allCases.map { .string($0.rawValue) }),
            "scopes_supported": .array(parts.scopes.known.elements.map { .string($0.rawValue) }),
            "token_endpoint_auth_methods_supported": methods,
            "revocation_endpoint_auth_methods_supported": methods,
        ])
        response.fields[.cacheControl] = "public, max-age=300"
        return response
    }
}
