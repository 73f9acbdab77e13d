// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityStorage
package import LatchServer

/// The routes with which administrators and their programs see and test hooks, as `latch admin hook` does.
package struct HookAdministrationRoutes: Sendable {
    package let hooks: HookService
    package let access: AdministrationAccess

    package init(hooks: HookService, access: AdministrationAccess) {
        self.hooks = hooks
        self.access = access
    }

    /// Adds the routes.
    package func add(to router: inout Router) {
        router.group(prefix: "/api/admin/hooks", interceptors: access.limiting(.token)) { routes in
            routes.get("", .listHooks, list)
            routes.post("/{hook}/test", .testHook, test)
            routes.post("/{hook}/replay", .replayHook, replay)
        }
    }

    @Sendable private func list(_ request: HTTPRequest) async throws -> HTTPResponse {
        _ = try await access.administrator(request, for: .readServer)
        return .json(["hooks": .array(try await hooks.list().map(\.administrationJSON))])
    }

    @Sendable private func test(_ request: HTTPRequest) async throws -> HTTPResponse {
        _ = try await access.administrator(request, for: .writeServer)
        let name = request.pathParameter("hook") ?? ""
        let failure = try await hooks.test(name)
        return .json([
            "hook": .string(name), "works": .bool(failure == nil),
            "problem": failure.map { .string($0.description) } ?? .null,
        ])
    }

    /// Tells a listener again what has happened since a date.
    @Sendable private func replay(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeServer)
        if let account = caller.account { try account.requireSuperAdministrator() }
        let body = try request.jsonObject()
        let (text, pattern) = (try body.text("since"), try body.optionalText("event"))
        let date: Date
        do { date = try Date(text, strategy: .iso8601) } catch {
            throw IdentityError.invalid("since", "is not a date such as 2026-11-23T07:00:00Z")
        }
        let count = try await hooks.replay(
            to: request.pathParameter("hook") ?? "", since: date, event: pattern, by: caller.name)
        return .json(["events": .integer(Int64(count))])
    }
}
