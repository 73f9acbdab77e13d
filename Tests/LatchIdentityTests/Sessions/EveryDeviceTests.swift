// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import Testing

@testable import LatchIdentity

@Suite struct EveryDeviceTests {
    private func logout(_ site: Site, bearer: String?) async throws -> Response {
        let body: JSONValue = ["allDevices": true]
        guard let bearer else { return try await site.post("/auth/logout", body) }
        return try await site.call(.post, "/auth/logout", bearer: bearer, body)
    }

    @Test(arguments: Way.allCases)
    func `A logout on all devices immediately signs out every device of the account, and no other`(way: Way)
        async throws
    {
        let site = try await Site(way)
        try await site.signUp()
        try await site.signUp("bob@example.com")
        let bob = try await site.passwordGrant("bob@example.com")
        var devices: [Response] = []
        for _ in 0..<3 { devices.append(try await site.passwordGrant()) }
        let answer = try await logout(site, bearer: devices[1].accessToken)
        expectEqual(answer.status, 200)
        expectEqual(answer.json["allDevices"], true)
        expectEqual(answer.number("devices"), 3)
        for device in devices {
            try await expectEqual(site.get("/user/profile", bearer: device.accessToken).status, 401)
            try await expectEqual(site.refreshGrant(device.refreshToken).status, 400)
        }
        try await expectEqual(site.get("/user/profile", bearer: bob.accessToken).status, 200)
        try await expectEqual(site.metric("latch_families_revoked_total"), 3)
        await site.close()
    }

    @Test(arguments: Way.allCases) func `A logout on all devices needs a token that is valid`(way: Way) async throws {
        let site = try await Site(way)
        try await site.signUp()
        let device = try await site.passwordGrant()
        try await expectEqual(logout(site, bearer: nil).status, 401)
        try await expectEqual(logout(site, bearer: "no token").status, 401)
        // The refresh token alone ends its own device, and no other.
        try await expectEqual(logout(site, bearer: device.refreshToken).status, 401)
        try await expectEqual(site.get("/user/profile", bearer: device.accessToken).status, 200)
        try await expectEqual(logout(site, bearer: device.accessToken).status, 200)
        try await expectEqual(logout(site, bearer: device.accessToken).status, 401)
        await site.close()
    }

    @Test(arguments: Way.allCases) func `A logout on all devices is not for a third-party app`(way: Way) async throws {
        let site = try await Site(way) { $0.clients = [OAuthClient(id: "reports", grants: [.password])] }
        try await site.signUp()
        let own = try await site.passwordGrant()
        let app = try await site.passwordGrant(as: "reports")
        try await expectEqual(logout(site, bearer: app.accessToken).status, 403)
        try await expectEqual(site.get("/user/profile", bearer: own.accessToken).status, 200)
        await site.close()
    }

    @Test(arguments: [["allDevices": false], ["allDevices": "true"], ["allDevices": 1], [:]] as [JSONObject])
    func `A logout on all devices happens only on request`(body: JSONObject) async throws {
        let site = try await Site(.inProcess)
        try await site.signUp()
        let (one, other) = (try await site.passwordGrant(), try await site.passwordGrant())
        let answer = try await site.call(.post, "/auth/logout", bearer: one.accessToken, .object(body))
        expectEqual(answer.status, 200)
        expectNil(answer.json["allDevices"])
        try await expectEqual(site.get("/user/profile", bearer: one.accessToken).status, 401)
        try await expectEqual(site.get("/user/profile", bearer: other.accessToken).status, 200)
        await site.close()
    }
}
