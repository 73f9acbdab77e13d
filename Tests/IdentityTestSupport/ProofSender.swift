// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
package import LatchCore
package import LatchHTTP
import LatchIdentity
package import LatchJOSE
import LatchTesting

/// A sender with a key, whose proofs a test can spoil.
package struct Sender {
    package let key: Key
    package let site: Site

    package init(_ site: Site) throws {
        key = try Key.generate(.es256)
        self.site = site
    }

    /// A proof with a recent nonce; a claim of null is left out.
    package func proof(
        _ method: String, _ path: String, token: String? = nil, claims: JSONObject = [:], header: JSONObject = [:]
    ) throws -> HTTPFields {
        var members: JSONObject = [
            "typ": "dpop+jwt",
            "jwk": .object(JSONObject(key.jwk.filter { !["kid", "alg", "use"].contains($0.key) })),
        ]
        for (name, value) in header { members[name] = value }
        let issuer = site.identity.issuer ?? ""
        var payload: JSONObject = [
            "jti": .string(RandomSource.system.newID(at: site.clock.now)), "htm": .string(method),
            "htu": .string(issuer + path), "iat": .integer(Int64(site.clock.now.timeIntervalSince1970)),
            "nonce": .string(site.proofNonce),
        ]
        payload["ath"] = token.map { .string(Base64URL.encode($0.digest)) }
        for (name, value) in claims { payload[name] = value == .null ? JSONValue?.none : value }
        return ["DPoP": try JWS.sign(JSONValue.object(payload).serialized(), with: key, header: members)]
    }

    package func get(_ path: String, _ token: String, scheme: String = "DPoP", claims: JSONObject = [:]) async throws
        -> Response
    {
        var fields = try proof("GET", path, token: token, claims: claims)
        fields[.authorization] = "\(scheme) \(token)"
        return try await site.send(.get, path, fields: fields)
    }
}

extension Site {
    /// The nonce that the server sends now.
    package var proofNonce: String { identity.services.tokens.proofs.nonce }
}
