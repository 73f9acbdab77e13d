// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// One message of JSON-RPC 2.0 (jsonrpc.org/specification), as a client sends it.
enum RPCMessage: Sendable {
    /// Wants an answer.
    case request(id: JSONValue, method: String, parameters: JSONObject)
    /// Wants none.
    case notification(method: String, parameters: JSONObject)
    /// An answer to a request; this server sends none.
    case answer
    /// None of these.
    case malformed(RPCFailure, id: JSONValue)

    /// Reads one message.
    init(_ value: JSONValue) {
        guard let object = value.objectValue else {
            self = .malformed(.invalidRequest("a message is an object"), id: .null)
            return
        }
        let id = object["id"]
        let known = id.flatMap { Self.isID($0) ? $0 : nil } ?? .null
        guard object["jsonrpc"] == "2.0" else {
            self = .malformed(.invalidRequest("'jsonrpc' must be \"2.0\""), id: known)
            return
        }
        guard let method = object["method"]?.stringValue else {
            let isAnswer = object["method"] == nil && (object["result"] != nil || object["error"] != nil)
            self = isAnswer ? .answer : .malformed(.invalidRequest("'method' must be text"), id: known)
            return
        }
        guard object["params"] == nil || object["params"]?.objectValue != nil else {
            self = .malformed(.invalidRequest("'params' must be an object"), id: known)
            return
        }
        let parameters = object["params"]?.objectValue ?? [:]
        switch id {
        case nil: self = .notification(method: method, parameters: parameters)
        case let id? where Self.isID(id): self = .request(id: id, method: method, parameters: parameters)
        default: self = .malformed(.invalidRequest("'id' must be text or a whole number"), id: .null)
        }
    }

    /// The protocol takes text and whole numbers, and unlike JSON-RPC no null.
    private static func isID(_ value: JSONValue) -> Bool { value.stringValue != nil || value.intValue != nil }
}

/// Why a request has no result.
struct RPCFailure: Error, Sendable {
    let code: Int
    let message: String
    var data: JSONValue?

    /// JSON-RPC 2.0 §5.1.
    static let parseError = RPCFailure(code: -32700, message: "Parse error: this is no JSON.")

    static func invalidRequest(_ what: String) -> RPCFailure {
        RPCFailure(code: -32600, message: "Invalid request: \(what).")
    }

    static func unknownMethod(_ name: String) -> RPCFailure {
        RPCFailure(code: -32601, message: "Method not found: \(name)")
    }

    static func invalidParameters(_ what: String) -> RPCFailure { RPCFailure(code: -32602, message: what) }

    /// Revision 2026-07-28, "Protocol Version Negotiation".
    static func unsupportedRevision(_ name: String) -> RPCFailure {
        RPCFailure(
            code: -32022, message: "Unsupported protocol version",
            data: [
                "supported": .array(ProtocolRevision.allCases.reversed().map { .string($0.rawValue) }),
                "requested": .string(name),
            ])
    }

    func answer(to id: JSONValue) -> JSONValue {
        var error: JSONObject = ["code": .integer(Int64(code)), "message": .string(message)]
        if let data { error["data"] = data }
        return ["jsonrpc": "2.0", "id": id, "error": .object(error)]
    }
}
