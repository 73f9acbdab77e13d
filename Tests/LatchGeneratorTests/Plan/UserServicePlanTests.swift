// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import TestTags
import Testing

@testable import LatchGenerator

@Suite struct UserServicePlanTests {
    @Test(.tags(.optionNames)) func `The plan of the user service has the names that its options set`() throws {
        let plan = try userServicePlan()
        expectEqual(plan.clientName, "UserManagerClient")
        expectEqual(plan.stateName, "UserManagerState")
        expectEqual(plan.actionName, "UserManagerAction")
        expectEqual(plan.reducerName, "UserManagerReducer")
        expectEqual(plan.importModules, ["AxiomCore", "AxiomArchitecture", "AuthenticationServices"])
        expectEqual(plan.generatesTests, true)
    }

    @Test func `The plan of the user service has its collections with their keys, limits and fields`() throws {
        let collections = try userServicePlan().collections
        expectEqual(collections.map(\.name), ["users", "sessions", "devices"])
        expectEqual(collections.map(\.item.name), ["User", "UserSession", "UserDevice"])
        expectEqual(collections.map(\.key.name), ["id", "id", "id"])
        expectEqual(collections.map(\.limit), [200, 10, 50])
        expectEqual(collections.map(\.isPaginated), [true, false, false])
        expectEqual(collections.map { $0.defaultSort?.name }, ["created_at", "created_at", "last_seen"])
        expectEqual(
            collections[0].searchFields.map(\.name), ["email", "username", "first_name", "last_name", "display_name"])
        #expect(collections[1].searchFields.isEmpty)
        #expect(collections[0].sortFields.contains { $0.name == "last_login_at" })
    }

    /// The rows of Axiom's table: strategy, collection and key; then network, change, loading and offline.
    ///
    /// `GetProfile` alone differs: its response outlives the process, which the document's "cached profile data" needs.
    static let lines: [(method: String, what: String, flags: [Bool], cache: CacheStrategy, rules: Int)] = [
        ("Register", "custom users -", [true, true, true, false], .none, 4),
        ("Login", "custom sessions -", [true, true, true, false], .memory, 2),
        ("Logout", "custom sessions -", [true, true, false, false], .none, 1),
        ("RefreshToken", "custom sessions -", [true, true, false, false], .memory, 1),
        ("GetProfile", "custom users -", [true, true, true, true], .persistent, 1),
        ("UpdateProfile", "updateByID users user_id", [true, true, true, false], .memory, 2),
        ("ChangePassword", "noChange users -", [true, false, true, false], .none, 4),
        ("GetUsers", "replaceAll users -", [true, true, true, true], .memory, 0),
        ("DeleteUser", "removeByID users user_id", [true, true, true, false], .none, 1),
        ("RequestPasswordReset", "noChange - -", [true, false, true, false], .none, 2),
        ("ResetPassword", "noChange - -", [true, false, true, false], .none, 3),
        ("VerifyEmail", "updateByID users -", [true, true, true, false], .memory, 1),
        ("ResendVerification", "noChange - -", [true, false, true, false], .none, 2),
        ("RevokeDevice", "removeByID devices device_id", [true, true, true, false], .none, 1),
    ]

    @Test(.tags(.actionMetadata), arguments: lines.indices)
    func `The plan of the user service has the options of each action`(index: Int) throws {
        let (name, what, flags, cache, rules) = Self.lines[index]
        let plan = try userServicePlan()
        let method = try plan.method(name)
        let collection = plan.collection(of: method)?.name ?? "-"
        expectEqual("\(method.strategy.rawValue) \(collection) \(method.requestKey?.name ?? "-")", what)
        expectEqual([method.requiresNetwork, method.modifiesState, method.showsLoading, method.supportsOffline], flags)
        expectEqual(method.cache, cache)
        expectEqual(method.requirements.rules.count, rules)
    }

    @Test(.tags(.cacheLimits)) func `The plan of the user service finds the fields that name further pages`() throws {
        let page = try userServicePlan().method("GetUsers").page
        expectEqual(page.cursor?.name, "next_cursor")
        expectEqual(page.total?.name, "total_count")
        expectEqual(page.hasMore?.name, "has_more")
    }

    @Test func `The plan of the user service knows the place of each rule`() throws {
        let rules = try userServicePlan().method("Register").requirements.rules
        expectEqual(rules.map(\.text).first, "!request.email.isEmpty")
        let places = rules.compactMap(\.place)
        expectEqual(places.count, 4)
        expectEqual(Set(places.map(\.line)).count, 4)
        #expect(places.allSatisfy { $0.column == 8 })
    }

    @Test
    func `The plan of the user service takes the comment of a method as the documentation of its action`() throws {
        try expectEqual(userServicePlan().method("Login").documentation?.hasPrefix("Begins a session"), true)
    }
}
