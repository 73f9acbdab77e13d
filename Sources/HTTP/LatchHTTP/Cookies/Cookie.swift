// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

/// A cookie as a jar keeps it, with everything that decides where it goes (RFC 6265bis §5.7).
///
/// Its description and reflection are redacted; the value is reached only by name.
public struct Cookie: Sendable, Hashable {
    /// The name; a cookie may have none.
    public let name: String
    /// The value, exactly as the server wrote it.
    public let value: String
    /// The host, or the domain above it, in lower case.
    public let domain: String
    /// Whether it goes to `domain` alone, and to no host below it.
    public let isHostOnly: Bool
    /// The path at and below which it is sent.
    public let path: String
    /// Whether it goes over secure connections alone.
    public let isSecure: Bool
    /// Whether it is kept from scripts.
    public let isHTTPOnly: Bool
    /// Whether it goes along with requests from other sites.
    public let sameSite: SameSite
    /// When it ends; nil for one that ends with the session, however long that is.
    public internal(set) var expiry: Date?
    /// When a cookie of this name, domain and path was first set.
    public internal(set) var created: Date
    /// When it was last sent, as far as that is known.
    public internal(set) var lastAccess: Date

    /// A cookie from its parts; nil where no server could have set such a one.
    ///
    /// That is so where the name or value could not stand in a field (RFC 6265bis §5.6), the domain is no host name or
    /// address in its one spelling, the path is none, or the name begins with a prefix whose promise the other parts do
    /// not keep (§5.7 steps 19 to 22).
    ///
    /// - Parameter lastAccess: When it was last sent; nil where it never was.
    public init?(
        name: String, value: String, domain: String, isHostOnly: Bool = true, path: String = "/",
        isSecure: Bool = false, isHTTPOnly: Bool = false, sameSite: SameSite = .unset, expiry: Date? = nil,
        created: Date, lastAccess: Date? = nil
    ) {
        guard Self.isSendable(name: name, value: value), CookieHost(domain)?.name == domain,
            path.utf8.first == 0x2F, !path.utf8.contains(where: isForbiddenControl), sameSite != .none || isSecure
        else { return nil }
        switch Self.prefix(of: name.isEmpty ? value : name) {
        case .some where name.isEmpty: return nil
        case .secure where !isSecure: return nil
        case .host where !isSecure || !isHostOnly || path != "/": return nil
        case .some, .none: break
        }
        self.name = name
        self.value = value
        self.domain = domain
        self.isHostOnly = isHostOnly
        self.path = path
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
        self.expiry = expiry
        self.created = created
        self.lastAccess = lastAccess ?? created
    }

    /// Whether it outlives the session: the RFC's persistent-flag.
    public var isPersistent: Bool { expiry != nil }

    /// Whether its time is over.
    public func isExpired(at now: Date) -> Bool { expiry.map { $0 <= now } ?? false }

    /// Whether `other` would take this one's place in a jar (§5.7 step 23).
    public func isSame(as other: Cookie) -> Bool {
        name == other.name && domain == other.domain && isHostOnly == other.isHostOnly && path == other.path
    }

    /// RFC 6265bis §5.6 step 5: of name and value together.
    static let maximumPairBytes = 4_096
}

extension Cookie {
    /// A name that promises something to the server, which only the client can see to (RFC 6265bis §4.1.3).
    enum Prefix {
        case secure
        case host
    }

    /// The prefix of a name, compared without case (RFC 6265bis §5.4), since servers compare so too.
    static func prefix(of name: String) -> Prefix? {
        let start = String(decoding: name.utf8.prefix(9).map(asciiLowercased), as: UTF8.self)
        if start == "__secure-" { return .secure }
        return start.hasPrefix("__host-") ? .host : nil
    }

    /// Whether a name and a value mean the same again after they were sent (RFC 6265bis §5.6, §5.7 steps 2 to 4).
    private static func isSendable(name: String, value: String) -> Bool {
        func isWhole(_ text: String) -> Bool {
            let bytes = ArraySlice(text.utf8)
            return trimmed(bytes).count == bytes.count
                && !bytes.contains(where: { isForbiddenControl($0) || $0 == 0x3B })
        }
        return (1...maximumPairBytes).contains(name.utf8.count + value.utf8.count) && isWhole(name) && isWhole(value)
            && !name.utf8.contains(0x3D)
    }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name and where it goes, without the value.
    public var description: String {
        "Cookie(\(name)=redacted; \(isHostOnly ? "" : ".")\(domain)\(path)\(isSecure ? "; secure" : ""))"
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror without the value, so that `dump` and reflection do not show it.
    public var customMirror: Mirror { Mirror(self, children: ["cookie": description], displayStyle: .struct) }
}
