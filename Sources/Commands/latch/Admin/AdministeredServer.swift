// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchHTTP
import LatchIdentity

/// The JSON routes of a running server, for an administrator's session on this device.
struct AdministeredServer: Sendable {
    /// A client whose requests carry the session's credential.
    let client: Client

    /// Returns the object of a response, whose members keep their order.
    func call(
        _ method: HTTPMethod, _ path: RoutePath, query: [(String, String)] = [], _ content: JSONObject? = nil
    ) async throws -> JSONObject {
        let content = content.map { RouteContent.json(JSONValue.object($0)) } ?? .empty
        let bytes = try await perform(.bytes(method, path, query: query, sending: content))
        guard let object = try JSONValue(parsing: bytes).objectValue else {
            throw CommandError.failed("The server has sent no JSON object.", hint: "It is of another version.")
        }
        return object
    }

    /// Performs a route.
    ///
    /// - Throws: `AdminCall.NotAllowed` for 403, and any other error of the server as `CommandError.failed`.
    func perform(_ route: Route<[UInt8]>) async throws -> [UInt8] {
        switch try await client.result(of: route, failure: Refusal.self) {
        case .success(let value, _): return value
        case .failure(_, let response) where response.status == .forbidden: throw AdminCall.NotAllowed()
        case .failure(let refusal, _):
            throw CommandError.failed(refusal.message.printable, hint: refusal.hint?.printable)
        }
    }

    /// The content of a refusal.
    private struct Refusal: Decodable {
        let message: String
        let hint: String?
    }
}
