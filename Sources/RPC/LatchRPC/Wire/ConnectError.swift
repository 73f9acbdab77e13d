// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchHTTP

/// The JSON form of Connect errors (Connect protocol, "Error").
enum ConnectError {
    /// Returns the JSON object of an error.
    static func json(_ error: RPCError) -> JSONValue {
        var object: JSONObject = ["code": .string(error.status.name)]
        if !error.message.isEmpty { object["message"] = .string(error.message) }
        if !error.details.isEmpty { object["details"] = .array(error.details.map(json)) }
        return .object(object)
    }

    private static func json(_ detail: ProtoAny) -> JSONValue {
        let value = String(decoding: Base64Alphabet.standard.encode(detail.value), as: UTF8.self)
        return .object(["type": .string(detail.typeName), "value": .string(value)])
    }

    /// Returns the error that a JSON object describes.
    ///
    /// - Parameters:
    ///   - fallback: The code to use if the object has no known code.
    static func error(_ json: JSONValue, fallback: RPCCode, metadata: HTTPFields) -> RPCError {
        let code = json["code"]?.stringValue.flatMap(RPCCode.init(name:)) ?? fallback
        let details = json["details"]?.arrayValue ?? []
        return RPCError(
            code, json["message"]?.stringValue ?? "", details: details.compactMap(detail), metadata: metadata)
    }

    /// Decodes a detail; nil if it is malformed, because the error itself matters more.
    private static func detail(_ json: JSONValue) -> ProtoAny? {
        guard let type = json["type"]?.stringValue, let text = json["value"]?.stringValue else { return nil }
        let digits = text.utf8.filter { $0 != 0x3D }
        guard let value = Base64Alphabet.standard.decode(digits) ?? Base64Alphabet.url.decode(digits) else {
            return nil
        }
        return ProtoAny(typeURL: "type.googleapis.com/\(type)", value: Data(value))
    }

    /// Returns the error of a response whose status is not 200.
    ///
    /// Errors of intermediaries have no code. Their body is not shown, because it is a page for browsers.
    static func error(_ content: [UInt8], of response: HTTPResponse, metadata: HTTPFields) -> RPCError {
        let fallback = RPCCode(response.status)
        let plain = RPCError(
            fallback, "The server responded with status \(response.status).", metadata: metadata)
        guard response.fields.mediaType == "application/json" else { return plain }
        do {
            let json = try JSONValue(parsing: content)
            guard json.objectValue != nil else { return plain }
            return error(json, fallback: fallback, metadata: metadata)
        } catch {
            return plain
        }
    }
}
