// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchHTTP
import LatchIdentity
import LatchIdentityStorage

/// The JSON routes of a running server, for an administrator's session on this device, or with an API key.
struct AdministeredServer: Sendable {
    /// A client whose requests carry the credential.
    let client: Client

    /// Returns the object of a response, whose members keep their order.
    func call(
        _ method: HTTPMethod, _ path: RoutePath, query: [(String, String)] = [], _ content: JSONObject? = nil
    ) async throws -> JSONObject {
        let content = content.map { RouteContent.json(JSONValue.object($0)) } ?? .empty
        return try Self.object(try await perform(.bytes(method, path, query: query, sending: content)))
    }

    /// Returns the object of a response; nil if the server refuses the request with this code.
    func find(_ path: RoutePath, orNilFor code: String) async throws -> JSONObject? {
        try await perform(.bytes(.get, path), orNilFor: code).map(Self.object)
    }

    private static func object(_ bytes: [UInt8]) throws -> JSONObject {
        guard let object = try JSONValue(parsing: bytes).objectValue else {
            throw CommandError.failed("The server has sent no JSON object.", hint: "It is of another version.")
        }
        return object
    }

    /// Performs a route.
    ///
    /// - Throws: `AdminCall.NotAllowed` for 403, and any other error of the server as `CommandError.failed`.
    @discardableResult
    func perform(_ route: Route<[UInt8]>) async throws -> [UInt8] {
        switch try await client.result(of: route, failure: Refusal.self) {
        case .success(let value, _): return value
        case .failure(let refusal, let response): throw refusal.error(response)
        }
    }

    /// Performs a route; returns nil if the server refuses it with this code.
    func perform(_ route: Route<[UInt8]>, orNilFor code: String) async throws -> [UInt8]? {
        switch try await client.result(of: route, failure: Refusal.self) {
        case .success(let value, _): return value
        case .failure(let refusal, _) where refusal.code == code: return nil
        case .failure(let refusal, let response): throw refusal.error(response)
        }
    }

    /// The content of a refusal.
    private struct Refusal: Decodable {
        let message: String
        let code: String?
        let hint: String?

        /// The hint of the error that says only that the account may not do something.
        private static let general = IdentityError.forbidden.hint

        func error(_ response: HTTPResponse) -> any Error {
            // The general refusal does not know of roles.
            guard code != "forbidden" || hint != Self.general else { return AdminCall.NotAllowed() }
            return CommandError.failed(message.printable, hint: hint?.printable)
        }
    }
}
