// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import TestTags
import Testing

@testable import LatchIdentity

/// RFC 8414.
@Suite struct MetadataTests {
    private let path = "/.well-known/oauth-authorization-server"

    @Test(arguments: Way.allCases)
    func `The server's metadata names its issuer and endpoints that answer`(way: Way) async throws {
        let site = try await Site(way)
        let answer = try await site.get(path)
        expectEqual(answer.status, 200)
        expectEqual(answer.field(.contentType)?.hasPrefix("application/json"), true)
        expectEqual(answer.field(.cacheControl), "public, max-age=300")
        let issuer = try #require(site.identity.issuer)
        expectEqual(answer.string("issuer"), issuer)
        for (name, status) in [
            ("token_endpoint", 400), ("revocation_endpoint", 400), ("introspection_endpoint", 401),
            ("device_authorization_endpoint", 400),
            ("userinfo_endpoint", 401), ("authorization_endpoint", 400),
            ("end_session_endpoint", 303),
        ] {
            let url = answer.string(name)
            #expect(url.hasPrefix(issuer + "/"))
            try await expectEqual(site.post(String(url.dropFirst(issuer.count)), form: "").status, status)
        }
        let keys = String(answer.string("jwks_uri").dropFirst(issuer.count))
        try await expectEqual(site.get(keys).field(.contentType), "application/jwk-set+json")
        await site.close()
    }

    @Test func `The server's metadata and keys can be read by a page of any site, without cookies`() async throws {
        let site = try await Site()
        for path in [path, "/.well-known/openid-configuration", "/.well-known/jwks.json"] {
            let response = try await site.send(.get, path, fields: ["Origin": "https://app.example"])
            expectEqual(response.field("Access-Control-Allow-Origin"), "*")
            expectNil(response.field("Access-Control-Allow-Credentials"))
        }
        await site.close()
    }

    @Test func `The server's metadata states what the server can do, and nothing else`() async throws {
        let site = try await Site()
        let json = try await site.get(path).json
        expectEqual(
            json["grant_types_supported"],
            [
                "password", "refresh_token", "authorization_code", "urn:ietf:params:oauth:grant-type:device_code",
                "client_credentials", "urn:ietf:params:oauth:grant-type:jwt-bearer",
                "urn:ietf:params:oauth:grant-type:token-exchange",
            ])
        expectEqual(
            json["token_endpoint_auth_methods_supported"],
            ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"])
        expectEqual(json["response_types_supported"], ["code"])
        expectEqual(json["response_modes_supported"], ["query", "form_post", "jwt", "query.jwt", "form_post.jwt"])
        expectEqual(json["scopes_supported"]?.arrayValue?.count, 16)
        expectEqual(json["code_challenge_methods_supported"], ["S256"])
        expectEqual(json["authorization_response_iss_parameter_supported"], true)
        expectEqual(json["request_uri_parameter_supported"], false)
        expectEqual(json["id_token_signing_alg_values_supported"], ["ES256"])
        expectNil(json["registration_endpoint"])
        try await expectEqual(site.get("/.well-known/openid-configuration").json, json)
    }

    @Test
    func `The server's metadata names only the user's scopes if none are configured, and grants no others`()
        async throws
    {
        let site = try await Site {
            let standard = IdentityConfiguration()
            ($0.scopes, $0.defaultScopes) = (standard.scopes, standard.defaultScopes)
        }
        let json = try await site.get(path).json
        expectEqual(json["scopes_supported"], ["openid", "profile", "email", "phone", "offline_access"])
        try await site.signUp()
        #expect(try await site.passwordGrant().string("scope").isEmpty)
        try await expectEqual(site.passwordGrant(scope: "widgets:read").oauthError, "invalid_scope")
        for path in ["/widgets", "/projects", "/files"] {
            let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:8080", path: path)
            try await expectEqual(site.identity.handler.respond(to: request).status, .notFound)
        }
        await site.close()
    }

    /// The document is written once: each key of another algorithm must be in the next one.
    @Test(.tags(.keyRotation)) func `The server's metadata has the algorithm of a new key`() async throws {
        let site = try await Site()
        try await expectEqual(site.get(path).json["id_token_signing_alg_values_supported"], ["ES256"])
        try await site.identity.signingKeys.require(.eddsa)
        try await expectEqual(
            site.get(path).json["id_token_signing_alg_values_supported"], ["ES256", "EdDSA"])
        await site.close()
    }

    /// RFC 8414 §3.
    @Test func `The server's metadata is at the issuer's path after the well-known one`() async throws {
        let site = try await Site { $0.issuer = "https://id.example.com/tenant/a" }
        try await expectEqual(site.get(path + "/tenant/a").string("issuer"), "https://id.example.com/tenant/a")
        try await expectEqual(site.get("/.well-known/openid-configuration/tenant/a").status, 200)
        try await expectEqual(site.get(path).status, 200)
        try await expectEqual(site.get(path + "/tenant").status, 404)
        await site.close()
    }

    @Test func `The server's metadata follows the configuration, and never the request's host`() async throws {
        let site = try await Site {
            $0.issuer = "https://id.example.com/tenant/"
            ($0.scopes, $0.defaultScopes) = (Scopes(parsing: "a:b"), [])
        }
        let answer = try await site.send(.get, path, fields: ["X-Forwarded-Host": "evil.example"])
        expectEqual(answer.string("token_endpoint"), "https://id.example.com/tenant/oauth/token")
        expectEqual(answer.json["scopes_supported"], ["a:b", "openid", "profile", "email", "phone", "offline_access"])
        #expect(!answer.text.contains("evil"))
    }

    @Test func `The server's metadata is absent before the server knows its address`() async throws {
        let folder = try TemporaryFolder()
        let identity = try await Identity(
            configuration: IdentityConfiguration(), storePath: folder.file(), mailer: MemoryMailer())
        let request = HTTPRequest(scheme: "http", authority: "127.0.0.1", path: path)
        let response = try await identity.handler.respond(to: request)
        expectEqual(response.status, .serviceUnavailable)
        expectEqual(response.fields[.retryAfter], "1")
        await identity.close()
    }

    /// WebAuthn Level 3 §5.11.
    @Test func `The server's metadata lists the other sites that use its passkeys, if there are any`() async throws {
        let android = "android:apk-key-hash:" + String(repeating: "a", count: 43)
        let site = try await Site {
            $0.passkeyOrigins = ["https://app.example.com", android, "https://example.de:8443"]
        }
        let answer = try await site.get("/.well-known/webauthn")
        #expect(answer.status == 200 && answer.field(.contentType)?.hasPrefix("application/json") == true)
        expectEqual(answer.json, ["origins": ["https://app.example.com", "https://example.de:8443"]])
        for origins in [[], [android]] {
            let other = try await Site { $0.passkeyOrigins = origins }
            try await expectEqual(other.get("/.well-known/webauthn").status, 404)
            await other.close()
        }
        await site.close()
    }

    /// An app confirms an address with the link alone, so it gets those links only where the owner must be proved.
    @Test(.tags(.accountPreHijack), arguments: [(false, ["/reset"]), (true, ["/verify", "/reset"])])
    func `The server's metadata names the apps that open the links of emails, if there are any`(
        isProved: Bool, expected: [String]
    )
        async throws
    {
        let path = "/.well-known/apple-app-site-association"
        let none = try await Site()
        try await expectEqual(none.get(path).status, 404)
        await none.close()
        let site = try await Site {
            $0.appleAppIDs = ["TEAMID1234.com.example.notes"]
            $0.requireOwnerProof = isProved
        }
        let found = try await site.get(path)
        #expect(found.status == 200 && found.field(.contentType)?.hasPrefix("application/json") == true)
        let apps: JSONValue = ["TEAMID1234.com.example.notes"]
        expectEqual(found.json["webcredentials"], ["apps": apps])
        let detail = found.json["applinks"]?["details"]?.arrayValue?.first
        expectEqual(detail?["appIDs"], apps)
        let paths = detail?["components"]?.arrayValue?.compactMap { $0["/"]?.stringValue }
        expectEqual(paths, expected)
        await site.close()
    }

    /// ls1intum/artemis-android#571.
    @Test
    func `The server's metadata names the apps on Android that share the passkeys, if there are any`() async throws {
        let path = "/.well-known/assetlinks.json"
        let none = try await Site()
        try await expectEqual(none.get(path).status, 404)
        await none.close()
        let fingerprint = Array(repeating: "AB", count: 32).joined(separator: ":")
        let site = try await Site { $0.androidApps = ["com.example.notes=" + fingerprint.lowercased()] }
        let found = try await site.get(path)
        #expect(found.status == 200 && found.field(.contentType)?.hasPrefix("application/json") == true)
        let statement = try #require(try JSONValue(parsing: found.response.body.bytes).arrayValue?.first)
        expectEqual(statement["target"]?["package_name"], "com.example.notes")
        expectEqual(statement["target"]?["sha256_cert_fingerprints"], [.string(fingerprint)])
        expectEqual(statement["relation"]?.arrayValue?.contains("delegate_permission/common.get_login_creds"), true)
        await site.close()
    }
}
