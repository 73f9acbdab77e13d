// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import TestTags
import Testing

@testable import LatchIdentity

/// Clients that register themselves, and that an operator has changed.
@Suite struct RestrictedClientTests {
    @Test(.tags(.openRegistration)) func `What an operator takes away from a client does not come back`() async throws {
        let site = try await Site { $0.registration = .open }
        var metadata: JSONObject = [
            "client_name": "A wiki", "redirect_uris": ["https://wiki.example/back"],
            "policy_uri": "https://wiki.example/policy", "id_token_signed_response_alg": "ES256",
        ]
        let registered = try await site.post("/oauth/register", .object(metadata))
        let id = registered.string("client_id")
        var client = try await site.identity.clients.client(id).client
        try client.change(by: ["policy_uri="])
        _ = try await site.identity.clients.update(client, by: "a test")
        metadata["client_id"] = .string(id)
        let put = { [metadata] in
            try await site.call(
                .put, "/oauth/register/\(id)", bearer: registered.string("registration_access_token"),
                .object(metadata))
        }
        for _ in 0..<2 { #expect(try await put().json["policy_uri"] == nil) }
        // A later change of something else keeps it so.
        client = try await site.identity.clients.client(id).client
        client.requiresNonce = true
        _ = try await site.identity.clients.update(client, by: "a test")
        let updated = try await put()
        #expect(updated.status == 200 && updated.json["policy_uri"] == nil, "\(updated.text)")
        await site.close()
    }
}
