// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// What ends a call of gRPC and gRPC-Web: its code, text and details in fields.
enum GRPCStatus {
    static let status: HTTPFieldName = "grpc-status"
    static let message: HTTPFieldName = "grpc-message"
    static let details: HTTPFieldName = "grpc-status-details-bin"

    /// Whether these fields end a call.
    static func isIn(_ fields: HTTPFields) -> Bool { fields[status] != nil }

    /// What the fields say; nil for success.
    ///
    /// - Parameter metadata: What goes with the error.
    static func error(in fields: HTTPFields, metadata: HTTPFields) -> RPCError? {
        let text = fields[status] ?? ""
        guard text != "0" else { return nil }
        let number = text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
        let message = fields[message].map(decode) ?? ""
        // gRPC over HTTP/2, "Responses": a number that nobody knows is an unknown error.
        let code = number.flatMap(RPCCode.init(rawValue:))
        guard let code else {
            return RPCError(.unknown, message.isEmpty ? "The status is no code." : message, metadata: metadata)
        }
        return RPCError(code, message, details: detailMessages(in: fields), metadata: metadata)
    }

    /// The fields for an outcome; nil for success.
    static func fields(for error: RPCError?) -> HTTPFields {
        guard let error else { return [status: "0"] }
        var fields: HTTPFields = [status: String(error.status.rawValue)]
        if !error.message.isEmpty { fields[message] = encode(error.message) }
        guard !error.details.isEmpty else { return fields }
        do {
            let whole = RPCStatus(code: Int32(error.status.rawValue), message: error.message, details: error.details)
            fields.appendBinary(try whole.serialized(), for: details)
        } catch {
            // Details that cannot be written are left out: the error itself matters more.
        }
        return fields
    }

    /// Details are only of use to programs that know them, so what cannot be read is none.
    private static func detailMessages(in fields: HTTPFields) -> [ProtoAny] {
        guard let bytes = fields.binaryValues(of: details).first else { return [] }
        do {
            return try RPCStatus(serialized: bytes).details
        } catch { return [] }
    }

    /// gRPC over HTTP/2, "Responses": everything but printable ASCII, and the percent sign, is percent-encoded.
    static func encode(_ text: String) -> String {
        PercentEncoding.encode(text.utf8) { (0x20...0x7E).contains($0) && $0 != 0x25 }
    }

    /// The text; what is encoded wrongly stands for itself, as the specification wants it.
    static func decode(_ text: String) -> String {
        String(decoding: PercentEncoding.decode(text.utf8, plusIsSpace: false), as: UTF8.self)
    }
}
