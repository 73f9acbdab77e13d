// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchAuth
import LatchCore
import Testing

@testable import LatchIdentity

@Suite struct OAuthClientTests {
    @Test func `The registration of an app is one word of a configuration`() throws {
        let app = try #require(
            OAuthClient(word: "reports;confidential;grants=password,refresh_token;scopes=widgets:read,files:read"))
        expectEqual(app.id, "reports")
        #expect(app.isConfidential)
        expectEqual(app.grants, [.password, .refreshToken])
        expectEqual(app.scopes, Scopes(parsing: "files:read widgets:read"))
    }

    @Test func `The registration of an app leaves out the password grant if it is not named`() throws {
        let app = try #require(OAuthClient(word: "phone"))
        expectEqual(app.grants, [.refreshToken])
        #expect(!app.isConfidential)
        expectNil(app.scopes)
        try expectEqual(#require(OAuthClient(word: "phone;scopes=")).scopes, Scopes())
    }

    @Test(arguments: [
        "phone;grants=refresh_token", "phone;grants=", "a;confidential;grants=password;scopes=x", "a;grants=;scopes=",
        "a;trusted;grants=authorization_code;redirects=https://a.example/b?c=d,a://b,com.example.a:/callback;logout=https://a.example/c",
        "a;confidential;require_pkce=false;require_nonce;grants=refresh_token",
        "a;require_factor;sign_in_ways=passkey,code;authorization_signed_response_alg=EdDSA;introspection_signed_response_alg=RS256;grants=refresh_token",
        "a;grants=refresh_token;access_token_lifetime=60;session_lifetime=3600;unverified_email",
        "a;grants=refresh_token;allowed_origins=https://a.example:8443,http://localhost:5173,capacitor://localhost",
        "a;id_token_signed_response_alg=EdDSA;id_token_claims;grants=refresh_token",
        "a;confidential;introspect_all;grants=",
    ])
    func `The registration of an app is written as it is read`(word: String) throws {
        let app = try #require(OAuthClient(word: word))
        expectEqual(app.word, word)
        expectEqual(OAuthClient(word: app.word), app)
    }

    @Test(arguments: [
        "", ";", "first-party", "a;b", "a;secret=x", "a;grants", "a;grants=implicit", "a;grants=password,password",
        "a;scopes=x,x", "a;scopes=\"", "a;confidential=yes", "a\u{0}", "é", String(repeating: "a", count: 101), "a;;",
        "a;redirects=", "a;redirects=javascript://x", "a;redirects=http://a.example/b", "a;redirects=a://b,a://b",
        "a;redirects=https://a.example/?x#y", "a;redirects=com.example.a:/", "a;redirects=a:b", "a;logout=data:x",
        "a;allowed_origins=https://a.example/b", "a;allowed_origins=http://a.example", "a;allowed_origins=*",
        "a;allowed_origins=https://*.a.example",
        "a;allowed_origins=https://A.example", "a;allowed_origins=https://a.example,https://a.example",
        "a;trusted=yes", "a;require_pkce=", "a;require_pkce=no", "a;trusted;trusted=false",
        "a;grants=password;grants=refresh_token", "a;sign_in_ways=", "a;sign_in_ways=email",
        "a;sign_in_ways=code,code",
    ])
    func `The registration of an app is refused if a word of it is unknown or has no effect`(word: String) {
        expectNil(OAuthClient(word: word))
    }

    private func failure(_ change: (inout IdentityConfiguration) -> Void) -> IdentityError? {
        var configuration = IdentityConfiguration()
        change(&configuration)
        do throws(IdentityError) {
            _ = try OAuthClients(configuration)
            return nil
        } catch {
            return error
        }
    }

    @Test func `The registration of a confidential app needs a secret, and no other has one`() {
        let app = OAuthClient(id: "reports", isConfidential: true)
        let digest = ClientSecret.digest
        let wrong: [(inout IdentityConfiguration) -> Void] = [
            { $0.clients = [app] },
            { $0.clientSecretDigests = ["reports": digest] },
            {
                $0.clients = [OAuthClient(id: "reports")]
                $0.clientSecretDigests = ["reports": digest]
            },
            {
                $0.clients = [app]
                $0.clientSecretDigests = ["reports": "secret"]
            },
            { $0.clientSecretDigests = ["first-party": digest] },
            {
                $0.clients = [app]
                $0.clientSecretDigests = ["reports": [digest, digest, digest].joined(separator: "+")]
            },
            {
                $0.clients = [app]
                $0.clientSecretDigests = ["reports": digest + "+"]
            },
        ]
        for change in wrong {
            let error = failure(change)
            expectEqual(error?.code, IdentityError.invalidSetting.code)
            expectEqual(error?.message.contains("client_secrets"), true)
            expectEqual(error?.message.contains(digest), false)
        }
        expectNil(
            failure {
                $0.clients = [app]
                $0.clientSecretDigests = ["reports": digest]
            })
    }

    @Test func `The registration of a public app requires PKCE`() {
        let error = failure { $0.clients = [OAuthClient(id: "phone", requiresPKCE: false)] }
        expectEqual(error?.message.contains("'phone' is public"), true)
    }

    @Test func `The registration of a public app cannot introspect all tokens`() {
        let error = failure { $0.clients = [OAuthClient(id: "phone", introspectsAllTokens: true)] }
        expectEqual(error?.message.contains("'introspect_all'"), true)
    }

    @Test func `The registration of an app occurs once under its ID`() {
        for apps in [[OAuthClient(id: "a"), OAuthClient(id: "a")], [OAuthClient(id: "first-party")]] {
            expectEqual(failure { $0.clients = apps }?.message.contains("'clients'"), true)
        }
    }

    @Test
    func `The registration of an app that is invalid stops the start, and leaves a running server unchanged`()
        async throws
    {
        let folder = try TemporaryFolder()
        var configuration = IdentityConfiguration()
        configuration.clients = [OAuthClient(id: "reports", isConfidential: true)]
        let broken = configuration
        await #expect(throws: IdentityError.self) {
            try await Identity(configuration: broken, storePath: folder.file(), mailer: MemoryMailer())
        }
        let site = try await Site()
        try await site.signUp()
        await #expect(throws: IdentityError.self) { try await site.identity.reconfigured(broken) }
        try await expectEqual(site.passwordGrant().status, 200)
        await site.close()
    }
}
