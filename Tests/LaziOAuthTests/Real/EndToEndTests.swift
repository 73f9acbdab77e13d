// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchIdentity
import LatchOAuth
import LatchTesting
import LaziOAuth
import Synchronization
import TestTags
import Testing

private struct Item: Codable, Sendable { let id: String, name: String }
private struct NewItem: Codable, Sendable { let name: String }

@MainActor
@Suite struct EndToEndTests {
    @Test(.tags(.realServer), arguments: RealBackend.Connection.allCases)
    func `The app at the real server can do what its scopes allow, and learns the missing ones`(
        connection: RealBackend.Connection
    ) async throws {
        try await RealBackend.run(connection) { backend in
            let service = try await backend.signedIn(scopes: [.widgetsDelete, .filesRead])
            expectEqual(service.scopeChange?.isEmpty, true)
            #expect(service.grantedScopes.contains("widgets:write"))
            #expect(!service.grantedScopes.contains("files:write"))
            let api = APIClient(service: service)
            // Higher scopes allow what is below them.
            let made: Item = try await api.post("widgets", body: NewItem(name: "clock"))
            let all: [String: [Item]] = try await api.get("widgets")
            expectEqual(all["widgets"]?.map(\.name), ["clock"])
            try await api.delete("widgets/\(made.id)")
            await #expect { try await api.delete("widgets/\(made.id)") } throws: {
                if case APIError.notFound = $0 { true } else { false }
            }
            await #expect { try await api.post("files", body: NewItem(name: "x")) } throws: { error in
                guard case APIError.forbidden(let scopes?) = error else { return false }
                return scopes.required == ["files:write"] && scopes.missing == ["files:write"]
            }
            #expect(service.isAuthenticated)
        }
    }

    @Test(.tags(.grantedScopes, .realServer))
    func `The app at the real server is granted no administration that its user does not have`()
        async throws
    {
        try await RealBackend.run { backend in
            let service = try await backend.signedIn(scopes: [.widgetsRead, .widgetsAdmin])
            expectEqual(service.grantedScopes, ["widgets:read"])
            expectEqual(service.scopeChange?.missing.text, "widgets:admin")
        }
    }

    @Test(.tags(.apiClient), arguments: RealBackend.Connection.allCases)
    func `The app at the real server continues across an expiry, with one refresh for all requests`(
        connection: RealBackend.Connection
    ) async throws {
        try await RealBackend.run(connection) { backend in
            let service = try await backend.signedIn()
            backend.clock.advance(by: 3601)
            let api = APIClient(service: service)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<100 { group.addTask { _ = try await api.get("widgets", as: [String: [Item]].self) } }
                try await group.waitForAll()
            }
            expectEqual(backend.requests(to: "/oauth/token/refresh").count, 1)
        }
    }

    @Test(.tags(.tokenRefresh))
    func `The app at the real server survives a lost response: the same refresh is requested again`() async throws {
        try await RealBackend.run { backend in
            let service = try await backend.signedIn()
            backend.clock.advance(by: 3601)
            backend.network.withLock { network in
                network = { request, next in
                    _ = try await next.respond(to: request)
                    throw HTTPError.timeout
                }
            }
            await expectNil(service.getValidToken())
            #expect(service.isAuthenticated)
            backend.network.withLock { $0 = { try await $1.respond(to: $0) } }
            #expect(await service.getValidToken() != nil)
            #expect(service.isAuthenticated)
        }
    }

    @Test(.tags(.realServer))
    func `The app at the real server learns the limit of logins, and when to come back`() async throws {
        try await RealBackend.run(change: { $0.loginLimitPerMinute = 2 }) { backend in
            _ = try await backend.signedIn()
            let service = backend.service()
            backend.clock.advance(by: 60)
            for _ in 0..<2 {
                await #expect(throws: OAuthError.self) {
                    try await service.login(username: "ada", password: "wrong")
                }
            }
            await #expect { try await service.login(username: "ada", password: RealBackend.password) } throws: {
                ($0 as? OAuthError)?.errorDescription?.lowercased().contains("many") == true
            }
            backend.clock.advance(by: 60)
            try await service.login(username: "ada", password: RealBackend.password)
            await service.logout()
            #expect(!service.isAuthenticated)
        }
    }
}
