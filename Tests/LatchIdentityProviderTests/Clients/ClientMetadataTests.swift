// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchJOSE
import TestTags
import Testing

@testable import LatchIdentity

/// RFC 7591 §2 and §3.2, OpenID Connect Registration §2.
@Suite struct ClientMetadataTests {
    private static let policy: ScopePolicy = {
        var configuration = IdentityConfiguration()
        configuration.scopes = ["files:read", "files:admin"]
        return ScopePolicy(configuration)
    }()

    private static let registration = ClientMetadataRules.registration(policy)
    private static let document = ClientMetadataRules.document(policy)

    private static let minimum: JSONObject = ["redirect_uris": ["https://app.example/back"]]

    private func client(
        _ changes: KeyValuePairs<String, JSONValue?> = [:], _ rules: ClientMetadataRules = registration
    ) throws(ClientMetadataError) -> OAuthClient {
        var metadata = Self.minimum
        for (name, value) in changes { metadata[name] = value }
        return try OAuthClient(id: "app", metadata: metadata, rules: rules)
    }

    private func failure(
        _ changes: KeyValuePairs<String, JSONValue?>, _ rules: ClientMetadataRules = registration
    ) -> ClientMetadataError? {
        do throws(ClientMetadataError) {
            _ = try client(changes, rules)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Accepted metadata

    @Test func `The metadata of a client is registered with the defaults of what it leaves out`() throws {
        let client = try client()
        #expect(client.isConfidential && client.hasSecret && !client.isTrusted && client.requiresPKCE)
        expectEqual(client.grants, [.authorizationCode])
        let metadata = client.metadata
        expectEqual(metadata["client_id"], "app")
        expectEqual(metadata["token_endpoint_auth_method"], "client_secret_basic")
        #expect(metadata["grant_types"] == ["authorization_code"] && metadata["response_types"] == ["code"])
        #expect(metadata["id_token_signed_response_alg"] == "RS256" && metadata["subject_type"] == "public")
        expectEqual(metadata["application_type"], "web")
        expectEqual(metadata["dpop_bound_access_tokens"], false)
        #expect(metadata["jwks"] == nil && metadata["client_name"] == nil && metadata["contacts"] == nil)
        expectEqual(metadata["scope"], "openid profile email phone offline_access files:read")
    }

    @Test func `The metadata of a client has each member that it names, and is read as it is written`() throws {
        let key = try Key.generate(.es256)
        let metadata: JSONObject = [
            "redirect_uris": ["https://app.example/back", "https://app.example/other?a=b"],
            "token_endpoint_auth_method": "private_key_jwt", "token_endpoint_auth_signing_alg": "ES256",
            "jwks": KeySet([key]).jwks(), "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"], "application_type": "web", "scope": "openid files:read",
            "client_name": "Weekly Reports", "client_name#de": "Wochenberichte", "client_uri": "https://app.example/",
            "logo_uri": "https://app.example/logo.png", "policy_uri": "https://app.example/privacy#data",
            "tos_uri": "https://app.example/terms", "contacts": ["ops@app.example"],
            "initiate_login_uri": "https://app.example/login", "software_id": "4b0c", "software_version": "1.0 beta",
            "id_token_signed_response_alg": "ES256", "request_object_signing_alg": "ES256",
            "post_logout_redirect_uris": ["https://app.example/bye"],
            "require_pushed_authorization_requests": true,
            "dpop_bound_access_tokens": true, "require_signed_request_object": true, "default_max_age": 600,
        ]
        let client = try OAuthClient(id: "app", metadata: metadata, rules: Self.registration)
        for (name, value) in metadata { expectEqual(client.metadata[name], value, "\(name)") }
        expectEqual(client.presentation.name(in: "de"), "Wochenberichte")
        expectEqual(client.presentation.name(in: "fr"), "Weekly Reports")
        try expectEqual(OAuthClient(id: "app", metadata: client.metadata, rules: Self.registration), client)
        // A client of the configuration does not register itself.
        var configured = client
        configured.registersItself = false
        expectEqual(OAuthClient(word: client.word), configured)
        try expectEqual(OAuthClient.tables.parse(OAuthClient.tables.tables([client])), [configured])
    }

    @Test func `The metadata of a client may have unknown members, empty ones, and a language tag in any case`() throws
    {
        let client = try client([
            "unheard": ["of": 1], "client_name": nil, "client_uri": .null, "client_name#DE": "Berichte",
            "client_name#tlh": "x", "request_uris": ["https://app.example/r"],
        ])
        #expect(client.presentation.names == ["de": "Berichte"] && client.presentation.clientURI == nil)
    }

    @Test(arguments: [
        ("http://127.0.0.1/back", "native"), ("http://localhost:3000/back", "native"), ("com.example.app:/b", "native"),
        ("https://app.example/back", "web"),
    ])
    func `The metadata of a client without a type has that of its redirects`(redirect: String, type: String) throws {
        let client = try client(["redirect_uris": [.string(redirect)]])
        expectEqual(client.metadata["application_type"], .string(type))
        // A program on a device keeps no secret.
        expectEqual(client.isConfidential, type == "web")
        for type in ["native", "web"] {
            let named = try self.client(["application_type": .string(type), "redirect_uris": [.string(redirect)]])
            expectEqual(named.metadata["application_type"], .string(type))
        }
    }

    /// What programs that are in use send, with other names.
    private static let careless: [KeyValuePairs<String, JSONValue?>] = [
        ["grant_types": ["authorization_code", "urn:ietf:params:oauth:grant-type:jwt-bearer", "password", "unheard"]],
        ["response_types": ["code", "token"]], ["scope": "mcp:tools files:admin"], ["scope": ""], ["scope": .null],
        ["client_name": ""], ["client_name": "a\nb"], ["client_name": " a"], ["client_name": "a\u{202E}b"],
        ["client_name#de": "\u{200B}a"], ["client_name": .string(String(repeating: "a", count: 201))],
        ["client_uri": ""], ["client_uri": "javascript:alert(1)"], ["policy_uri": "http://app.example/p"],
        ["tos_uri": "https://a@b.example/"], ["logo_uri": "data:x"], ["logo_uri": .null], ["contacts": ["a b"]],
        ["contacts": "a"], ["contacts": []], ["contacts": .null], ["jwks": .null], ["software_id": ""],
    ]

    @Test(arguments: careless.indices)
    func `The metadata of a client is registered without what it cannot have, and what nobody can read`(
        index: Int
    ) throws {
        try expectEqual(client(Self.careless[index]).metadata, client().metadata)
    }

    @Test func `The metadata of a client cannot give it what only the operator gives`() throws {
        let client = try client([
            "trusted": true, "confidential": true, "introspect_all": true, "require_pkce": false, "serves": ["x"],
            "id_token_claims": true, "security_profile": "fapi2", "allowed_origins": ["https://evil.example"],
            "resources": [], "roles_claim": "roles", "backchannel_logout_uri": "https://10.0.0.1/x", "redirects": ["x"],
            "logout": ["x"], "grants": ["password"],
            "token_endpoint_auth_method": "none",
        ])
        let expected = try self.client(["token_endpoint_auth_method": "none"])
        #expect(client == expected && !client.belongsToOperator && !client.isConfidential)
    }

    // MARK: Refused metadata

    /// Changes, the member that the error names, and a word of the reason.
    private static let refused: [(KeyValuePairs<String, JSONValue?>, String, String)] = [
        (["redirect_uris": nil], "redirect_uris", "needs"), (["redirect_uris": []], "redirect_uris", "no URL"),
        (["redirect_uris": "https://app.example/b"], "redirect_uris", "list"),
        (["redirect_uris": [1]], "redirect_uris", "list"),
        (["redirect_uris": ["javascript:alert(1)"]], "redirect_uris", "not allowed"),
        (["redirect_uris": ["data:text/html,x"]], "redirect_uris", "not allowed"),
        (["redirect_uris": ["http://app.example/b"]], "redirect_uris", "not allowed"),
        (["redirect_uris": ["https://app.example/b#c"]], "redirect_uris", "not allowed"),
        (["redirect_uris": ["https://a@app.example/b"]], "redirect_uris", "not allowed"),
        (["redirect_uris": ["https://a.example/b", "https://a.example/b"]], "redirect_uris", "twice"),
        (["redirect_uris": .array((0...50).map { "https://a.example/\($0)" })], "redirect_uris", "50"),
        (["application_type": "desktop"], "application_type", "web nor native"),
        (["token_endpoint_auth_method": "client_secret_jwt"], "token_endpoint_auth_method", "known are"),
        (["token_endpoint_auth_method": "tls_client_auth"], "token_endpoint_auth_method", "certificate"),
        (["token_endpoint_auth_method": "private_key_jwt"], "jwks", "public keys"),
        (["token_endpoint_auth_method": 1], "token_endpoint_auth_method", "text"),
        (["grant_types": ["refresh_token"]], "grant_types", "needs"),
        (
            ["grant_types": ["urn:ietf:params:oauth:grant-type:device_code"]], "grant_types",
            "not the grant authorization_code"
        ),
        (["response_types": ["token"]], "response_types", "with code"), (["scope": ["openid"]], "scope", "text"),
        (["subject_type": "pairwise"], "subject_type", "public"),
        (["jwks": ["keys": []]], "jwks", "set of keys"), (["jwks": "x"], "jwks", "set of keys"),
        (["jwks": ["keys": [["kty": "oct", "k": "AAAA"]]]], "jwks", "secret"),
        (["jwks": ["keys": [["kty": "EC"]]], "jwks_uri": "https://app.example/keys"], "jwks", "both"),
        (["jwks_uri": "http://app.example/keys"], "jwks_uri", "https"),
        (["jwks_uri": "https://a@app.example/keys"], "jwks_uri", "https"),
        (["id_token_signed_response_alg": "none"], "id_token_signed_response_alg", "known are"),
        (["id_token_signed_response_alg": "HS256"], "id_token_signed_response_alg", "known are"),
        (["id_token_encrypted_response_alg": "RSA-OAEP"], "id_token_encrypted_response_alg", "support"),
        (["userinfo_encrypted_response_alg": "RSA-OAEP"], "userinfo_encrypted_response_alg", "support"),
        (
            ["tls_client_certificate_bound_access_tokens": true], "tls_client_certificate_bound_access_tokens", "DPoP"
        ),
        (["default_max_age": -1], "default_max_age", "seconds"),
        (["default_max_age": "1"], "default_max_age", "number"),
        (["dpop_bound_access_tokens": "true"], "dpop_bound_access_tokens", "true or false"),
        (["redirect_uris": ["ms-msdt:/x"]], "redirect_uris", "operator"),
        (["redirect_uris": ["intent://x"]], "redirect_uris", "operator"),
        (["redirect_uris": ["https://app%2eevil.example/b"]], "redirect_uris", "operator"),
        (["redirect_uris": ["https://app'.evil.example/b"]], "redirect_uris", "operator"),
        (["post_logout_redirect_uris": ["tel:/1"]], "post_logout_redirect_uris", "operator"),
        (["jwks": ["keys": .array(Array(repeating: ["kty": "EC"], count: 9))]], "jwks", "too many"),
        (["post_logout_redirect_uris": ["data:x"]], "post_logout_redirect_uris", "'post_logout_redirect_uris'"),
    ]

    @Test(.tags(.openRegistration), arguments: refused.indices)
    func `The metadata of a client is refused with the member, the reason, and no value`(index: Int) {
        let (changes, member, word) = Self.refused[index]
        let error = failure(changes)
        #expect(error?.member == member && error?.reason.contains(word) == true, "\(String(describing: error))")
        expectEqual(error?.code == .invalidRedirectURI, member == "redirect_uris")
        #expect(error?.description.contains("example") != true || word == "https" || word == "addresses")
    }

    @Test func `The metadata of a client with the device grant only needs no redirect`() throws {
        let device = "urn:ietf:params:oauth:grant-type:device_code"
        let client = try client(["redirect_uris": nil, "grant_types": [.string(device)]])
        #expect(client.grants == [.deviceCode] && client.metadata["response_types"] == [])
    }

    // MARK: Documents

    @Test func `The metadata of a document is that of a public client without a secret`() throws {
        let client = try client([:], Self.document)
        #expect(!client.isConfidential && client.permits(.none) && !client.belongsToOperator)
        expectEqual(client.metadata["token_endpoint_auth_method"], "none")
        let keyed = try self.client(
            ["token_endpoint_auth_method": "private_key_jwt", "jwks_uri": "https://app.example/keys"], Self.document)
        #expect(keyed.hasKey && keyed.isConfidential && !keyed.hasSecret)
    }

    @Test(arguments: ["client_secret_basic", "client_secret_post", "client_secret_jwt"])
    func `The metadata of a document cannot have a method with a secret`(method: String) {
        expectEqual(
            failure(["token_endpoint_auth_method": .string(method)], Self.document)?.member,
            "token_endpoint_auth_method")
    }

    @Test(arguments: ["client_secret", "client_secret_expires_at"])
    func `The metadata of a document cannot have a secret`(name: String) {
        expectEqual(failure([name: 0], Self.document)?.member, name)
    }

    @Test func `The metadata of a document is for any server, so that grants and scopes of others are left out`() throws
    {
        let client = try client(
            [
                "grant_types": ["authorization_code", "refresh_token", "client_credentials", "x"],
                "scope": "openid files:admin other:read files:read",
            ], Self.document)
        expectEqual(client.grants, [.authorizationCode, .refreshToken])
        expectEqual(client.scopes, ["openid", "files:read"])
        expectEqual(failure(["grant_types": ["client_credentials"]], Self.document)?.member, "grant_types")
    }
}
