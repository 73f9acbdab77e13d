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

    /// The limits of a header; real ones have some hundred bytes and no nesting.
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
    /// RFC 7515 §4.1.11: a token with an unknown name in `crit` is invalid; none is known here. RFC 7797 §7: a JWT
    /// cannot have `b64`.
    func refuseExtensions() throws(JOSEError) {
        guard members["crit"] == nil, members["b64"] == nil else { throw .refusedExtension }
    }

    /// Returns whether the type is the expected one: types are media types, compared without case, and `application/`
    /// is optional (RFC 7515 §4.1.9).
    package func isOfType(_ expected: String) -> Bool {
        guard let type else { return false }
        return Self.mediaType(type) == Self.mediaType(expected)
    }

    /// Returns the media type in lower case, with its optional `application/`.
    static func mediaType(_ text: String) -> String {
        let lowercased = text.lowercasedASCII()
        return lowercased.utf8.contains(0x2F) ? lowercased : "application/" + lowercased
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
