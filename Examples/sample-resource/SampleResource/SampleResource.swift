// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LatchAuth
import LatchCore
public import LatchHTTP
import LatchJOSE
public import LatchServer

/// A resource server for demonstrations and tests: named widgets, projects and files of a user, behind the scopes of their kind.
///
/// Its items are in memory and end with it.
public struct SampleResource: Sendable {
    /// A kind of items; its raw value is the path, and the resource of its scopes.
    public enum Kind: String, Sendable, CaseIterable {
        case widgets, projects, files
    }

    /// The scopes of all kinds, which the auth server must know.
    public static let scopes = Scopes(
        parsing: """
            widgets:read widgets:write widgets:delete widgets:admin \
            projects:read projects:write projects:delete projects:admin files:read files:write files:delete
            """)
    /// The scopes that the auth server of the examples grants to a login that requests none.
    public static let defaultScopes = Scopes(
        parsing: "widgets:read widgets:write projects:read projects:write files:read")
    /// The number of items of a kind that a user may have, and that a response lists.
    private static let greatestCount = 100

    private let store = Store()
    private let guards: @Sendable (Scopes) -> [any Interceptor]
    private let owner: @Sendable (HTTPRequest) -> String?

    /// Creates the resource behind interceptors of any kind, such as those of an auth server in the same process.
    ///
    /// - Parameters:
    ///   - guards: Returns the interceptors that require an access token with all of these scopes.
    ///   - owner: Returns the user of a request that has passed them.
    public init(
        guardedBy guards: @escaping @Sendable (Scopes) -> [any Interceptor],
        owner: @escaping @Sendable (HTTPRequest) -> String?
    ) {
        self.guards = guards
        self.owner = owner
    }

    /// Creates the resource for access tokens of an auth server elsewhere.
    public init(verifier: some AccessTokenVerifier) {
        self.init(guardedBy: { [AccessTokenInterceptor(verifier, requiring: $0, in: .levels)] }) {
            $0.accessTokenClaims?.subject
        }
    }

    /// The routes: for each kind, a list, the creation and the deletion of one's own items, and the list of all.
    public var router: Router {
        var router = Router()
        for kind in Kind.allCases { add(kind, to: &router) }
        return router
    }

    private func add(_ kind: Kind, to router: inout Router) {
        let path = "/\(kind.rawValue)"
        on(kind, "read", &router) {
            $0.get(path) { [kind.rawValue: await store.items(of: kind, ownedBy: owner($0))] }
        }
        on(kind, "write", &router) { $0.post(path) { try await create(kind, by: $0) } }
        on(kind, "delete", &router) {
            $0.delete("\(path)/{id}") { request in
                let isGone = await store.delete(request.pathParameter("id") ?? "", of: kind, ownedBy: owner(request))
                return isGone ? HTTPResponse(status: .noContent) : .problem(status: .notFound)
            }
        }
        on(kind, "admin", &router) {
            $0.get("\(path)/all") { _ in [kind.rawValue: await store.allItems(of: kind)] }
        }
    }

    /// Adds routes that require one level of a kind's scopes, if there is that scope.
    private func on(_ kind: Kind, _ level: String, _ router: inout Router, build: (inout Router) -> Void) {
        guard let scope = Scope(resource: kind.rawValue, level: level), Self.scopes.contains(scope) else { return }
        router.group(interceptors: guards([scope]), build)
    }

    /// Creates an item: 201, or 409 if the user has the greatest number.
    private func create(_ kind: Kind, by request: HTTPRequest) async throws -> HTTPResponse {
        guard let name = try request.json()["name"]?.stringValue, (1...200).contains(name.utf8.count) else {
            return .problem(status: .badRequest, detail: "The name must have 1 to 200 bytes.")
        }
        guard let item = await store.add(name, kind, of: owner(request), limit: Self.greatestCount) else {
            return .problem(status: .conflict, detail: "The user has the greatest number of these items.")
        }
        return try .json(encoding: item, status: .created)
    }

    /// An item as its owner sees it, and as an administrator does, who sees the owner.
    private struct Item: Encodable, Sendable {
        let id: String
        let name: String
        /// Seconds since 1970.
        let createdAt: Int64
        var ownerID: String?

        enum CodingKeys: String, CodingKey {
            case id, name
            case createdAt = "created_at"
            case ownerID = "owner_id"
        }
    }

    /// The items of all users, in memory.
    private actor Store {
        private var all: [Kind: [(owner: String?, item: Item)]] = [:]

        /// Returns the items of a user, the newest first.
        func items(of kind: Kind, ownedBy owner: String?) -> [Item] {
            all[kind, default: []].reversed().filter { $0.owner == owner }.map(\.item)
        }

        /// Returns the newest items of all users.
        func allItems(of kind: Kind) -> [Item] {
            all[kind, default: []].reversed().prefix(SampleResource.greatestCount).map { owner, item in
                var item = item
                item.ownerID = owner
                return item
            }
        }

        /// Adds an item; returns nil if the user has `limit` of the kind.
        func add(_ name: String, _ kind: Kind, of owner: String?, limit: Int) -> Item? {
            guard items(of: kind, ownedBy: owner).count < limit else { return nil }
            let item = Item(
                id: UUID().uuidString, name: name,
                createdAt: Int64(Date().timeIntervalSince1970))
            all[kind, default: []].append((owner, item))
            return item
        }

        /// Deletes an item; returns false if the user has no such item.
        func delete(_ id: String, of kind: Kind, ownedBy owner: String?) -> Bool {
            let count = all[kind, default: []].count
            all[kind]?.removeAll { $0.owner == owner && $0.item.id == id }
            return all[kind, default: []].count < count
        }
    }
}
