// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import LatchHTTP
import LatchOAuth
import TestSupport
import Testing

@Suite struct CertificateTests {
    private func signIn(_ provider: ScriptedProvider) async throws -> TokenResponse {
        let client = provider.client()
        return try await client.finish(provider.approve(try await client.begin()))
    }

    // RFC 8705 §2.1 and §5.
    @Test
    func `A client with a certificate (tls-client-auth) states only its ID, at the endpoint for certificates`()
        async throws
    {
        let provider = try ScriptedProvider(ClientRegistration(clientID: "notes", authentication: .tls))
        provider.deviate {
            $0.metadata = { $0["mtls_endpoint_aliases"] = ["token_endpoint": "https://mtls.example.com/token"] }
        }
        #expect(try await signIn(provider).tokens.refresh != nil)
        let request = try #require(provider.requests(to: "/token").first)
        #expect(request.authority == "mtls.example.com" && request.fields[.authorization] == nil)
        let form = ScriptedProvider.parameters(request.body.text ?? "")
        #expect(form["client_id"] == "notes" && form["client_secret"] == nil && form["client_assertion"] == nil)
        // One without a certificate stays at the usual endpoint.
        let plain = try ScriptedProvider()
        plain.deviate {
            $0.metadata = { $0["mtls_endpoint_aliases"] = ["token_endpoint": "https://mtls.example.com/token"] }
        }
        _ = try await signIn(plain)
        expectEqual(plain.requests(to: "/token").first?.authority, "id.example.com")
    }

    @Test(arguments: ["http://mtls.example.com/token", "token"])
    func `A client with a certificate (tls-client-auth) refuses an endpoint without encryption`(alias: String)
        async throws
    {
        let provider = try ScriptedProvider(ClientRegistration(clientID: "notes", authentication: .tls))
        provider.deviate { $0.metadata = { $0["mtls_endpoint_aliases"] = ["token_endpoint": .string(alias)] } }
        await #expect(throws: OAuthError.invalidMetadata) { try await signIn(provider) }
    }
}
