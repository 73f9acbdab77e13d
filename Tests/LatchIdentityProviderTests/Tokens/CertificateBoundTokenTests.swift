// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchServer
import LatchTesting
import TestSupport
import Testing

@testable import LatchIdentity

/// Tokens that are bound to a certificate (RFC 8705 §3).
@Suite struct CertificateBoundTokenTests {
    private static let certificate = Array("a certificate".utf8)
    private static let other = Array("another one".utf8)
    private static let thumbprint = JSONValue.string(CertificateThumbprint.of(certificate))

    private func site(_ change: @escaping (inout IdentityConfiguration) -> Void = { _ in }) async throws -> Site {
        try await Site.authorizing {
            $0.clientCertificates = .tls
            for index in $0.clients.indices { $0.clients[index].bindsTokensToCertificate = true }
            change(&$0)
        }
    }

    private func exchange(_ site: Site, _ code: String, _ app: SignInApp, showing certificate: [UInt8]?) async throws
        -> Response
    {
        try await site.form(
            "/oauth/token",
            [
                "grant_type": "authorization_code", "code": code, "code_verifier": app.verifier,
                "redirect_uri": app.redirect, "client_id": app.clientID,
            ], showing: certificate)
    }

    private func refresh(_ site: Site, _ token: String, showing certificate: [UInt8]?) async throws -> Response {
        try await site.form(
            "/oauth/token", ["grant_type": "refresh_token", "refresh_token": token, "client_id": "notes"],
            showing: certificate)
    }

    private func get(_ site: Site, _ path: String, _ token: String, showing certificate: [UInt8]?) async throws
        -> Response
    {
        try await site.send(.get, path, fields: [.authorization: "Bearer \(token)"], showing: certificate)
    }

    @Test func `A token is bound to the certificate of its request, and opens nothing with another one`() async throws {
        let site = try await site()
        let app = SignInApp()
        let code = try await site.code(app)
        try await expectEqual(exchange(site, code, app, showing: nil).oauthError, "invalid_request")
        let tokens = try await exchange(site, code, app, showing: Self.certificate)
        #expect(tokens.status == 200 && tokens.string("token_type") == "Bearer")
        let access = tokens.accessToken
        try expectEqual(JWT(unverified: access).claims["cnf"], ["x5t#S256": Self.thumbprint])
        for path in ["/oauth/userinfo", "/files", "/api/auth/consents"] {
            let mine = try await get(site, path, access, showing: Self.certificate)
            #expect(mine.status == 200 || mine.status == 403, "\(path): \(mine.status)")
            for certificate in [Self.other, nil] {
                let stolen = try await get(site, path, access, showing: certificate)
                #expect(stolen.status == 401 && stolen.response.fields[.wwwAuthenticate]?.isEmpty == false, "\(path)")
            }
        }
        await site.close()
    }

    // RFC 8705 §4.
    @Test func `A refresh token of a public client needs the certificate, and a refusal does not use it up`()
        async throws
    {
        let site = try await site()
        let app = SignInApp(scope: "openid offline_access files:read")
        var tokens = try await exchange(site, try await site.code(app), app, showing: Self.certificate)
        for _ in 0..<2 {
            try await expectEqual(refresh(site, tokens.refreshToken, showing: Self.other).oauthError, "invalid_grant")
            try await expectEqual(refresh(site, tokens.refreshToken, showing: nil).oauthError, "invalid_request")
            try await expectEqual(site.renew(tokens.refreshToken).status, 401)
            tokens = try await refresh(site, tokens.refreshToken, showing: Self.certificate)
            expectEqual(tokens.status, 200)
            try await expectEqual(get(site, "/files", tokens.accessToken, showing: Self.certificate).status, 200)
        }
        await site.close()
    }

    // RFC 8705 §3.2.
    @Test func `Introspection names the certificate, so that a resource server compares it`() async throws {
        let site = try await site {
            $0.clients.append(OAuthClient(id: "api", isConfidential: true, grants: []))
            $0.clientSecretDigests["api"] = ClientSecret.digest
        }
        let app = SignInApp()
        let tokens = try await exchange(site, try await site.code(app), app, showing: Self.certificate)
        for certificate in [Self.certificate, Self.other, nil] {
            let found = try await site.form(
                "/oauth/introspect", ["token": tokens.accessToken],
                fields: [.authorization: ClientSecret.basic("api")], showing: certificate)
            #expect(found.json["active"] == true && found.json["cnf"] == ["x5t#S256": Self.thumbprint])
            expectEqual(found.string("token_type"), "Bearer")
        }
        await site.close()
    }

    @Test func `A client without the registration gets bearer tokens, whatever its connection shows`() async throws {
        let site = try await site {
            for index in $0.clients.indices { $0.clients[index].bindsTokensToCertificate = false }
        }
        let app = SignInApp()
        let tokens = try await exchange(site, try await site.code(app), app, showing: Self.certificate)
        try expectNil(JWT(unverified: tokens.accessToken).claims["cnf"])
        try await expectEqual(get(site, "/files", tokens.accessToken, showing: Self.other).status, 200)
        await site.close()
    }

    // RFC 9449 §4.3 and RFC 8705 §5.
    @Test func `A token may need a key and a certificate, and proofs name the host for certificates`() async throws {
        let site = try await site { $0.certificateURL = "https://mtls.example.com" }
        let (key, app) = (try Key.generate(.es256), SignInApp())
        func proof(_ method: String, _ url: String, token: String? = nil) throws -> String {
            var claims: JSONObject = [
                "jti": .string(RandomSource.system.newID(at: site.clock.now)), "htm": .string(method),
                "htu": .string(url), "iat": .integer(Int64(site.clock.now.timeIntervalSince1970)),
                "nonce": .string(site.proofNonce),
            ]
            claims["ath"] = token.map { .string(Base64URL.encode($0.digest)) }
            return try JWS.sign(
                JSONValue.object(claims).serialized(), with: key,
                header: ["typ": "dpop+jwt", "jwk": .object(JSONObject(key.jwk.filter { $0.key != "kid" }))])
        }
        func send(_ request: HTTPRequest, showing certificate: [UInt8]?) async throws -> Response {
            var request = request
            request.authority = "mtls.example.com"
            if let certificate { request.context[ClientCertificateKey.self] = PresentedCertificate(der: certificate) }
            return Response(try await site.transport.respond(to: request))
        }
        let form = [
            ("grant_type", "authorization_code"), ("code", try await site.code(app)), ("code_verifier", app.verifier),
            ("redirect_uri", app.redirect), ("client_id", app.clientID),
        ]
        var request = HTTPRequest(
            method: .post, scheme: "https", authority: "", path: "/oauth/token",
            fields: [.contentType: FormEncoding.mediaType], body: HTTPBody(FormEncoding.encode(form)))
        request.fields["DPoP"] = try proof("POST", "https://mtls.example.com/oauth/token")
        let tokens = try await send(request, showing: Self.certificate)
        #expect(tokens.status == 200 && tokens.string("token_type") == "DPoP", "\(tokens.text)")
        let access = tokens.accessToken
        try expectEqual(
            JWT(unverified: access).claims["cnf"], ["jkt": .string(key.thumbprint), "x5t#S256": Self.thumbprint])
        for (certificate, status) in [(Self.certificate, 200), (Self.other, 401), (nil, 401)] {
            var request = HTTPRequest(scheme: "https", authority: "", path: "/oauth/userinfo")
            request.fields[.authorization] = "DPoP \(access)"
            request.fields["DPoP"] = try proof("GET", "https://mtls.example.com/oauth/userinfo", token: access)
            try await expectEqual(send(request, showing: certificate).status, status)
        }
        // At another host, a proxy passes on what a caller has written into the field.
        let code = try await site.code(app)
        let elsewhere = try await exchange(site, code, app, showing: Self.certificate)
        #expect(elsewhere.status == 400 && elsewhere.oauthError == "invalid_request", "\(elsewhere.text)")
        await site.close()
    }
}
