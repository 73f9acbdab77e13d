// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchFoundation

/// A parsed `Set-Cookie` field, before a jar decides whether to store the cookie.
///
/// It is parsed as RFC 6265bis §5.6 specifies, which accepts much that servers should not send.
package struct SetCookie: Sendable, Hashable {
    /// The name, which may be empty.
    package let name: String
    /// The value, exactly as written, with quotation marks and percent signs.
    package let value: String
    /// The Domain attribute in lower case and without a leading dot; may be empty, nil if it is missing.
    package private(set) var domain: String?
    /// The Path attribute; empty for the default path, nil if it is missing.
    package private(set) var path: String?
    /// The lifetime in seconds, zero or less to delete the cookie; it takes precedence over `expires`.
    package private(set) var maxAge: Int64?
    /// The date of expiry.
    package private(set) var expires: Date?
    /// Whether the cookie is only for secure connections.
    package private(set) var isSecure = false
    /// Whether scripts cannot read the cookie.
    package private(set) var isHTTPOnly = false
    /// The cross-site requests that carry the cookie.
    package private(set) var sameSite = SameSite.unset

    /// Parses the value of a field, or returns nil if the whole field is to be ignored.
    ///
    /// A field is ignored if it holds control characters, if name and value together exceed 4,096 bytes, or if both are
    /// empty.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        // §5.6, first algorithm, step 1: NUL, CR and LF could break the framing of the field that is sent later.
        guard !bytes.contains(where: isForbiddenControl) else { return nil }
        let parts = bytes.split(separator: 0x3B, maxSplits: 1, omittingEmptySubsequences: false)
        let (name, value) = Self.pair(parts[0])
        // Steps 3 to 5; a cookie without name and value is ignored by the storage model (§5.7 step 2).
        guard (1...Cookie.maximumPairBytes).contains((name?.count ?? 0) + value.count) else { return nil }
        self.name = String(decoding: name ?? [], as: UTF8.self)
        self.value = String(decoding: value, as: UTF8.self)
        guard parts.count == 2 else { return }
        for attribute in parts[1].split(separator: 0x3B) {
            let (name, value) = Self.pair(attribute)
            if let name { take(name, value) } else { take(value, []) }
        }
    }

    /// Returns the cookie with its `Expires` moved by some seconds.
    fileprivate func expiring(later seconds: Double) -> SetCookie {
        var cookie = self
        cookie.expires = expires?.addingTimeInterval(seconds)
        return cookie
    }

    /// Returns the trimmed texts before and after the first `=`; without an `=`, the name is nil.
    private static func pair(_ text: ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>?, value: ArraySlice<UInt8>) {
        guard let equals = text.firstIndex(of: 0x3D) else { return (nil, trimmed(text)) }
        return (trimmed(text[..<equals]), trimmed(text[(equals + 1)...]))
    }

    /// Applies one attribute, replacing an earlier one with the same name; unknown and invalid ones are ignored.
    private mutating func take(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
        // §5.6, second algorithm, step 6.
        guard value.count <= Self.maximumAttributeBytes, name.count <= 8 else { return }
        switch String(decoding: name.map(asciiLowercased), as: UTF8.self) {
        case "expires": expires = CookieDate.parse(value) ?? expires
        case "max-age": maxAge = Self.seconds(value) ?? maxAge
        case "domain":
            let domain = value.first == 0x2E ? value.dropFirst() : value
            self.domain = String(decoding: domain.map(asciiLowercased), as: UTF8.self)
        case "path": path = value.first == 0x2F ? String(decoding: value, as: UTF8.self) : ""
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "samesite": sameSite = Self.sameSite(value)
        default: break
        }
    }

    /// Parses digits with an optional minus (§5.6.2); large values are limited where the cookie is stored.
    private static func seconds(_ text: ArraySlice<UInt8>) -> Int64? {
        let isNegative = text.first == 0x2D
        let digits = isNegative ? text.dropFirst() : text
        guard !digits.isEmpty, digits.allSatisfy(isDigit) else { return nil }
        if isNegative { return -1 }
        return digits.reduce(0) { min($0 * 10 + Int64($1 & 0x0F), maximumParsedAge) }
    }

    /// Parses a SameSite attribute; an unknown value counts as a missing attribute (§5.6.7).
    private static func sameSite(_ text: ArraySlice<UInt8>) -> SameSite {
        switch String(decoding: text.map(asciiLowercased), as: UTF8.self) {
        case "none": .none
        case "lax": .lax
        case "strict": .strict
        default: .unset
        }
    }

    /// The maximum age that is parsed, a hundred years: more than any policy allows, and too small for an overflow.
    private static let maximumParsedAge: Int64 = 3_155_760_000
    private static let maximumAttributeBytes = 1_024
}

extension SetCookie: CustomStringConvertible, CustomReflectable {
    /// The name and the attributes, without the value.
    package var description: String {
        let parts: [String?] = [
            "\(name)=redacted", domain.map { "Domain=\($0)" }, path.map { "Path=\($0)" },
            maxAge.map { "Max-Age=\($0)" }, expires.map { "Expires=\(HTTPDate($0))" }, isSecure ? "Secure" : nil,
            isHTTPOnly ? "HttpOnly" : nil, sameSite == .unset ? nil : "SameSite=\(sameSite.rawValue)",
        ]
        return parts.compactMap(\.self).joined(separator: "; ")
    }

    /// A mirror without the value, so that `dump` and reflection do not reveal it.
    package var customMirror: Mirror { Mirror(self, children: ["cookie": description], displayStyle: .struct) }
}

/// Whether a byte is a control character other than the tab (RFC 6265bis §5.6 step 1).
func isForbiddenControl(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != 0x09) || byte == 0x7F }

extension HTTPResponse {
    /// Returns the cookies that the response sets, with their `Expires` by this device's clock.
    ///
    /// The server uses its clock, which `Date` shows. Without the correction, a device that is two hours ahead would
    /// drop a cookie of one hour, and no sign-in by cookies would succeed there. A difference of less than a minute is
    /// not corrected.
    package func setCookies(at now: Date) -> [SetCookie] {
        let cookies = fields.values(of: .setCookie).compactMap(SetCookie.init)
        // A response from a cache has an age (RFC 9111 §5.1) and an old date.
        guard !cookies.isEmpty, fields["Age"] == nil, let date = fields[.date].flatMap(HTTPDate.init)?.date else {
            return cookies
        }
        let lead = now.timeIntervalSince(date)
        return abs(lead) < 60 ? cookies : cookies.map { $0.expiring(later: lead) }
    }
}
