// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchServer

/// The sample resource: widgets, projects and files that are names, each its owner's, behind the scopes of their kind.
///
/// It shows what a resource behind this server's tokens looks like, and gives tests and demonstrations something real to
/// be let into. The setting `sample_resource` takes it away.
struct SampleRoutes: Sendable {
    /// How many of a kind one account may have, and how many one answer shows.
    private static let mostItems = 100

    private let parts: IdentityParts

    init(_ parts: IdentityParts) { self.parts = parts }

    func add(to router: inout Router) {
        router.group(interceptors: [IdentityErrorInterceptor(shape: .detail)]) { all in
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

    /// Routes behind one level of a kind's scopes; none where the server does not know that scope.
    private func on(
        _ kind: SampleItem.Kind, _ level: String, _ router: inout Router, build: (inout Router) -> Void
    ) {
        guard let scope = Scope(resource: kind.rawValue, level: level), parts.scopes.known.contains(scope) else {
            return
        }
        router.group(interceptors: [ScopeInterceptor(parts, requiring: [scope])], build)
    }

    private func list(_ kind: SampleItem.Kind, of request: HTTPRequest) async throws -> HTTPResponse {
        let items = try await parts.store.items(of: kind, ownedBy: try owner(request), limit: Self.mostItems)
        return .json([kind.rawValue: .array(items.map { .object($0.shown) })])
    }

    /// Everybody's, with whose they are.
    private func listAll(_ kind: SampleItem.Kind) async throws -> HTTPResponse {
        let items = try await parts.store.items(of: kind, ownedBy: nil, limit: Self.mostItems)
        return .json([
            kind.rawValue: .array(
                items.map { item in
                    var shown = item.shown
                    shown["owner_id"] = .string(item.accountID)
                    return .object(shown)
                })
        ])
    }

    /// 201 with the item; 409 once there are as many as one account may have.
    private func create(_ kind: SampleItem.Kind, by request: HTTPRequest) async throws -> HTTPResponse {
        let name = try request.jsonObject().text("name")
        guard (1...200).contains(name.utf8.count) else {
            throw IdentityError.invalidInput("'name' must have 1 to 200 bytes")
        }
        let now = parts.clock.now
        let item = SampleItem(
            id: parts.identifier(at: now), accountID: try owner(request), kind: kind, name: name, createdAt: now)
        guard try await parts.store.insert(item, limit: Self.mostItems) else { throw IdentityError.tooManyItems }
        return .json(item.shown, status: .created)
    }

    /// 204, or 404 where there is none; somebody else's is none (attack G4).
    private func delete(_ kind: SampleItem.Kind, by request: HTTPRequest) async throws -> HTTPResponse {
        let id = request.pathParameter("id") ?? ""
        guard try await parts.store.removeItem(id, of: kind, ownedBy: try owner(request)) else {
            throw IdentityError.noSuchItem
        }
        return HTTPResponse(status: .noContent)
    }

    private func owner(_ request: HTTPRequest) throws(IdentityError) -> String {
        guard let id = request.bearer?.accountID else { throw .invalidToken }
        return id
    }
}

extension SampleItem {
    /// What its owner sees of it.
    fileprivate var shown: JSONObject {
        ["id": .string(id), "name": .string(name), "created_at": .integer(Int64(createdAt.timeIntervalSince1970))]
    }
}

extension IdentityError {
    /// The account has as many items of a kind as it may have.
    static let tooManyItems = IdentityError(
        code: "tooManyItems", message: "There are as many of these as one account may have.", hint: "Delete some.")

    /// The account has no such item.
    static let noSuchItem = IdentityError(code: "noSuchItem", message: "There is no such item.")
}
