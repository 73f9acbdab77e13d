// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// What stands before a token's content: how it is signed and what it is (RFC 7515 §4).
public struct TokenHeader: Sendable, Hashable {
    /// All members, as they were written.
    public let members: JSONObject
    /// The algorithm that the token names, which its verifier must accept.
    public let algorithm: SignatureAlgorithm
    /// The name of the key.
    public let keyID: String?
    /// The type, such as `JWT` or `at+jwt`.
    public let type: String?

    /// What is parsed of a header at most; real ones have some hundred bytes and no depth.
    private static let limits = JSONLimits(depth: 8, bytes: 16 << 10)

    /// Takes the four members that are looked at out of a header.
    init(_ members: JSONObject) throws(JOSEError) {
        guard let name = members["alg"]?.stringValue else { throw .malformedToken("its header names no algorithm") }
        self.members = members
        algorithm = SignatureAlgorithm(rawValue: name)
        keyID = try Self.text("kid", of: members)
        type = try Self.text("typ", of: members)
    }

    /// Reads a header from its part of a token.
    init(base64URL text: ArraySlice<UInt8>) throws(JOSEError) { try self.init(try Self.members(base64URL: text)) }

    /// The members of a header; one that stands twice is refused (RFC 7515 §4).
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

    /// Refuses what would change the meaning of the rest of a token with claims.
    ///
    /// RFC 7515 §4.1.11: a token whose `crit` names an extension that is not understood is invalid; none is understood here.
    /// RFC 7797 §7: `b64` is not for such tokens.
    func refuseExtensions() throws(JOSEError) {
        guard members["crit"] == nil, members["b64"] == nil else { throw .refusedExtension }
    }

    /// RFC 7515 §4.1.9: types are media types, compared without case and with `application/` before them or not.
    func isOfType(_ expected: String) -> Bool {
        guard let type else { return false }
        return Self.mediaType(type) == Self.mediaType(expected)
    }

    /// The type in lower case and with the `application/` that may be left out.
    private static func mediaType(_ text: String) -> String {
        let lowercased = text.lowercased()
        return lowercased.contains("/") ? lowercased : "application/" + lowercased
    }

    /// A member that is a string, or nil where it is missing; anything else is refused, null too.
    private static func text(_ name: String, of members: JSONObject) throws(JOSEError) -> String? {
        guard let value = members[name] else { return nil }
        guard let text = value.stringValue else { throw .malformedToken("its \(name) is not a string") }
        return text
    }
}
