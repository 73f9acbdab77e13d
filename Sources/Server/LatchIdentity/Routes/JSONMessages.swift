// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchServer

extension HTTPRequest {
    /// The members of a JSON object in the content.
    ///
    /// Members that a route does not know are ignored.
    ///
    /// - Parameter isOptional: Whether no content is as good as an empty object.
    /// - Throws: `IdentityError.notJSON`, `.contentTooLarge` or `.invalidInput`, before anything has happened.
    func jsonObject(isOptional: Bool = false) throws(IdentityError) -> JSONObject {
        if body.isEmpty, isOptional { return [:] }
        // A form or a text/plain content can be sent across sites without asking (Fetch §2.2.2): it is not read as JSON.
        guard let type = mediaType, type == "application/json" || type.hasSuffix("+json") else { throw .notJSON }
        guard body.bytes.count <= 64 << 10 else { throw .contentTooLarge }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: body.bytes, limits: JSONLimits(depth: 16, bytes: 64 << 10))
        } catch {
            throw IdentityError(code: IdentityError.invalidInput.code, message: error.message, hint: error.hint)
        }
        guard let object = value.objectValue else { throw .invalidInput("a JSON object is needed") }
        return object
    }

    /// The access token of the Authorization field (RFC 6750 §2.1).
    var bearerToken: String? { fields.bearerToken }

    /// Where the request comes from, as far as the server knows.
    var signInOrigin: SignIns.Origin {
        SignIns.Origin(address: remoteAddress ?? "in process", userAgent: fields[.userAgent])
    }
}

extension HTTPFields {
    /// The access token of the Authorization field (RFC 6750 §2.1).
    var bearerToken: String? {
        guard let value = self[.authorization], value.utf8.count < 16 << 10 else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }
}

extension JSONObject {
    /// A member that must be there and be text.
    func text(_ name: String) throws(IdentityError) -> String {
        guard let text = try optionalText(name) else { throw .invalidInput("'\(name)' is missing") }
        return text
    }

    /// A member that must be text where it is there; null is the same as nothing.
    func optionalText(_ name: String) throws(IdentityError) -> String? {
        guard let value = self[name], !value.isNull else { return nil }
        guard let text = value.stringValue else { throw .invalidInput("'\(name)' must be text") }
        return text
    }
}

extension HTTPResponse {
    /// A JSON object; no cache keeps it, since most of them hold a token or speak of a person (RFC 6749 §5.1).
    static func json(_ object: JSONObject, status: HTTPStatus = .ok) -> HTTPResponse {
        HTTPResponse(
            status: status,
            fields: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
            body: HTTPBody(JSONValue.object(object).serialized()))
    }

    /// An answer that only says how it went, as seed 002's backend does.
    static func message(_ text: String) -> HTTPResponse { .json(["message": .string(text)]) }
}

extension IdentityError {
    /// The content is larger than any request here needs.
    static let contentTooLarge = IdentityError(
        code: "contentTooLarge", message: "The content is larger than 64 KiB.", hint: "Send less.")

    /// The content is not JSON by its type.
    static let notJSON = IdentityError(
        code: "notJSON", message: "The content must be JSON.", hint: "Send it with Content-Type: application/json.")
}
