// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
import LatchHTTP

/// Errors as Connect writes them (Connect protocol, "Error").
enum ConnectError {
    /// The object of an error.
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

    /// The error that an object says.
    ///
    /// - Parameters:
    ///   - fallback: The code where the object has none that is known.
    static func error(_ json: JSONValue, fallback: RPCCode, metadata: HTTPFields) -> RPCError {
        let code = json["code"]?.stringValue.flatMap(RPCCode.init(name:)) ?? fallback
        let details = json["details"]?.arrayValue ?? []
        return RPCError(
            code, json["message"]?.stringValue ?? "", details: details.compactMap(detail), metadata: metadata)
    }

    /// A detail; one that is malformed is none, since the error itself matters more.
    private static func detail(_ json: JSONValue) -> ProtoAny? {
        guard let type = json["type"]?.stringValue, let text = json["value"]?.stringValue else { return nil }
        let digits = text.utf8.filter { $0 != 0x3D }
        guard let value = Base64Alphabet.standard.decode(digits) ?? Base64Alphabet.url.decode(digits) else {
            return nil
        }
        return ProtoAny(typeURL: "type.googleapis.com/\(type)", value: Data(value))
    }

    /// The error of an answer whose status is no success.
    ///
    /// What something in front of the server says has no code, and its text is not shown: it is a page for people.
    static func error(_ content: [UInt8], of response: HTTPResponse, metadata: HTTPFields) -> RPCError {
        let fallback = RPCCode(response.status)
        let plain = RPCError(
            fallback, "The server answered with status \(response.status).", metadata: metadata)
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
