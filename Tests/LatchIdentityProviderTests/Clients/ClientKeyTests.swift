// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchJOSE
import Testing

@testable import LatchIdentity

/// The registration of keys (OpenID Connect Registration §2, RFC 7591).
@Suite struct ClientKeyTests {
    private func problem(_ change: (inout OAuthClient) throws -> Void) throws -> String {
        var configuration = IdentityConfiguration()
        var client = OAuthClient(id: "service", isConfidential: true)
        try change(&client)
        configuration.clients = [client]
        do throws(IdentityError) {
            _ = try OAuthClients(configuration)
            return ""
        } catch {
            return error.message
        }
    }

    @Test func `The keys of a client are public ones that sign its assertions, or the start fails`() throws {
        let key = try Key.generate(.es256)
        let keys = KeySet([key]).jwks()
        try expectEqual(
            problem {
                $0.authenticationMethod = .privateKeyJWT
                $0.jwks = keys
            }, "")
        #expect(try problem { $0.authenticationMethod = .privateKeyJWT }.contains("'jwks'"))
        let secrets: [JSONObject] = [
            try key.jwkWithSecretsForStorage(), try Key.generate(.rs256).jwkWithSecretsForStorage(),
            try Key.generate(.hs256).jwkWithSecretsForStorage(),
        ]
        for secret in secrets {
            let message = try problem {
                $0.authenticationMethod = .privateKeyJWT
                $0.jwks = ["keys": [.object(key.jwk), .object(secret)]]
            }
            #expect(message.contains("secret key") && message.contains("number 2 of 2"), "\(message)")
        }
        for jwks: JSONValue in [["keys": []], [], ["keys": ["x"]], ["keys": [["kty": "EC"]]], "x"] {
            let message = try problem {
                $0.authenticationMethod = .privateKeyJWT
                $0.jwks = jwks
            }
            #expect(message.contains("'service'"), "\(jwks)")
        }
        #expect(
            try problem {
                $0.authenticationMethod = .privateKeyJWT
                $0.assertionAlgorithm = .ps256
                $0.jwks = keys
            }.contains("no key"))
        #expect(try problem { $0.assertionAlgorithm = .es256 }.contains("token_endpoint_auth_signing_alg"))
        #expect(
            try problem { $0.authenticationMethod = OAuthClient.AuthenticationMethod.none }.contains("confidential"))
    }

    @Test func `The keys of a client leave no place for a secret`() async throws {
        var configuration = IdentityConfiguration()
        configuration.clients = [try KeyClient().registration]
        configuration.clientSecretDigests = ["service": ClientSecret.digest]
        #expect(throws: IdentityError.self) { try OAuthClients(configuration) }
        configuration.clientSecretDigests = [:]
        try await expectEqual(OAuthClients(configuration).registration(of: "service")?.keys.keys.count, 1)
    }

    @Test func `The keys of a client are read from a table and from a word as they are written`() throws {
        var client = try KeyClient().registration
        client.assertionAlgorithm = .es256
        var jwk = client.jwks?["keys"]?[0]?.objectValue ?? [:]
        jwk["kid"] = "a key; of ours"
        client.jwks = ["keys": [.object(jwk)]]
        #expect(client.word.contains("token_endpoint_auth_method=private_key_jwt"))
        #expect(!client.word.contains(" "))
        expectEqual(OAuthClient(word: client.word), client)
        let tables = OAuthClient.tables.tables([client])
        try expectEqual(OAuthClient.tables.parse(tables), [client])
        var table = try #require(tables.first)
        table["jwks"] = client.jwks
        try expectEqual(OAuthClient.tables.parse([table]), [client])
        // The method alone makes it confidential.
        let word = "a;token_endpoint_auth_method=client_secret_post"
        #expect(try #require(OAuthClient(word: word)).isConfidential)
        for wrong in ["token_endpoint_auth_method=x", "token_endpoint_auth_signing_alg=HS256", "jwks={", "jwks"] {
            expectNil(OAuthClient(word: "a;\(wrong)"))
        }
    }
}
