// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// A request of JSON-RPC 2.0.
struct ToolRequest {
    let id: JSONValue
    let method: String
    let parameters: JSONObject

    /// Reads a message; nil for a notification and for a response, which have no response.
    init?(_ message: JSONValue) throws(ToolError) {
        let (id, method, parameters) = (message["id"], message["method"]?.stringValue, message["params"])
        guard message["jsonrpc"] == "2.0", id == nil || id?.stringValue != nil || id?.intValue != nil,
            method != nil || message["result"] != nil || message["error"] != nil,
            parameters == nil || parameters?.objectValue != nil
        else { throw .invalidRequest }
        guard let id, let method else { return nil }
        (self.id, self.method, self.parameters) = (id, method, parameters?.objectValue ?? [:])
    }
}

/// An error of JSON-RPC 2.0 §5.1.
struct ToolError: Error {
    let code: Int64
    let message: String

    static let notJSON = ToolError(code: -32_700, message: "The message is not JSON.")
    static let invalidRequest = ToolError(code: -32_600, message: "The message is not one of JSON-RPC 2.0.")
    static let unknownMethod = ToolError(code: -32_601, message: "The server has no such method.")
    static let noTool = ToolError(code: -32_602, message: "There is no such tool.")
    static let noText = ToolError(code: -32_602, message: "'text' must be the text of the note, up to 10,000 bytes.")
    static let noUser = ToolError(code: -32_000, message: "The access token names no user.")

    func response(to id: JSONValue) -> JSONValue {
        ["jsonrpc": "2.0", "id": id, "error": ["code": .integer(code), "message": .string(message)]]
    }
}
