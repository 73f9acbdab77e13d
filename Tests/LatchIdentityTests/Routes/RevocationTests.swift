// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

/// RFC 7009.
@Suite struct RevocationTests {
    private func apps(_ configuration: inout IdentityConfiguration) {
        configuration.clients = [
            OAuthClient(id: "phone", grants: [.password, .refreshToken]),
            OAuthClient(id: "reports", isConfidential: true, grants: [.password, .refreshToken]),
        ]
        configuration.clientSecretDigests = ["reports": ClientSecret.digest]
    }

    @Test(.tags(.realServer), arguments: Way.allCases, ["refresh_token", "access_token", "nonsense", nil])
    func `A revocation immediately ends a refresh token and its access tokens, whatever the hint`(
        way: Way, hint: String?
    )
        async throws
    {
        let site = try await Site(way)
        try await site.signUp()
        let login = try await site.passwordGrant()
        let next = try await site.refreshGrant(login.refreshToken)
        let answer = try await site.form("/oauth/revoke", ["token": next.refreshToken, "token_type_hint": hint])
        expectEqual(answer.status, 200)
        expectEqual(answer.field(.cacheControl), "no-store")
        for access in [login.accessToken, next.accessToken] {
            try await expectEqual(site.get("/widgets", bearer: access).status, 401)
            try await expectEqual(site.get("/user/profile", bearer: access).status, 401)
        }
        try await expectEqual(site.refreshGrant(next.refreshToken).oauthError, "invalid_grant")
        try await expectEqual(site.metric("latch_families_revoked_total"), 1)
        await site.close()
    }

    @Test(.tags(.realServer), arguments: Way.allCases, ["refresh_token", "access_token", nil])
    func `The revocation route ends an access token, and with it its family`(way: Way, hint: String?) async throws {
        let site = try await Site(way)
        try await site.signUp()
        let login = try await site.passwordGrant()
        let other = try await site.passwordGrant()
        let answer = try await site.form("/oauth/revoke", ["token": login.accessToken, "token_type_hint": hint])
        expectEqual(answer.status, 200)
        try await expectEqual(site.get("/widgets", bearer: login.accessToken).status, 401)
        try await expectEqual(site.refreshGrant(login.refreshToken).oauthError, "invalid_grant")
        try await expectEqual(site.refreshGrant(other.refreshToken).status, 200)
        await site.close()
    }

    @Test(arguments: ["nonsense", "lr1." + String(repeating: "A", count: 70), "eyJhbGciOiJub25lIn0.e30.", "a b"])
    func `The revocation route answers 200 for a token that it never made`(token: String) async throws {
        let site = try await Site()
        try await expectEqual(site.form("/oauth/revoke", ["token": token]).status, 200)
    }

    @Test func `The revocation route answers a repeat as the first time`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await site.passwordGrant()
        let first = try await site.form("/oauth/revoke", ["token": login.refreshToken])
        let second = try await site.form("/oauth/revoke", ["token": login.refreshToken])
        #expect(first.status == 200 && second.status == 200)
        expectEqual(first.response.body, second.response.body)
        try await expectEqual(site.metric("latch_families_revoked_total"), 1)
    }

    @Test func `The revocation route takes an old generation of the family for the family`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await site.passwordGrant()
        let next = try await site.refreshGrant(login.refreshToken)
        _ = try await site.form("/oauth/revoke", ["token": login.refreshToken])
        try await expectEqual(site.refreshGrant(next.refreshToken).oauthError, "invalid_grant")
    }

    @Test(arguments: ["", "token=", "token_type_hint=refresh_token", "token=a&token=b"])
    func `The revocation route is 400 without a token, and with two`(content: String) async throws {
        let site = try await Site()
        let answer = try await site.post("/oauth/revoke", form: content)
        expectEqual(answer.status, 400)
        expectEqual(answer.oauthError, "invalid_request")
    }

    @Test(.tags(.revocationOracle), arguments: Way.allCases)
    func `The revocation route leaves another app's token valid, and does not reveal it`(way: Way) async throws {
        let site = try await Site(way, change: apps)
        try await site.signUp()
        let own = try await site.passwordGrant()
        let phone = try await site.passwordGrant(as: "phone")
        let attempts = [
            try await site.form("/oauth/revoke", ["token": phone.refreshToken]),
            try await site.form("/oauth/revoke", ["token": phone.accessToken]),
            try await site.form("/oauth/revoke", ["token": own.refreshToken, "client_id": "phone"]),
            try await site.form(
                "/oauth/revoke",
                ["token": own.accessToken, "client_id": "reports", "client_secret": ClientSecret.text]),
            try await site.form("/oauth/revoke", ["token": "nonsense"]),
        ]
        for answer in attempts {
            expectEqual(answer.status, 200)
            expectEqual(answer.response.body, attempts[4].response.body)
        }
        try await expectEqual(site.get("/widgets", bearer: own.accessToken).status, 200)
        try await expectEqual(site.get("/widgets", bearer: phone.accessToken).status, 200)
        try await expectEqual(site.refreshGrant(own.refreshToken).status, 200)
        try await expectEqual(site.refreshGrant(phone.refreshToken, as: "phone").status, 200)
        let right = try await site.form("/oauth/revoke", ["token": phone.refreshToken, "client_id": "phone"])
        expectEqual(right.status, 200)
        try await expectEqual(site.get("/widgets", bearer: phone.accessToken).status, 401)
        await site.close()
    }

    /// RFC 7009 §2.2.1: a response of 200 would say that it is not valid any longer.
    @Test(.tags(.revocationOracle))
    func `The revocation route refuses a client's token for itself, which stays valid, and reveals it to no other`()
        async throws
    {
        let site = try await Site {
            $0.clients = [
                OAuthClient(id: "robot", isConfidential: true, grants: [.clientCredentials]),
                OAuthClient(id: "reports", isConfidential: true, grants: [.password]),
            ]
            $0.clientSecretDigests = ["robot": ClientSecret.digest, "reports": ClientSecret.digest]
        }
        let robot: HTTPFields = [.authorization: ClientSecret.basic("robot")]
        let token = try await site.token(["grant_type": "client_credentials"], fields: robot).accessToken
        for hint in ["access_token", "refresh_token", nil] {
            let form: KeyValuePairs<String, String?> = ["token": token, "token_type_hint": hint]
            let refused = try await site.form("/oauth/revoke", form, fields: robot)
            #expect(refused.status == 400 && refused.oauthError == "unsupported_token_type")
            let reports: HTTPFields = [.authorization: ClientSecret.basic("reports")]
            for fields in [reports, [:]] {
                try await expectEqual(site.form("/oauth/revoke", form, fields: fields).status, 200)
            }
        }
        try await expectNotEqual(site.get("/widgets", bearer: token).status, 401)
        // A token that is not valid needs no revocation.
        site.clock.advance(by: 900)
        try await expectEqual(site.form("/oauth/revoke", ["token": token], fields: robot).status, 200)
        try await expectEqual(site.get("/widgets", bearer: token).status, 401)
        await site.close()
    }

    @Test(.tags(.revocationOracle))
    func `The revocation route takes an expired access token, but only from the app that it was issued to`()
        async throws
    {
        let site = try await Site(change: apps)
        try await site.signUp()
        let own = try await site.passwordGrant()
        let phone = try await site.passwordGrant(as: "phone")
        site.clock.advance(by: 86_400)
        for token in [own.accessToken, phone.accessToken] {
            try await expectEqual(site.form("/oauth/revoke", ["token": token]).status, 200)
        }
        try await expectEqual(site.refreshGrant(own.refreshToken).oauthError, "invalid_grant")
        try await expectEqual(site.refreshGrant(phone.refreshToken, as: "phone").status, 200)
        await site.close()
    }

    @Test(.tags(.revocationOracle))
    func `The revocation route needs the secret of a confidential app, before it looks at the token`() async throws {
        let site = try await Site(change: apps)
        try await site.signUp()
        let login = try await site.token([
            "grant_type": "password", "username": "ada@example.com", "password": Site.password,
            "client_id": "reports", "client_secret": ClientSecret.text,
        ])
        expectEqual(login.status, 200)
        let attempts = [
            try await site.form("/oauth/revoke", ["token": login.refreshToken, "client_id": "reports"]),
            try await site.form(
                "/oauth/revoke", ["token": login.refreshToken, "client_id": "reports", "client_secret": "wrong"]),
            try await site.form("/oauth/revoke", ["token": "nonsense", "client_id": "reports"]),
            try await site.form("/oauth/revoke", ["token": login.refreshToken, "client_id": "nobody"]),
        ]
        for answer in attempts {
            expectEqual(answer.status, 401)
            expectEqual(answer.oauthError, "invalid_client")
            expectEqual(answer.response.body, attempts[0].response.body)
            expectEqual(answer.field(.wwwAuthenticate)?.hasPrefix("Basic "), true)
        }
        // Its own access token is no proof of who the app is either.
        let json = try await site.call(
            .post, "/oauth/revoke", bearer: login.accessToken, ["token": .string(login.refreshToken)])
        expectEqual(json.status, 401)
        try await expectEqual(site.get("/widgets", bearer: login.accessToken).status, 200)
        let right = try await site.form(
            "/oauth/revoke", ["token": login.refreshToken], fields: [.authorization: ClientSecret.basic("reports")])
        expectEqual(right.status, 200)
        try await expectEqual(site.get("/widgets", bearer: login.accessToken).status, 401)
    }

    @Test(.tags(.realServer), arguments: Way.allCases)
    func `The revocation route takes seed 004's JSON with the bearer's proof`(way: Way) async throws {
        let site = try await Site(way)
        try await site.signUp()
        let login = try await site.passwordGrant()
        let answer = try await site.call(
            .post, "/oauth/revoke", bearer: login.accessToken,
            ["token": .string(login.accessToken), "token_type_hint": "access_token"])
        expectEqual(answer.status, 200)
        expectEqual(answer.message?.isEmpty, false)
        try await expectEqual(site.get("/user/profile", bearer: login.accessToken).status, 401)
        try await expectEqual(site.refreshGrant(login.refreshToken).oauthError, "invalid_grant")
        await site.close()
    }

    @Test(.tags(.revocationOracle))
    func `The revocation route takes the JSON form only for the caller's own tokens`() async throws {
        let site = try await Site()
        try await site.signUp()
        try await site.signUp("eve@example.com")
        let (ada, eve) = (try await site.passwordGrant(), try await site.passwordGrant("eve@example.com"))
        for token in [ada.refreshToken, ada.accessToken] {
            let answer = try await site.call(
                .post, "/oauth/revoke", bearer: eve.accessToken, ["token": .string(token)])
            expectEqual(answer.status, 200)
        }
        try await expectEqual(site.get("/widgets", bearer: ada.accessToken).status, 200)
        let nobody = try await site.post("/oauth/revoke", ["token": .string(ada.refreshToken)])
        expectEqual(nobody.status, 401)
        expectEqual(nobody.oauthError, "invalid_token")
        expectEqual(nobody.field(.wwwAuthenticate), #"Bearer error="invalid_token""#)
        try await expectEqual(site.refreshGrant(ada.refreshToken).status, 200)
    }

    @Test(.tags(.tokenRevocation)) func `The revocation route leaves nothing for a renewal in progress`() async throws {
        let site = try await Site()
        try await site.signUp()
        for _ in 0..<10 {
            let login = try await site.passwordGrant()
            async let renewal = site.refreshGrant(login.refreshToken)
            async let revocation = site.form("/oauth/revoke", ["token": login.refreshToken])
            let (renewed, revoked) = (try await renewal, try await revocation)
            expectEqual(revoked.status, 200)
            guard renewed.status == 200 else { continue }
            try await expectEqual(site.refreshGrant(renewed.refreshToken).oauthError, "invalid_grant")
        }
    }
}
