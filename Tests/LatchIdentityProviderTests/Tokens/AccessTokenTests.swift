// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchJOSE
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct AccessTokenTests {
    private let site: Site
    private let login: Response
    private let key: Key

    init() async throws {
        site = try await Site()
        try await site.signUp(roles: ["admin"])
        login = try await site.logIn()
        let stored = try #require(try await site.identity.services.store.signingKeys().first)
        key = try Key(jwk: try #require(try JSONValue(parsing: stored.privateJWK).objectValue))
    }

    private func claims(_ change: (inout Claims) -> Void = { _ in }) throws -> Claims {
        var claims = try JWT(unverified: login.access).claims
        change(&claims)
        return claims
    }

    private func status(_ token: String) async throws -> Int {
        try await site.get("/user/profile", bearer: token).status
    }

    @Test func `An access token is accepted as it was issued`() async throws {
        try await expectEqual(status(login.access), 200)
        try await expectEqual(status(JWT.sign(claims(), with: key, type: "at+jwt")), 200)
    }

    @Test(.tags(.tokenForgery))
    func `An access token of another kind is refused, though the key is ours`() async throws {
        for type in ["JWT", "id+jwt", "logout+jwt", nil] as [String?] {
            try await expectEqual(status(JWT.sign(claims(), with: key, type: type)), 401)
        }
    }

    @Test(.tags(.tokenForgery))
    func `An access token is refused without a signature, or with a foreign one`() async throws {
        let parts = login.access.split(separator: ".").map(String.init)
        let none = Base64URL.encode(Array(#"{"alg":"none","typ":"at+jwt"}"#.utf8))
        try await expectEqual(status("\(none).\(parts[1])."), 401)
        try await expectEqual(status("\(parts[0]).\(parts[1])."), 401)
        try await expectEqual(status("\(parts[0]).\(parts[1]).\(parts[2].reversed())"), 401)
        let stranger = try Key.generate(.es256, id: key.id)
        try await expectEqual(status(JWT.sign(claims(), with: stranger, type: "at+jwt")), 401)
    }

    @Test(.tags(.tokenForgery))
    func `An access token is refused if the public key is used as a shared secret`() async throws {
        let published = try await site.get("/.well-known/jwks.json").response.body.bytes
        for secret in [published, Array((key.publicKey?.jwk["x"]?.stringValue ?? "").utf8)] {
            let header = Base64URL.encode(
                Array(#"{"alg":"HS256","typ":"at+jwt","kid":"\#(key.id ?? "")"}"#.utf8))
            let signed = header + "." + login.access.split(separator: ".")[1]
            let code = HMAC<SHA256>.authenticationCode(
                for: Array(signed.utf8), using: SymmetricKey(data: secret))
            try await expectEqual(status(signed + "." + Base64URL.encode(Array(code))), 401)
        }
    }

    @Test(.tags(.tokenTimes), arguments: ["iss", "aud", "sub", "exp", "sid"])
    func `An access token is refused without a required claim`(name: String) async throws {
        try await expectEqual(status(JWT.sign(claims { $0.members[name] = nil }, with: key, type: "at+jwt")), 401)
    }

    @Test(
        .tags(.tokenTimes),
        arguments: [
            ("iss", JSONValue.string("https://evil.example")), ("aud", .string("https://other.example")),
            ("exp", .integer(1)), ("exp", .string("9999999999")), ("nbf", .integer(9_999_999_999)),
            ("sub", .string("another-account")), ("sid", .string("AAAAAAAAAAAAAAAAAAAAAA")), ("sid", .string("%%%")),
            ("sid", .integer(5)),
        ])
    func `An access token is refused with another claim`(name: String, value: JSONValue) async throws {
        try await expectEqual(status(JWT.sign(claims { $0.members[name] = value }, with: key, type: "at+jwt")), 401)
    }

    @Test func `An access token gives no role that the account does not have, whatever its claims say`() async throws {
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        _ = try await site.identity.administration.setRoles(of: account.id, roles: [], permissions: [])
        try await expectEqual(site.get("/api/users", bearer: login.access).status, 403)
    }

    @Test(
        .tags(.hugeToken),
        arguments: ["", " ", "a.b.c", "....", String(repeating: "A", count: 100_000), "null", "eyJ.eyJ."])
    func `An access token in another form is refused`(token: String) async throws {
        try await expectEqual(status(token), 401)
    }

    @Test(arguments: ["Basic dXNlcjpwYXNz", "bearer", "Token x", "Bearer  two  words"])
    func `An access token is read only from a Bearer field`(value: String) async throws {
        try await expectEqual(site.send(.get, "/user/profile", fields: [.authorization: value]).status, 401)
        try await expectEqual(site.get("/user/profile?access_token=\(login.access)").status, 401)
        let lower = try await site.send(.get, "/user/profile", fields: [.authorization: "bearer \(login.access)"])
        expectEqual(lower.status, 200)
    }
}
