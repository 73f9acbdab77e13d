// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import LatchServer
import PortableFoundation

/// The routes of the sample resource: named widgets, projects and files of an owner, behind the scopes of their kind.
///
/// It is an example of a resource server for tests and demonstrations; the setting `sample_resource` enables it.
struct SampleRoutes: Sendable {
    /// The maximum number of items of a kind per account and per response.
    private static let maximumItems = 100

    let dependencies: Dependencies

    func add(to router: inout Router) {
        let limit = RequestLimitInterceptor(dependencies: dependencies, request: .other, format: .detail)
        router.group(interceptors: [limit, IdentityErrorInterceptor(format: .detail)]) { all in
            for kind in SampleItem.Kind.allCases { add(kind, to: &all) }
        }
    }

    private func add(_ kind: SampleItem.Kind, to router: inout Router) {
        let path = "/\(kind.rawValue)"
        on(kind, "read", &router) { $0.get(path) { try await list(kind, of: $0) } }
        on(kind, "write", &router) { $0.post(path) { try await create(kind, by: $0) } }
        on(kind, "delete", &router) { $0.delete("\(path)/{id}") { try await delete(kind, by: $0) } }
        on(kind, "admin", &router) { $0.get("\(path)/all") { _ in try await listAll(kind) } }
    }

    /// Adds routes that require one level of a kind's scopes, if the server has that scope.
    private func on(_ kind: SampleItem.Kind, _ level: String, _ router: inout Router, build: (inout Router) -> Void) {
        guard let scope = Scope(resource: kind.rawValue, level: level), dependencies.scopes.known.contains(scope) else {
            return
        }
        router.group(interceptors: [ScopeInterceptor(dependencies, requiring: [scope])], build)
    }

    private func list(_ kind: SampleItem.Kind, of request: HTTPRequest) async throws -> HTTPResponse {
        let items = try await dependencies.store.items(of: kind, ownedBy: try owner(request), limit: Self.maximumItems)
        return .json([kind.rawValue: .array(items.map { .object($0.json) })])
    }

    /// Returns the items of all accounts, with their owners.
    private func listAll(_ kind: SampleItem.Kind) async throws -> HTTPResponse {
        let items = try await dependencies.store.items(of: kind, ownedBy: nil, limit: Self.maximumItems)
        return .json([
            kind.rawValue: .array(
                items.map { item in
                    var object = item.json
                    object["owner_id"] = .string(item.accountID)
                    return .object(object)
                })
        ])
    }

    /// Creates an item: 201, or 409 if the account has the maximum number.
    private func create(_ kind: SampleItem.Kind, by request: HTTPRequest) async throws -> HTTPResponse {
        let name = try request.jsonObject().text("name")
        guard (1...200).contains(name.utf8.count), name.isPlain else {
            throw IdentityError.invalid("name", "must have 1 to 200 bytes, and no control characters")
        }
        let now = dependencies.now
        let item = SampleItem(
            id: dependencies.newID(at: now), accountID: try owner(request), kind: kind, name: name, createdAt: now)
        guard try await dependencies.store.insert(item, limit: Self.maximumItems) else {
            throw IdentityError.tooManyItems
        }
        return .json(item.json, status: .created)
    }

    /// Deletes an item of the owner: 204, or 404 for any other (attack G4).
    private func delete(_ kind: SampleItem.Kind, by request: HTTPRequest) async throws -> HTTPResponse {
        let id = request.pathParameter("id") ?? ""
        guard try await dependencies.store.removeItem(id, of: kind, ownedBy: try owner(request)) else {
            throw IdentityError.noSuchItem
        }
        return HTTPResponse(status: .noContent)
    }

    private func owner(_ request: HTTPRequest) throws(IdentityError) -> String {
        guard let id = request.principal?.accountID else { throw .invalidToken }
        return id
    }
}

extension SampleItem {
    /// The item as its owner sees it.
    fileprivate var json: JSONObject {
        ["id": .string(id), "name": .string(name), "created_at": .integer(Int64(createdAt.timeIntervalSince1970))]
    }
}
