// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// The status of a gRPC or gRPC-Web call: code, message and details in fields.
enum GRPCStatus {
    static let status: HTTPFieldName = "grpc-status"
    static let message: HTTPFieldName = "grpc-message"
    static let details: HTTPFieldName = "grpc-status-details-bin"

    /// Whether the fields contain a status.
    static func isPresent(in fields: HTTPFields) -> Bool { fields[status] != nil }

    /// Returns the error in the fields; nil for success.
    ///
    /// - Parameter metadata: The metadata of the error.
    static func error(in fields: HTTPFields, metadata: HTTPFields) -> RPCError? {
        guard let text = fields[status] else { return RPCError(.unknown, "The status is missing.", metadata: metadata) }
        guard text != "0" else { return nil }
        let number = text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
        let message = fields[message].map(decode) ?? ""
        // gRPC over HTTP/2, "Responses": an unknown number is an unknown error.
        guard let code = number.flatMap(RPCCode.init(rawValue:)) else {
            return RPCError(.unknown, message.isEmpty ? "The status is not a number." : message, metadata: metadata)
        }
        return RPCError(code, message, details: detailMessages(in: fields), metadata: metadata)
    }

    /// Returns the fields for an error, or for success if it is nil.
    static func fields(for error: RPCError?) -> HTTPFields {
        guard let error else { return [status: "0"] }
        var fields: HTTPFields = [status: String(error.status.rawValue)]
        if !error.message.isEmpty { fields[message] = encode(error.message) }
        guard !error.details.isEmpty else { return fields }
        do {
            let whole = RPCStatus(code: Int32(error.status.rawValue), message: error.message, details: error.details)
            fields.appendBinary(try whole.serialized(), for: details)
        } catch {
            // Details that cannot be encoded are omitted, because the error itself matters more.
        }
        return fields
    }

    /// Decodes the details; malformed ones are ignored.
    private static func detailMessages(in fields: HTTPFields) -> [ProtoAny] {
        guard let bytes = fields.binaryValues(of: details).first else { return [] }
        do { return try RPCStatus(serialized: bytes).details } catch { return [] }
    }

    /// Percent-encodes all bytes except printable ASCII, and the percent sign (gRPC over HTTP/2, "Responses").
    static func encode(_ text: String) -> String {
        PercentEncoding.encode(text.utf8) { (0x20...0x7E).contains($0) && $0 != 0x25 }
    }

    /// Percent-decodes a message; leaves invalid escapes unchanged, as the specification requires.
    static func decode(_ text: String) -> String {
        String(decoding: PercentEncoding.decode(text.utf8, plusIsSpace: false), as: UTF8.self)
    }
}

/// An error as a message (google/rpc/status.proto), which `grpc-status-details-bin` contains.
package struct RPCStatus: Message {
    /// The schema of the message.
    package static let schema = MessageSchema(
        "google.rpc.Status",
        """
        1 code int32
        2 message string
        3 details message 0 repeated
        """,
        types: [ProtoAny.self])

    /// The storage of the field values.
    package var storage: MessageStorage

    package init(storage: MessageStorage) { self.storage = storage }

    /// Creates a status.
    package init(code: Int32, message: String, details: [ProtoAny]) {
        storage = MessageStorage(Self.schema)
        storage[int32: 0] = code
        storage[string: 1] = message
        storage[messages: 2] = details
    }

    /// The error details.
    package var details: [ProtoAny] { storage[messages: 2] }
}
