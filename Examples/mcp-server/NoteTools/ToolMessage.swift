// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// A message of JSON-RPC 2.0 from a client.
enum ToolMessage {
    /// A request, which has a response.
    case request(id: JSONValue, method: String, parameters: JSONObject)
    /// A notification, or a response to a request that this server never sends: it has no response.
    case notification
    /// Something else.
    case malformed(ToolError, id: JSONValue)

    /// Reads a message; an array of several is not one (2025-06-18, "Changelog": no batches).
    init(_ value: JSONValue) {
        guard let object = value.objectValue, object["jsonrpc"] == "2.0" else {
            self = .malformed(.invalidRequest, id: .null)
            return
        }
        let id = object["id"]
        guard id == nil || id?.stringValue != nil || id?.intValue != nil else {
            self = .malformed(.invalidRequest, id: .null)
            return
        }
        guard let method = object["method"]?.stringValue else {
            let isResponse = object["result"] != nil || object["error"] != nil
            self = isResponse ? .notification : .malformed(.invalidRequest, id: id ?? .null)
            return
        }
        guard let id else {
            self = .notification
            return
        }
        guard object["params"] == nil || object["params"]?.objectValue != nil else {
            self = .malformed(.invalidRequest, id: id)
            return
        }
        self = .request(id: id, method: method, parameters: object["params"]?.objectValue ?? [:])
    }
}

/// An error of JSON-RPC 2.0 §5.1.
struct ToolError: Error {
    let code: Int64
    let message: String

    static let notJSON = ToolError(code: -32_700, message: "The message is not JSON.")
    static let invalidRequest = ToolError(code: -32_600, message: "The message is not one of JSON-RPC 2.0.")
    static let unknownMethod = ToolError(code: -32_601, message: "The server has no such method.")

    static let noUser = ToolError(code: -32_000, message: "The access token names no user.")

    static func invalidParameters(_ message: String) -> ToolError { ToolError(code: -32_602, message: message) }

    func response(to id: JSONValue) -> JSONValue {
        ["jsonrpc": "2.0", "id": id, "error": ["code": .integer(code), "message": .string(message)]]
    }
}
