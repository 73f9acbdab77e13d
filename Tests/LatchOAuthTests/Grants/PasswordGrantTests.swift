// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import LatchHTTP
import LatchOAuth
import LatchServer
import TestTags
import Testing

@Suite struct PasswordGrantTests {
    let issuer = ScriptedIssuer()

    init() { issuer.on(.ok, #"{"access_token":"a","token_type":"Bearer"}"#) }

    @Test(.tags(.loginRequest))
    func `A password grant is a form with exactly the grant, the name, the password and the scopes`()
        async throws
    {
        let grant = PasswordGrant(
            username: "user@example.com", password: "secret", scopes: .list("widgets:read widgets:write"))
        _ = try await issuer.endpoint().tokens(for: grant)
        let request = try #require(issuer.requests.first)
        expectEqual(request.method, .post)
        expectEqual(request.path, "/oauth/token")
        expectEqual(request.fields[.contentType], "application/x-www-form-urlencoded")
        expectEqual(request.fields[.accept], "application/json")
        expectNil(request.fields[.authorization])
        expectEqual(
            request.body.text,
            "grant_type=password&username=user%40example.com&password=secret"
                + "&scope=widgets%3Aread%20widgets%3Awrite")
    }

    @Test(
        .tags(.loginRequest),
        arguments: [
            "p&scope=widgets:admin+1", "a=b", "a&b", "a+b", "a b", "%26scope%3Dx", "100%", "a#b", "a;b", "a?b", "a/b",
            "\"q\"", "<x>", "\\", "ü€𝄞", "e\u{301}&\u{301}=", "\r\n", "\u{0}", "a\tb", "'", "!*'();:@&=+$,/?#[]",
            "~-._",
        ])
    func `A password grant carries every character of name and password, and none adds a parameter`(
        text: String
    ) async throws {
        let grant = PasswordGrant(username: text, password: text, scopes: .list("widgets:read"))
        _ = try await issuer.endpoint().tokens(for: grant)
        let request = try #require(issuer.requests.first)
        // Read by the server's own parser, which is no code of the writer.
        let fields = try request.formFields()
        expectEqual(fields.map(\.name), ["grant_type", "username", "password", "scope"])
        expectEqual(fields["username"].map { Array($0.utf8) }, Array(text.utf8))
        expectEqual(fields["password"].map { Array($0.utf8) }, Array(text.utf8))
        expectEqual(fields["scope"], "widgets:read")
        expectEqual(request.body.text?.utf8.allSatisfy { (0x21...0x7E).contains($0) }, true)
        #expect(!request.path.contains("?"))
    }

    @Test(.tags(.loginRequest)) func `A password grant names scopes in the requested order, each once`() async throws {
        for text in ["b:read a:read", "b:read  a:read b:read", " b:read a:read "] {
            _ = try await issuer.endpoint().tokens(
                for: PasswordGrant(username: "u", password: "p", scopes: .list(text)))
        }
        #expect(issuer.forms.allSatisfy { $0.last == "scope=b:read a:read" })
    }

    @Test(.tags(.loginRequest)) func `A password grant leaves the scope out if there is none`() async throws {
        _ = try await issuer.endpoint().tokens(for: PasswordGrant(username: "u", password: "p"))
        expectEqual(issuer.forms, [["grant_type=password", "username=u", "password=p"]])
    }

    @Test func `A password grant is not sent twice, and carries no key unless one is given`() async throws {
        let endpoint = issuer.endpoint()
        let grant = PasswordGrant(username: "u", password: "p")
        _ = try await endpoint.tokens(for: grant)
        _ = try await endpoint.tokens(for: grant, idempotencyKey: "k1")
        expectEqual(issuer.requests.map { $0.fields[.idempotencyKey] }, [nil, "k1"])
    }

    @Test(.tags(.secretTransport)) func `A password grant shows neither name nor password`() {
        let grant = PasswordGrant(username: "canary-name", password: "canary-password")
        var text = "\(grant) \(String(reflecting: grant))"
        dump(grant, to: &text)
        #expect(!text.contains("canary"))
    }
}
