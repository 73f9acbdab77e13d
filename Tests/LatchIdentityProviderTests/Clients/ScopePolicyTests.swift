// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchAuth
import LatchCore
import TestTags
import Testing

@testable import LatchIdentity

/// The rules over many random accounts, apps and requests, each replayed by its seed.
@Suite struct ScopePolicyTests {
    private static let resources = ["widgets", "projects", "files", "users"]
    private static let levels = ["read", "write", "delete", "admin", "execute"]

    /// A small generator of its own, so that a seed means the same everywhere.
    private struct Dice {
        var state: UInt64

        mutating func roll(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }

        mutating func scopes() -> Scopes {
            Scopes(
                (0..<roll(8)).compactMap { _ in
                    Scope(resource: resources[roll(resources.count)], level: levels[roll(levels.count)])
                })
        }
    }

    private func rules(_ dice: inout Dice) -> ScopePolicy {
        var configuration = IdentityConfiguration()
        configuration.scopes = dice.scopes()
        configuration.defaultScopes = dice.scopes()
        return ScopePolicy(configuration)
    }

    private func account(_ dice: inout Dice) throws -> Account {
        var account = try Account.example()
        if dice.roll(4) == 0 { account.roles = ["admin"] }
        account.permissions = dice.scopes().elements.map(\.rawValue)
        return account
    }

    private func app(_ dice: inout Dice) -> OAuthClient {
        OAuthClient(id: "a", scopes: dice.roll(3) == 0 ? nil : dice.scopes())
    }

    private func mayHave(_ scope: Scope, _ rules: ScopePolicy, _ account: Account, _ app: OAuthClient) -> Bool {
        let isOwn = scope.level != "admin" || account.roles == ["admin"] || account.permissions.contains(scope.rawValue)
        return rules.known.contains(scope) && isOwn && (app.scopes == nil || app.scopes?.allow(scope) == true)
    }

    /// Returns the granted scopes; nil if the request is rejected.
    private func grant(
        _ body: () throws(IdentityError) -> Scopes
    ) -> Scopes? {
        do throws(IdentityError) {
            return try body()
        } catch {
            expectEqual(error.code, IdentityError.invalidScope.code)
            return nil
        }
    }

    @Test(arguments: 0..<8)
    func `The rules of scopes give the request as far as server, app and account allow, and never more`(seed: Int)
        throws
    {
        var dice = Dice(state: UInt64(seed))
        for _ in 0..<500 {
            let (rules, account, app, asked) = (rules(&dice), try account(&dice), app(&dice), dice.scopes())
            let expected = asked.elements.filter { mayHave($0, rules, account, app) }
            let granted = grant { () throws(IdentityError) in try rules.granted(asked, to: account, by: app) }
            expectEqual(granted?.elements, expected.isEmpty ? nil : expected, "seed \(seed)")
            let standard = grant { () throws(IdentityError) in try rules.granted(nil, to: account, by: app) }
            expectEqual(standard?.elements.allSatisfy { mayHave($0, rules, account, app) }, true, "seed \(seed)")
        }
    }

    @Test(.tags(.scopeWidening), arguments: 0..<8)
    func `The rules of scopes widen by no chain of renewals, whatever changes meanwhile`(seed: Int) throws {
        var dice = Dice(state: UInt64(1000 + seed))
        for _ in 0..<300 {
            let family = dice.scopes()
            var device = Device.example(of: try Account.example())
            device.scope = family.text
            for _ in 0..<5 {
                let (rules, account, app) = (rules(&dice), try account(&dice), app(&dice))
                let asked = dice.roll(2) == 0 ? nil : dice.scopes()
                let renewed = grant { () throws(IdentityError) in
                    try rules.refreshed(asked, of: device, to: account, by: app)
                }
                guard let renewed else { continue }
                #expect(family.allow(all: renewed), "seed \(seed)")
                #expect(renewed.elements.allSatisfy { mayHave($0, rules, account, app) }, "seed \(seed)")
                if let asked { #expect(renewed.elements.allSatisfy(asked.contains), "seed \(seed)") }
            }
        }
    }
}

@Suite struct AppCredentialTests {
    @Test(arguments: ["secret", ClientSecret.text, ":", "%", "a:b:c", "ü", " "])
    func `The credentials of an app come out of a Basic field unchanged`(secret: String) throws {
        let credentials = try #require(ClientCredentials(basic: ClientSecret.basic("my app:1", secret)))
        expectEqual(credentials.id, "my app:1")
        #expect(credentials.secrets.contains(secret))
        #expect(!"\(credentials) \(String(reflecting: credentials))".contains(secret) || secret == ":" || secret == " ")
    }

    /// DuendeArchive/IdentityServer4#2086, panva/node-oidc-provider#361: RFC 7617 alone, without RFC 6749's form encoding.
    @Test(arguments: ["q+8/Zg==", "50%", "%zz", "a%2Bb"])
    func `The credentials of an app can be sent without the form encoding`(secret: String) throws {
        let field = "Basic " + Base64Alphabet.standard.encodePadded("reports:\(secret)".utf8)
        #expect(try #require(ClientCredentials(basic: field)).secrets.contains(secret))
    }

    @Test(arguments: [
        "", "Basic", "Bearer cmVwb3J0czp4", "Basic cmVwb3J0", "Basic OnNlY3JldA==", "Basic cmVw=b3J0czp4", "Basic ====",
        "Basic cmVwb3J0czp4 ", "Basic /w==", "BasiccmVwb3J0czp4", "Basic\tcmVwb3J0czp4",
    ])
    func `The credentials of an app are refused in any other field`(field: String) {
        expectNil(ClientCredentials(basic: field))
    }
}
