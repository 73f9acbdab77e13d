// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import SampleResource
import TestTags
import Testing

@testable import LatchIdentity

/// The example of an app's own routes beside the auth server, with its scopes.
@Suite struct SampleRouteTests {
    private func token(_ site: Site, _ scope: String, of email: String = "ada@example.com") async throws -> String {
        try await site.passwordGrant(email, scope: scope).accessToken
    }

    @Test(.tags(.realServer), arguments: SampleResource.Kind.allCases, Way.allCases)
    func `The sample resource lists, makes and deletes the caller's notes`(kind: SampleResource.Kind, way: Way)
        async throws
    {
        let site = try await Site(way)
        try await site.signUp()
        let path = "/\(kind.rawValue)"
        let token = try await token(site, "\(kind.rawValue):delete")
        try await expectEqual(site.get(path, bearer: token).json[kind.rawValue]?.arrayValue, [])
        let first = try await site.call(.post, path, bearer: token, ["name": "first"])
        site.clock.advance(by: 1)
        let second = try await site.call(.post, path, bearer: token, ["name": "second ✓"])
        expectEqual(first.status, 201)
        expectEqual(second.string("name"), "second ✓")
        let listed = try await site.get(path, bearer: token).json[kind.rawValue]?.arrayValue ?? []
        expectEqual(listed.compactMap { $0["name"]?.stringValue }, ["second ✓", "first"])
        expectEqual(listed.compactMap { $0["id"]?.stringValue }, [second.string("id"), first.string("id")])
        try await expectEqual(site.call(.delete, "\(path)/\(first.string("id"))", bearer: token).status, 204)
        try await expectEqual(site.call(.delete, "\(path)/\(first.string("id"))", bearer: token).status, 404)
        try await expectEqual(site.get(path, bearer: token).json[kind.rawValue]?.arrayValue?.count, 1)
        await site.close()
    }

    /// Each level, and which of list, create, delete and list-all it opens.
    static let levels: [(level: String, allowed: [Bool])] = [
        ("read", [true, false, false, false]), ("write", [true, true, false, false]),
        ("delete", [true, true, true, false]), ("admin", [true, true, true, true]),
    ]

    @Test(.tags(.realServer), arguments: levels, ["widgets", "projects"])
    func `The sample resource opens to a level its rights and those of lower ones`(
        level: (level: String, allowed: [Bool]), kind: String
    )
        async throws
    {
        let site = try await Site()
        try await site.signUp(roles: ["admin"])
        let path = "/\(kind)"
        let item = try await site.call(.post, path, bearer: try await token(site, "\(kind):write"), ["name": "x"])
        let token = try await token(site, "\(kind):\(level.level)")
        let answers = [
            try await site.get(path, bearer: token), try await site.call(.post, path, bearer: token, ["name": "y"]),
            try await site.call(.delete, "\(path)/\(item.string("id"))", bearer: token),
            try await site.get("\(path)/all", bearer: token),
        ]
        let needed = ["read", "write", "delete", "admin"]
        for (index, answer) in answers.enumerated() {
            guard !level.allowed[index] else {
                #expect(answer.response.status.isSuccess)
                continue
            }
            expectEqual(answer.status, 403)
            let scope = "\(kind):\(needed[index])"
            expectEqual(answer.field(.wwwAuthenticate), #"Bearer error="insufficient_scope", scope="\#(scope)""#)
            expectEqual(answer.errorCode, "INSUFFICIENT_SCOPE")
            expectEqual(answer.json["required_scopes"], [.string(scope)])
            expectEqual(answer.json["provided_scopes"], [.string("\(kind):\(level.level)")])
            #expect(!answer.string("detail").isEmpty && answer.message?.isEmpty == false)
        }
    }

    @Test(.tags(.realServer)) func `The sample resource opens nothing to the scopes of another kind`() async throws {
        let site = try await Site()
        try await site.signUp(roles: ["admin"])
        let token = try await token(site, "widgets:admin projects:admin")
        try await expectEqual(site.get("/files", bearer: token).status, 403)
        try await expectEqual(site.get("/widgets", bearer: token).status, 200)
    }

    @Test(arguments: Way.allCases)
    func `The sample resource asks a client without a token for one`(way: Way) async throws {
        let site = try await Site(way)
        for bearer in [nil, "nonsense", "a.b.c"] {
            let answer = try await site.get("/widgets", bearer: bearer)
            expectEqual(answer.status, 401)
            expectEqual(answer.field(.wwwAuthenticate), #"Bearer error="invalid_token""#)
            expectEqual(answer.errorCode, "INVALID_TOKEN")
        }
        await site.close()
    }

    @Test(.tags(.objectAccess))
    func `The sample resource shows and deletes only the caller's own items`() async throws {
        let site = try await Site()
        try await site.signUp()
        try await site.signUp("eve@example.com")
        let ada = try await token(site, "files:delete")
        let eve = try await token(site, "files:delete", of: "eve@example.com")
        let item = try await site.call(.post, "/files", bearer: ada, ["name": "secret"])
        try await expectEqual(site.get("/files", bearer: eve).json["files"]?.arrayValue, [])
        try await expectEqual(site.call(.delete, "/files/\(item.string("id"))", bearer: eve).status, 404)
        try await expectEqual(site.get("/files", bearer: ada).json["files"]?.arrayValue?.count, 1)
    }

    @Test func `The sample resource shows an administrator the owner of each item`() async throws {
        let site = try await Site()
        let ada = try await site.signUp()
        try await site.signUp("root@example.com", roles: ["admin"])
        _ = try await site.call(.post, "/widgets", bearer: try await token(site, "widgets:write"), ["name": "w"])
        let root = try await token(site, "widgets:admin", of: "root@example.com")
        let all = try await site.get("/widgets/all", bearer: root).json["widgets"]?.arrayValue
        expectEqual(all?.compactMap { $0["owner_id"]?.stringValue }, [ada.id])
        // There is no files:admin, and so no such route.
        try await expectEqual(site.get("/files/all", bearer: root).status, 405)
    }

    @Test func `The sample resource has a bound for each account and kind`() async throws {
        let site = try await Site()
        try await site.signUp()
        let token = try await token(site, "widgets:delete files:write")
        var last = ""
        for number in 0..<100 {
            let answer = try await site.call(.post, "/widgets", bearer: token, ["name": .string("w\(number)")])
            expectEqual(answer.status, 201)
            last = answer.string("id")
        }
        let refused = try await site.call(.post, "/widgets", bearer: token, ["name": "one more"])
        expectEqual(refused.status, 409)
        try await expectEqual(site.call(.post, "/files", bearer: token, ["name": "f"]).status, 201)
        try await expectEqual(site.call(.delete, "/widgets/\(last)", bearer: token).status, 204)
        try await expectEqual(site.call(.post, "/widgets", bearer: token, ["name": "again"]).status, 201)
    }

    @Test(arguments: [#"{}"#, #"{"name":""}"#, #"{"name":5}"#, "[]", "{", #"{"name":null}"#])
    func `The sample resource refuses an invalid name`(content: String) async throws {
        let site = try await Site()
        try await site.signUp()
        let fields: HTTPFields = [
            .authorization: "Bearer \(try await token(site, "files:write"))", .contentType: "application/json",
        ]
        let answer = try await site.send(.post, "/files", fields: fields, body: HTTPBody(content))
        expectEqual(answer.status, 400)
    }
}
