// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// A JOSE header (RFC 7515 §4).
public struct JOSEHeader: Sendable, Hashable {
    /// All header parameters.
    public let members: JSONObject
    /// The algorithm of the signature, which the verifier must accept.
    public let algorithm: SignatureAlgorithm
    /// The ID of the key (`kid`).
    public let keyID: String?
    /// The type, such as `JWT` or `at+jwt`.
    public let type: String?

    /// The limits of a header; real headers have some hundred bytes and no nesting.
    private static let limits = JSONLimits(depth: 8, bytes: 16 << 10)

    /// Creates a header from its parameters.
    init(_ members: JSONObject) throws(JOSEError) {
        guard let name = members["alg"]?.stringValue else { throw .malformedToken("its header names no algorithm") }
        self.members = members
        algorithm = SignatureAlgorithm(rawValue: name)
        keyID = try members.tokenPart("kid")
        type = try members.tokenPart("typ")
    }

    /// Decodes the header of a token.
    init(base64URL text: ArraySlice<UInt8>) throws(JOSEError) { try self.init(try Self.members(base64URL: text)) }

    /// Decodes the parameters of a header; duplicate names are rejected (RFC 7515 §4).
    static func members(base64URL text: ArraySlice<UInt8>) throws(JOSEError) -> JSONObject {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: try Base64URL.decode(utf8: text), limits: Self.limits)
        } catch {
            throw .malformedToken("its header is not JSON in base64url")
        }
        guard let members = value.objectValue else { throw .malformedToken("its header is not an object") }
        return members
    }

    /// Rejects parameters that would change the meaning of a JWT.
    ///
    /// RFC 7515 §4.1.11: a token with an unknown name in `crit` is invalid, and no name is known here. RFC 7797 §7: a
    /// JWT cannot have `b64`.
    func refuseExtensions() throws(JOSEError) {
        guard members["crit"] == nil, members["b64"] == nil else { throw .refusedExtension }
    }

    /// Returns whether the type is the expected one.
    package func isOfType(_ expected: String) -> Bool { type.map { Self.areSameType($0, expected) } ?? false }

    /// Returns whether two media types are equal, ignoring case and an optional `application/` prefix (RFC 7515
    /// §4.1.9).
    static func areSameType(_ left: String, _ right: String) -> Bool {
        let (left, right) = (comparable(left), comparable(right))
        return left.isApplication == right.isApplication
            && left.name.elementsEqual(right.name) { asciiLowercased($0) == asciiLowercased($1) }
    }

    /// Returns the part of a media type that is compared.
    ///
    /// It copies nothing, because this runs for each token.
    private static func comparable(_ text: String) -> (isApplication: Bool, name: Substring.UTF8View) {
        let prefix = "application/".utf8
        guard text.utf8.prefix(prefix.count).elementsEqual(prefix, by: { asciiLowercased($0) == $1 }) else {
            return (!text.utf8.contains(UInt8(ascii: "/")), text.utf8[...])
        }
        return (true, text.utf8.dropFirst(prefix.count))
    }
}

extension JSONObject {
    /// Returns a member that is a string; nil if it is missing.
    ///
    /// Other values are rejected, including null.
    func tokenPart(_ name: String) throws(JOSEError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.stringValue else { throw .malformedToken("its \(name) is not a string") }
        return text
    }
}
