// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

/// What one `Set-Cookie` field asks for, before anybody decided whether to grant it.
///
/// It is read as RFC 6265bis §5.6 says, which accepts much of what servers send although they should not.
public struct SetCookie: Sendable, Hashable {
    /// The name; a cookie may have none.
    public let name: String
    /// The value, exactly as written, with quotation marks and percent signs.
    public let value: String
    /// The domain asked for, in lower case and without a leading dot; empty where the attribute is, nil without one.
    public private(set) var domain: String?
    /// The path asked for; empty where the attribute asks for the default path, nil without one.
    public private(set) var path: String?
    /// The lifetime in seconds, zero or less for a cookie to be deleted; it outranks `expires`.
    public private(set) var maxAge: Int?
    /// The date of expiry.
    public private(set) var expires: Date?
    /// Whether the cookie is for secure connections alone.
    public private(set) var isSecure = false
    /// Whether the cookie is to be kept from scripts.
    public private(set) var isHTTPOnly = false
    /// Whether the cookie goes along with requests from other sites.
    public private(set) var sameSite = SameSite.unset

    /// Reads the value of a field; nil where the whole field is to be ignored.
    ///
    /// That is so where it holds control characters, or a name and value of more than 4,096 bytes together, or neither.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        // §5.6, first algorithm, step 1: NUL, CR and LF could break the framing of the field that is sent later.
        guard !bytes.contains(where: isForbiddenControl) else { return nil }
        let parts = bytes.split(separator: 0x3B, maxSplits: 1, omittingEmptySubsequences: false)
        let (name, value) = Self.pair(parts[0])
        // Steps 3 to 5; what has neither name nor value is ignored by the storage model (§5.7 step 2).
        guard (1...Cookie.maximumPairBytes).contains((name?.count ?? 0) + value.count) else { return nil }
        self.name = String(decoding: name ?? [], as: UTF8.self)
        self.value = String(decoding: value, as: UTF8.self)
        guard parts.count == 2 else { return }
        for attribute in parts[1].split(separator: 0x3B) {
            let (name, value) = Self.pair(attribute)
            if let name { take(name, value) } else { take(value, []) }
        }
    }

    /// What stands before and after the first `=`, trimmed; without one there is no name.
    private static func pair(_ text: ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>?, value: ArraySlice<UInt8>) {
        guard let equals = text.firstIndex(of: 0x3D) else { return (nil, trimmed(text)) }
        return (trimmed(text[..<equals]), trimmed(text[(equals + 1)...]))
    }

    /// Takes one attribute, in place of an earlier one of that name; an unknown or a senseless one is ignored.
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

    /// §5.6.2: digits, after a minus or not; how large they are is bounded where the cookie is stored.
    private static func seconds(_ text: ArraySlice<UInt8>) -> Int? {
        let isNegative = text.first == 0x2D
        let digits = isNegative ? text.dropFirst() : text
        guard !digits.isEmpty, digits.allSatisfy(isDigit) else { return nil }
        if isNegative { return -1 }
        return digits.reduce(0) { min($0 * 10 + Int($1 & 0x0F), longestAge) }
    }

    /// §5.6.7: a value that is not known counts as none given.
    private static func sameSite(_ text: ArraySlice<UInt8>) -> SameSite {
        switch String(decoding: text.map(asciiLowercased), as: UTF8.self) {
        case "none": .none
        case "lax": .lax
        case "strict": .strict
        default: .unset
        }
    }

    /// A hundred years: more than any policy allows, and far from where arithmetic ends.
    private static let longestAge = 3_155_760_000
    private static let maximumAttributeBytes = 1_024
}

extension SetCookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name and what is asked for, without the value.
    public var description: String {
        let parts: [String?] = [
            "\(name)=redacted", domain.map { "Domain=\($0)" }, path.map { "Path=\($0)" },
            maxAge.map { "Max-Age=\($0)" }, expires.map { "Expires=\(HTTPDate($0))" }, isSecure ? "Secure" : nil,
            isHTTPOnly ? "HttpOnly" : nil, sameSite == .unset ? nil : "SameSite=\(sameSite.rawValue)",
        ]
        return parts.compactMap(\.self).joined(separator: "; ")
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror without the value, so that `dump` and reflection do not show it.
    public var customMirror: Mirror { Mirror(self, children: ["cookie": description], displayStyle: .struct) }
}

/// RFC 6265bis §5.6 step 1: a control character other than the tab.
func isForbiddenControl(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != 0x09) || byte == 0x7F }

/// Without WSP, space and tab, at both ends.
func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    guard let last = text.lastIndex(where: { !isSpace($0) }) else { return [] }
    return text[...last].drop(while: isSpace)
}
