// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityStorage
package import LatchServer

/// The routes that move accounts from other systems and to them, as `latch admin user import` and `export` do.
package struct UserTransferRoutes: Sendable {
    package let imports: AccountImportService
    package let access: AdministrationAccess

    package init(imports: AccountImportService, access: AdministrationAccess) {
        (self.imports, self.access) = (imports, access)
    }

    /// The greatest number of records in a request, which are inserted in one transaction.
    package static let maximumRecords = 500

    private static let limits = JSONLimits(depth: 16, bytes: 1 << 20, values: 50_000)

    /// Adds the routes.
    package func add(to router: inout Router) {
        router.group(prefix: "/api/admin/users", interceptors: access.limiting(.token)) { users in
            users.post("/import", .importUsers, insert)
            // The records have the hashes of passwords and the secrets of factors, which no server sends.
            if access.isForOperator { users.get("/export", export) }
        }
    }

    /// Imports records, and says which were refused and why.
    @Sendable private func insert(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeUsers)
        let body = try request.jsonObject(limits: Self.limits)
        guard let records = body["records"]?.arrayValue, records.count <= Self.maximumRecords,
            records.allSatisfy({ $0.objectValue != nil })
        else {
            throw IdentityError.invalid("records", "is not an array of at most \(Self.maximumRecords) objects")
        }
        let outcomes = try await imports.insert(
            records, isDryRun: try body.flag("dry_run") ?? false,
            by: caller)
        let refused = zip(1..., outcomes).compactMap { number, outcome -> JSONValue? in
            guard case .refused(let error) = outcome else { return nil }
            var json: JSONObject = [
                "record": .integer(Int64(number)), "code": .string(error.code), "message": .string(error.message),
            ]
            json["hint"] = error.hint.map { .string($0) }
            json["field"] = error.field.map { .string($0) }
            return .object(json)
        }
        return .json([
            "imported": .integer(Int64(outcomes.count { $0 == .imported })),
            "known": .integer(Int64(outcomes.count { $0 == .known })), "refused": .array(refused),
        ])
    }

    /// Returns a page of records.
    @Sendable private func export(_ request: HTTPRequest) async throws -> HTTPResponse {
        let range = try ListRange(request.queryItems)
        let page = try await imports.records(after: range.after ?? "", limit: range.limit)
        return .json([
            "records": .array(page.records.map { .object($0) }), "next": page.last.map { .string($0) } ?? .null,
        ])
    }
}
