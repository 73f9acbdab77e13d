// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchHTTP
package import LatchIdentityStorage
import LatchServer

extension HTTPRequest {
    /// Parses the content as a JSON object, which counts against the server's memory.
    ///
    /// Routes ignore unknown members.
    ///
    /// - Parameters:
    ///   - isOptional: Whether empty content counts as an empty object.
    ///   - limits: The bounds of the content.
    /// - Throws: `IdentityError.notJSON`, `.contentTooLarge`, `.invalidInput` or `.overloaded`.
    func jsonObject(
        isOptional: Bool = false, limits: JSONLimits = JSONLimits(depth: 16, bytes: 64 << 10, values: 1000)
    ) throws(IdentityError) -> JSONObject {
        if body.isEmpty, isOptional { return [:] }
        // Browsers send forms and text/plain across sites without a preflight (Fetch §2.2.2), so only JSON types are
        // read.
        guard let type = mediaType, type == "application/json" || type.utf8.suffix(5).elementsEqual("+json".utf8) else {
            throw .notJSON
        }
        do throws(ServerError) { try requireNoContentCoding() } catch {
            throw .notJSON.with(message: error.message, hint: "Send the content without a Content-Encoding.")
        }
        guard body.bytes.count <= limits.bytes else { throw .contentTooLarge }
        // A string needs as much memory as its text, and a thousand values no more than the largest content.
        guard context.memory?.reserve(2 * body.bytes.count) ?? true else { throw .overloaded }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(
                parsing: body.bytes.withoutByteOrderMark, limits: limits)
        } catch {
            throw .invalidInput.with(message: error.message, hint: error.hint)
        }
        guard let object = value.objectValue else { throw .invalidInput("the content must be a JSON object") }
        return object
    }
}

extension JSONObject {
    /// Returns a required text member.
    package func text(_ name: String) throws(IdentityError) -> String {
        guard let text = try optionalText(name) else { throw .missing(name) }
        return text
    }

    /// Returns an optional member that must be a list of strings; null counts as missing.
    package func words(_ name: String) throws(IdentityError) -> [String] {
        guard let value = self[name], !value.isNull else { return [] }
        let words = value.arrayValue?.compactMap(\.stringValue)
        guard let words, words.count == value.arrayValue?.count, words.count <= 100 else {
            throw .invalid(name, "must be a list of strings")
        }
        return words
    }

    /// Returns an optional member that must be true or false; null counts as missing.
    package func flag(_ name: String) throws(IdentityError) -> Bool? {
        guard let value = self[name], !value.isNull else { return nil }
        guard let flag = value.boolValue else { throw .invalid(name, "must be true or false") }
        return flag
    }

    /// Returns an optional member that must be a whole number; null counts as missing.
    package func number(_ name: String) throws(IdentityError) -> Int? {
        guard let value = self[name], !value.isNull else { return nil }
        guard let number = value.intValue else { throw .invalid(name, "must be a whole number") }
        return Int(number)
    }

    /// Returns an optional text member; null counts as missing.
    package func optionalText(_ name: String) throws(IdentityError) -> String? {
        guard let value = self[name], !value.isNull else { return nil }
        guard let text = value.stringValue else { throw .invalid(name, "must be text") }
        return text
    }
}

extension JSONObject {
    /// Returns the optional member `attributes`: the values of attributes by name; null counts as missing.
    package func attributes() throws(IdentityError) -> [String: JSONValue]? {
        guard let value = self["attributes"], !value.isNull else { return nil }
        guard let object = value.objectValue else { throw .invalid("attributes", "must be an object") }
        return object.reduce(into: [:]) { $0[$1.key] = $1.value }
    }
}

extension Registration {
    /// Creates the registration of a request: the object `attributes`, and the version `acceptedTerms`.
    package init(_ body: JSONObject) throws(IdentityError) {
        self.init()
        acceptedTerms = try body.optionalText("acceptedTerms")
        attributes = (try body.attributes() ?? [:]).filter { !$0.value.isNull }
    }
}

extension HTTPResponse {
    /// Returns a JSON response that must not be stored in caches, since most contain a token or personal data (RFC 6749
    /// §5.1).
    package static func json(_ object: JSONObject, status: HTTPStatus = .ok) -> HTTPResponse {
        json(JSONValue.object(object).serialized(), status: status)
    }

    /// Returns a response with encoded JSON.
    package static func json(_ bytes: some Sequence<UInt8>, status: HTTPStatus = .ok) -> HTTPResponse {
        HTTPResponse(
            status: status,
            fields: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
            body: HTTPBody(Array(bytes)))
    }

    /// Returns a JSON response with only a message, as AuthPackage's backend does.
    package static func message(_ text: String) -> HTTPResponse { .json(["message": .string(text)]) }
}
