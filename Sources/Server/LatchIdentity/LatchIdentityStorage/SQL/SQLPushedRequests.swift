// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

extension IdentityStore {
    /// Inserts a pushed request.
    package func insert(_ request: PushedRequest) async throws(IdentityError) {
        _ = try await write { db throws(IdentityError) in
            try db.run(
                "INSERT INTO pushed_request \(PushedRequest.Column.insertion)",
                PushedRequest.Column.values(of: request))
        }
    }

    /// Removes a pushed request.
    package func remove(pushedRequest digest: [UInt8]) async throws(IdentityError) {
        _ = try await write { db throws(IdentityError) in
            try db.run("DELETE FROM pushed_request WHERE digest = $1", [.blob(digest)])
        }
    }

    /// Returns a pushed request by its digest, including an expired one; nil if it was used, or does not exist.
    package func pushedRequest(_ digest: [UInt8]) async throws(IdentityError) -> PushedRequest? {
        try await first(
            "SELECT \(PushedRequest.Column.list) FROM pushed_request WHERE digest = $1", [.blob(digest)],
            read: PushedRequest.init)
    }
}

extension SQLConnection {
    /// Uses up the pushed request of a code in the code's transaction.
    ///
    /// Of any number of codes for it, one is issued.
    ///
    /// - Throws: `IdentityError.invalidRequestURI` if it was used before.
    func use(_ pushed: [UInt8], for code: AuthorizationCode) throws(IdentityError) {
        let removed = try run(
            "DELETE FROM pushed_request WHERE digest = $1 AND client_id = $2", [.blob(pushed), .text(code.clientID)])
        guard removed == 1 else { throw .invalidRequestURI }
    }
}

extension PushedRequest {
    /// The columns of `pushed_request`.
    package enum Column: Int32, TableColumn {
        case digest, clientID, content, validUntil, expiresAt

        package static let (list, insertion) = texts()

        package func value(of request: PushedRequest?) -> SQLValue {
            switch self {
            case .digest: .blob(request?.digest)
            case .clientID: .text(request?.clientID)
            case .content: .text(request?.content)
            case .validUntil: .date(request?.validUntil)
            // The row stays for the pages that the request has opened.
            case .expiresAt: .date(request?.validUntil.addingTimeInterval(PushedRequest.memory))
            }
        }
    }

    fileprivate init(_ row: borrowing SQLRow) throws(IdentityError) {
        self.init(
            digest: try row.blob(Column.digest), clientID: try row.text(Column.clientID),
            content: try row.text(Column.content), validUntil: try row.date(Column.validUntil))
    }
}
