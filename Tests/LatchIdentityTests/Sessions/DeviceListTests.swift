// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchJOSE
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct DeviceListTests {
    private func signIn(_ site: Site, _ name: String?, agent: String? = nil, remembered: Bool = true) async throws
        -> IssuedTokens
    {
        let origin = RequestOrigin(address: "127.0.0.1", userAgent: agent, deviceName: name)
        let step = try await site.signIns.beginSignIn(
            name: "ada@example.com", password: Site.password, isRemembered: remembered, from: origin)
        guard case .success(let grant) = step else { throw IdentityError.forbidden }
        return grant
    }

    @Test func `The devices of an account are listed, the last used first, without signed-out ones`() async throws {
        let site = try await Site()
        let ada = try await site.signUp()
        var grants: [IssuedTokens] = []
        for name in ["Ada's iPhone", "Work laptop", "Old tablet"] {
            site.clock.advance(by: 60)
            grants.append(try await signIn(site, name))
        }
        site.clock.advance(by: 60)
        _ = try await site.renew(grants[0].refreshToken)
        try await expectEqual(
            site.tokens.devices(of: ada.id).map(\.name), ["Ada's iPhone", "Old tablet", "Work laptop"])
        try await expectEqual(site.tokens.devices(of: ada.id)[0].lastUsedAt, site.clock.now)
        #expect(try await site.tokens.signOut(device: grants[2].device.publicID, of: ada.id))
        try await expectEqual(site.tokens.devices(of: ada.id).map(\.name), ["Ada's iPhone", "Work laptop"])
        try await expectEqual(site.get("/user/profile", bearer: grants[2].accessToken).status, 401)
        try await expectEqual(site.get("/user/profile", bearer: grants[1].accessToken).status, 200)
        site.clock.advance(by: 30 * 86_400)
        #expect(try await site.tokens.devices(of: ada.id).isEmpty)
        await site.close()
    }

    @Test(.tags(.objectAccess))
    func `The devices of an account are signed out only by their owner, for any ID`() async throws {
        let site = try await Site()
        let (ada, bob) = (try await site.signUp(), try await site.signUp("bob@example.com"))
        let grant = try await signIn(site, nil)
        let id = grant.device.publicID
        try await expectEqual(site.tokens.signOut(device: id, of: bob.id), false)
        for other in [
            "", "AAAA", id + "A", String(id.dropLast()), "!!!!!!!!!!!!!!!!!!!!!!",
            Base64URL.encode([UInt8](repeating: 0, count: 16)),
        ] {
            try await expectEqual(site.tokens.signOut(device: other, of: ada.id), false)
        }
        try await expectEqual(site.get("/user/profile", bearer: grant.accessToken).status, 200)
        #expect(try await site.tokens.signOut(device: id, of: ada.id))
        try await expectEqual(site.tokens.signOut(device: id, of: ada.id), false)
        await site.close()
    }

    @Test func `The devices of an account keep the client's description short and plain`() async throws {
        let site = try await Site()
        let ada = try await site.signUp()
        let name = "\u{1B}[31mphone\n" + String(repeating: "é", count: 500)
        _ = try await signIn(site, name, agent: String(repeating: "x", count: 1000))
        let device = try #require(try await site.tokens.devices(of: ada.id).first)
        expectEqual(device.name?.hasPrefix("[31mphoneé"), true)
        #expect(device.name?.unicodeScalars.count ?? 999 <= 200)
        expectEqual(device.userAgent?.count, 200)
        await site.close()
    }

    @Test func `The devices of an account stay for a day if they are not to be remembered`() async throws {
        let site = try await Site()
        try await site.signUp()
        let (short, long) = (
            try await signIn(site, nil, remembered: false), try await signIn(site, nil, remembered: true)
        )
        site.clock.advance(by: 86_400)
        try await expectEqual(site.renew(short.refreshToken).status, 401)
        try await expectEqual(site.renew(long.refreshToken).status, 200)
        await site.close()
    }

    static let agents = [
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit Safari/604.1", "phone", "iOS", "Safari"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64) Chrome/130.0 Safari/537.36 Edg/130.0", "desktop", "Windows", "Edge"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko Firefox/130.0", "desktop", "Linux", "Firefox"),
        ("Mozilla/5.0 (Linux; Android 15) Chrome/130.0 Mobile Safari/537.36", "phone", "Android", "Chrome"),
        ("curl/8.0", "other", "", ""), ("", "other", "", ""), ("axios/1.7.9", "other", "", ""),
        ("Microsoft Office/16.0 Kiosk", "other", "", ""),
    ]

    @Test(arguments: agents)
    func `The devices of an account are named by their user agent`(
        agent: String, kind: String, system: String, browser: String
    ) throws {
        var device = Device.example(of: try Account.example())
        device.name = agent
        let traits = UserAgentDescription(of: device)
        expectEqual([traits.formFactor, traits.system, traits.browser], [kind, system, browser])
    }
}
