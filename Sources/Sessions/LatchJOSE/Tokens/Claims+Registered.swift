// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation
internal import LatchCore

extension Claims {
    /// Who made the token (`iss`, RFC 7519 §4.1.1).
    public var issuer: String? {
        get { string("iss") }
        set { members["iss"] = newValue.map { .string($0) } }
    }

    /// Whom it speaks of (`sub`, RFC 7519 §4.1.2).
    public var subject: String? {
        get { string("sub") }
        set { members["sub"] = newValue.map { .string($0) } }
    }

    /// For whom it is meant (`aud`, RFC 7519 §4.1.3), which is written as one string or as an array of them.
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

    /// From when on it is not to be used (`exp`, RFC 7519 §4.1.4).
    public var expiry: Date? {
        get { date("exp") }
        set { members["exp"] = newValue.map(Self.numericDate) }
    }

    /// From when on it may be used (`nbf`, RFC 7519 §4.1.5).
    public var notBefore: Date? {
        get { date("nbf") }
        set { members["nbf"] = newValue.map(Self.numericDate) }
    }

    /// When it was made (`iat`, RFC 7519 §4.1.6).
    public var issuedAt: Date? {
        get { date("iat") }
        set { members["iat"] = newValue.map(Self.numericDate) }
    }

    /// Its own name, different for each token (`jti`, RFC 7519 §4.1.7).
    public var id: String? {
        get { string("jti") }
        set { members["jti"] = newValue.map { .string($0) } }
    }

    /// Whether the expiry has passed at a date.
    ///
    /// Without `exp` a token does not expire; with an `exp` that is no number it has, since nothing can be known of it.
    public func isExpired(at date: Date, leeway: Duration = .zero) -> Bool {
        guard members["exp"] != nil else { return false }
        guard let expiry else { return true }
        return date.timeIntervalSince1970 >= expiry.timeIntervalSince1970 + leeway.inSeconds
    }

    /// Whole seconds are written as an integer, which every reader takes.
    ///
    /// A date that is not finite becomes null, since JSON has no such number (RFC 8259 §6), and is refused by whoever
    /// verifies.
    private static func numericDate(_ date: Date) -> JSONValue {
        let seconds = date.timeIntervalSince1970
        return Int64(exactly: seconds).map { .integer($0) } ?? .number(seconds)
    }
}

extension Duration {
    /// The duration in seconds, with its fraction.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
