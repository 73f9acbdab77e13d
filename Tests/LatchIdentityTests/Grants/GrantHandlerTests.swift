// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Testing

@testable import LatchIdentity

@Suite struct `The table of grant handlers` {
    @Test func `has one handler per grant type`() {
        let types = GrantHandlers.all.map { $0.grantType }
        #expect(Set(types).count == types.count)
        #expect(types == [.password, .refreshToken])
    }

    @Test func `determines metadata, metrics, settings and the endpoint`() async throws {
        let site = try await Site()
        let json = try await site.get("/.well-known/oauth-authorization-server").json
        let types = GrantHandlers.all.map { $0.grantType.rawValue }
        #expect(json["grant_types_supported"] == .array(types.map { .string($0) }))
        for type in types {
            #expect(try await site.metric("latch_tokens_issued_total{grant=\"\(type)\"}") == 0)
            #expect(OAuthClient.GrantType(rawValue: type) != nil)
            #expect(OAuthClient(word: "phone;grants=\(type)")?.grants.map(\.rawValue) == [type])
            // The handler, and not the endpoint, rejects a request without its parameters.
            #expect(try await site.token(["grant_type": type]).oauthError == "invalid_request")
        }
        await site.close()
    }

    @Test func `has no handler for other grant types`() async throws {
        let site = try await Site()
        #expect(OAuthClient.GrantType(rawValue: "client_credentials") == nil)
        #expect(OAuthClient(word: "phone;grants=client_credentials") == nil)
        #expect(try await site.token(["grant_type": "client_credentials"]).oauthError == "unsupported_grant_type")
        await site.close()
    }
}
