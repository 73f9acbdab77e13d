// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import Synchronization

/// A message of JSON-RPC 2.0 (jsonrpc.org/specification) from a client.
enum JSONRPCMessage: Sendable {
    /// A request, which has a response.
    case request(id: JSONValue, method: String, parameters: JSONObject)
    /// A notification, which has no response.
    case notification(method: String, parameters: JSONObject)
    /// A response; this server sends no requests.
    case response
    /// An invalid message.
    case malformed(JSONRPCError, id: JSONValue)

    /// Parses a message.
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
            let isResponse = object["method"] == nil && (object["result"] != nil || object["error"] != nil)
            self = isResponse ? .response : .malformed(.invalidRequest("'method' must be text"), id: known)
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

    /// Whether a value is an ID: a string or an integer.
    ///
    /// JSON-RPC also permits null.
    private static func isID(_ value: JSONValue) -> Bool { value.stringValue != nil || value.intValue != nil }
}

/// An error response.
struct JSONRPCError: Error, Sendable {
    let code: Int
    let message: String
    var data: JSONValue?

    /// The code `-32700` of JSON-RPC 2.0 §5.1.
    static let parseError = JSONRPCError(code: -32700, message: "Parse error: this is not JSON.")

    static func invalidRequest(_ reason: String) -> JSONRPCError {
        JSONRPCError(code: -32600, message: "Invalid request: \(reason).")
    }

    static func unknownMethod(_ name: String) -> JSONRPCError {
        JSONRPCError(code: -32601, message: "Method not found: \(name)")
    }

    static func invalidParameters(_ reason: String) -> JSONRPCError { JSONRPCError(code: -32602, message: reason) }

    /// The code of revision 2026-07-28, "Protocol Version Negotiation".
    static func unsupportedRevision(_ name: String) -> JSONRPCError {
        JSONRPCError(
            code: -32022, message: "Unsupported protocol version",
            data: [
                "supported": .array(ProtocolRevision.allCases.reversed().map { .string($0.rawValue) }),
                "requested": .string(name),
            ])
    }

    func response(to id: JSONValue) -> JSONValue {
        var error: JSONObject = ["code": .integer(Int64(code)), "message": .string(message)]
        if let data { error["data"] = data }
        return ["jsonrpc": "2.0", "id": id, "error": .object(error)]
    }
}

/// The standard output of the server, with one message per line.
final class JSONRPCOutput: Sendable {
    private let stream: Environment.Output
    /// Locked while a line is written.
    private let lock = Mutex(())

    init(_ stream: Environment.Output) { self.stream = stream }

    func send(_ message: JSONValue) {
        // The serializer escapes line breaks, so that each message is one line.
        let line = message.serialized() + [UInt8(ascii: "\n")]
        lock.withLock { _ in stream.writeBytes(line) }
    }
}

/// The progress notifications of a request, which end with its response or its cancellation.
final class RequestReporter: Sendable {
    private let output: JSONRPCOutput
    private let token: JSONValue?
    /// A function that shows progress on standard error.
    private let note: @Sendable (String) -> Void
    private let state = Mutex((isClosed: false, progress: -1))

    /// - Parameter token: The progress token of the request; nil if the client requests no notifications.
    init(
        _ output: JSONRPCOutput, progressToken token: JSONValue?, note: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.output = output
        self.token = token
        self.note = note
    }

    /// Sends the progress; its number increases each time (2026-07-28, "Progress").
    func progress(_ completed: Int, of total: Int, _ message: String) {
        state.withLock { state in
            guard !state.isClosed, completed > state.progress else { return }
            state.progress = completed
            note("\(completed)/\(total) \(message)")
            guard let token else { return }
            output.send([
                "jsonrpc": "2.0", "method": "notifications/progress",
                "params": [
                    "progressToken": token, "progress": .integer(Int64(completed)), "total": .integer(Int64(total)),
                    "message": .string(message),
                ],
            ])
        }
    }

    /// Claims the right to send the response; false if the request was canceled.
    func close() -> Bool {
        state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
    }
}
