// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchFoundation

/// The claims of a token (RFC 7519 §4): JSON values, which are read by name and type.
///
/// Reading a claim that is missing or has another type returns nil, without an error or a conversion.
public struct Claims: Sendable, Hashable {
    /// All claims, in the order of the token.
    ///
    /// Signing the claims again preserves the order.
    public var members: JSONObject

    /// Creates claims from an object.
    public init(_ members: JSONObject = [:]) { self.members = members }

    /// Returns a claim of any type; setting nil removes it.
    public subscript(name: String) -> JSONValue? {
        get { members[name] }
        set { members[name] = newValue }
    }

    /// Returns a claim that is a string.
    public func string(_ name: String) -> String? { members[name]?.stringValue }

    /// Returns a claim that is a Boolean.
    public func bool(_ name: String) -> Bool? { members[name]?.boolValue }

    /// Returns a claim that is an integer.
    ///
    /// A number with a fraction is not rounded: the result is nil.
    public func int(_ name: String) -> Int? { members[name]?.intValue }

    /// Returns a claim that is a number.
    public func double(_ name: String) -> Double? { members[name]?.doubleValue }

    /// Returns a claim that is a date: the seconds since 1970, with or without a fraction (RFC 7519 §2, NumericDate).
    public func date(_ name: String) -> Date? {
        members[name]?.doubleValue.map { Date(timeIntervalSince1970: $0) }
    }

    /// Returns a claim that is an array of strings, such as roles.
    public func strings(_ name: String) -> [String]? {
        guard let elements = members[name]?.arrayValue else { return nil }
        let strings = elements.compactMap(\.stringValue)
        return strings.count == elements.count ? strings : nil
    }
}

extension Claims {
    /// Decodes the claims as a type, whose dates are seconds since 1970 (RFC 7519 §2, NumericDate).
    ///
    /// - Throws: `JOSEError.malformedToken` if a claim is missing or has another type.
    public func decode<Value: Decodable>(as type: Value.Type) throws(JOSEError) -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        do {
            return try decoder.decode(type, from: Data(JSONValue.object(members).serialized()))
        } catch {
            // The error of the decoder may quote the value.
            throw .malformedToken("its claims are not those of \(type)")
        }
    }
}

extension Claims: ExpressibleByDictionaryLiteral {
    /// Creates claims from a literal.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        members = JSONObject(elements.map { (key: $0.0, value: $0.1) })
    }
}

extension Claims: CustomStringConvertible, CustomReflectable {
    /// The names of the claims; their values may be personal data and are not printed.
    public var description: String { "Claims(\(members.keys.joined(separator: ", ")))" }

    /// A mirror that shows only the names, also to `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["names": members.keys]) }
}

extension Claims {
    /// The issuer of the token (`iss`, RFC 7519 §4.1.1).
    public var issuer: String? {
        get { string("iss") }
        set { members["iss"] = newValue.map { .string($0) } }
    }

    /// The subject of the token (`sub`, RFC 7519 §4.1.2).
    public var subject: String? {
        get { string("sub") }
        set { members["sub"] = newValue.map { .string($0) } }
    }

    /// The audience of the token (`aud`, RFC 7519 §4.1.3), which is encoded as a string or an array of strings.
    public var audience: [String] {
        get { string("aud").map { [$0] } ?? strings("aud") ?? [] }
        set {
            guard let only = newValue.first, newValue.count == 1 else {
                members["aud"] = newValue.isEmpty ? nil : .array(newValue.map { .string($0) })
                return
            }
            members["aud"] = .string(only)
        }
    }

    /// The expiration time (`exp`, RFC 7519 §4.1.4).
    public var expiry: Date? {
        get { date("exp") }
        set { members["exp"] = newValue.map(Self.numericDate) }
    }

    /// The time before which the token is not valid (`nbf`, RFC 7519 §4.1.5).
    public var notBefore: Date? {
        get { date("nbf") }
        set { members["nbf"] = newValue.map(Self.numericDate) }
    }

    /// The time at which the token was issued (`iat`, RFC 7519 §4.1.6).
    public var issuedAt: Date? {
        get { date("iat") }
        set { members["iat"] = newValue.map(Self.numericDate) }
    }

    /// The unique ID of the token (`jti`, RFC 7519 §4.1.7).
    public var id: String? {
        get { string("jti") }
        set { members["jti"] = newValue.map { .string($0) } }
    }

    /// Whether the token has expired at a date.
    ///
    /// A token without `exp` does not expire; a token whose `exp` is not a number counts as expired.
    public func isExpired(at date: Date, leeway: Duration = .zero) -> Bool {
        guard members["exp"] != nil else { return false }
        guard let expiry else { return true }
        return date.timeIntervalSince1970 >= expiry.timeIntervalSince1970 + leeway.inSeconds
    }

    /// Encodes a date.
    ///
    /// Whole seconds become an integer, which every reader accepts.
    ///
    /// A date that is not finite becomes null, which verifiers reject: JSON has no such number (RFC 8259 §6).
    private static func numericDate(_ date: Date) -> JSONValue {
        let seconds = date.timeIntervalSince1970
        return Int64(exactly: seconds).map { .integer($0) } ?? .number(seconds)
    }
}

extension Duration {
    /// The duration in seconds, with its fraction.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

/// The kinds of tokens that issuers sign with the same keys, as their claims show them.
extension Claims {
    /// Whether the claims are those of an ID token, a refresh token, a logout token or another security event.
    ///
    /// Keycloak names the kind in `typ`, Amazon Cognito in `token_use`. Otherwise, claims that access tokens lack show
    /// the kind. They are the hashes in an ID token (OpenID Connect Core §3.1.3.6) and events (RFC 8417 §2.2). A nonce,
    /// or an authorized party that is the audience, counts unless other claims are those of an access token.
    package var areOfAnotherToken: Bool {
        if ["token_use", "token_type", "typ"].contains(where: { Self.otherKinds.contains(kind($0)) }) { return true }
        if ["at_hash", "c_hash", "s_hash", "events"].contains(where: has) { return true }
        guard !areOfAccessToken else { return false }
        return has("nonce") || string("azp").map(audience.contains) == true
    }

    /// Whether the claims have a member that only access tokens have: scopes, permissions, a client (RFC 9068 §2.2), or
    /// the kind.
    package var areOfAccessToken: Bool {
        if ["scope", "scp", "permissions", "client_id", "cid", "appid", "azpacr"].contains(where: has) { return true }
        if kind("token_use") == "access" || ["bearer", "dpop"].contains(kind("typ")) { return true }
        // An ID token's audience contains the client that it was issued to.
        return string("azp").map { !audience.isEmpty && !audience.contains($0) } ?? false
    }

    /// The names of other kinds, as issuers write them.
    private static let otherKinds: Set<String> = [
        "refresh", "refresh_token", "offline", "id", "id_token", "logout", "logout_token",
    ]

    private func kind(_ name: String) -> String { string(name)?.lowercasedASCII() ?? "" }

    private func has(_ name: String) -> Bool { members[name].map { !$0.isNull } ?? false }
}
