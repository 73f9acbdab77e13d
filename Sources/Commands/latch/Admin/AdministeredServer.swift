// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchHTTP
import LatchIdentity
import LatchIdentityStorage

/// The JSON routes of the administration: those of a running server, for an administrator's session on this device or an
/// API key, or those of a store, for its operator.
///
/// A command knows only the routes, so it does and prints the same in both cases.
struct AdministeredServer: Sendable {
    /// A client whose requests carry the credential.
    private let client: Client
    /// Whether the routes are those of a store on this machine.
    let isStore: Bool

    /// - Parameter client: A client whose requests carry the credential.
    init(client: Client) { (self.client, isStore) = (client, false) }

    /// Creates the routes of an open store, which this process calls without a socket.
    init(operating identity: Identity) throws(CommandError) {
        client = Client(baseURL: try IssuerURL("http://127.0.0.1").url, transport: identity.operatorRoutes)
        isStore = true
    }

    /// Returns the object of a response, whose members keep their order.
    func call(
        _ method: HTTPMethod, _ path: RoutePath, query: [(String, String)] = [], _ content: JSONObject? = nil
    ) async throws -> JSONObject {
        try Self.object(try await perform(Self.route(method, path, query: query, content)))
    }

    /// Returns the object of a response; nil if the server refuses the request with this code.
    func call(
        _ method: HTTPMethod, _ path: RoutePath, _ content: JSONObject? = nil, orNilFor code: String
    ) async throws -> JSONObject? {
        try await perform(Self.route(method, path, content), orNilFor: code).map(Self.object)
    }

    /// Performs a route whose response has no content.
    func perform(_ method: HTTPMethod, _ path: RoutePath, _ content: JSONObject? = nil) async throws {
        _ = try await perform(Self.route(method, path, content))
    }

    /// Performs a route whose response has no content; returns false if the server refuses it with this code.
    func perform(
        _ method: HTTPMethod, _ path: RoutePath, _ content: JSONObject? = nil, unless code: String
    ) async throws -> Bool {
        try await perform(Self.route(method, path, content), orNilFor: code) != nil
    }

    /// Returns the rows of a list, page by page, and the other members of the first page.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of rows.
    ///   - start: The position after which the list begins; nil for its start.
    func list(
        _ name: String, at path: RoutePath, query: [(String, String)] = [], limit: Int = .max,
        after start: String? = nil
    ) async throws -> (rows: [JSONObject], others: JSONObject) {
        var (rows, others, position) = ([JSONObject](), JSONObject?.none, start)
        while true {
            var query = query + [("limit", "\(min(limit - rows.count, 500))")]
            if let position { query.append(("after", position)) }
            let page = try await call(.get, path, query: query)
            let found = page[name]?.arrayValue?.compactMap(\.objectValue) ?? []
            rows += found
            if others == nil { others = page }
            // A server that repeats a position would have no end.
            guard let next = page["next"]?.stringValue, next != position, !found.isEmpty, rows.count < limit else {
                return (rows, others ?? [:])
            }
            position = next
        }
    }

    private static func route(
        _ method: HTTPMethod, _ path: RoutePath, query: [(String, String)] = [], _ content: JSONObject?
    ) -> Route<[UInt8]> {
        .bytes(method, path, query: query, sending: content.map { .json(JSONValue.object($0)) } ?? .empty)
    }

    private static func object(_ bytes: [UInt8]) throws -> JSONObject {
        guard let object = try JSONValue(parsing: bytes).objectValue else {
            throw CommandError.failed("The server has sent no JSON object.", hint: "It is of another version.")
        }
        return object
    }

    /// - Throws: `AdminCall.NotAllowed` for 403, and any other error of the server as `CommandError.failed`; the errors
    ///   of a store as they are.
    private func perform(_ route: Route<[UInt8]>) async throws -> [UInt8] {
        switch try await client.result(of: route, failure: Refusal.self) {
        case .success(let value, _): return value
        case .failure(let refusal, _): throw refusal.error
        }
    }

    private func perform(_ route: Route<[UInt8]>, orNilFor code: String) async throws -> [UInt8]? {
        do {
            switch try await client.result(of: route, failure: Refusal.self) {
            case .success(let value, _): return value
            case .failure(let refusal, _) where refusal.code == code: return nil
            case .failure(let refusal, _): throw refusal.error
            }
        } catch let error as IdentityError where error.code == code {
            return nil
        }
    }

    /// The content of a refusal.
    private struct Refusal: Decodable {
        let message: String
        let code: String?
        let hint: String?

        /// The hint of the error that says only that the account may not do something.
        private static let general = IdentityError.forbidden.hint

        var error: any Error {
            // The general refusal does not know of roles.
            guard code != "forbidden" || hint != Self.general else { return AdminCall.NotAllowed() }
            return CommandError.failed(message.printable, hint: hint?.printable)
        }
    }
}
