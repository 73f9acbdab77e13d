// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchFoundation

/// A stored cookie with all attributes that decide which requests carry it (RFC 6265bis §5.7).
///
/// Its description and reflection are redacted; only the `value` property returns the value.
public struct Cookie: Sendable, Hashable {
    /// The name, which may be empty.
    public let name: String
    /// The value, exactly as the server wrote it.
    public let value: String
    /// The host or its parent domain, in lower case.
    public let domain: String
    /// Whether it is sent only to `domain` and not to its subdomains.
    public let isHostOnly: Bool
    /// The path at and below which it is sent.
    public let path: String
    /// Whether it is sent only over secure connections.
    public let isSecure: Bool
    /// Whether scripts cannot read it.
    public let isHTTPOnly: Bool
    /// The cross-site requests that carry it.
    public let sameSite: SameSite
    /// The date of expiry; nil for a session cookie.
    public package(set) var expiry: Date?
    /// The date on which a cookie of this name, domain and path was first set.
    package internal(set) var created: Date
    /// The date on which it was last sent, if that is known.
    package internal(set) var lastAccess: Date

    /// Creates a cookie, or returns nil if no server could have set it.
    ///
    /// The name or value must be able to be part of a field (RFC 6265bis §5.6). The domain must be a canonical host
    /// name or address, and the path must be valid. The attributes must meet the requirements of the name's prefix
    /// (§5.7 steps 19 to 22).
    ///
    /// - Parameters:
    ///   - name: The name, which may be empty.
    ///   - value: The value, exactly as the server wrote it.
    ///   - domain: The host or its parent domain, in lower case.
    ///   - isHostOnly: Whether the cookie is sent only to `domain` and not to its subdomains.
    ///   - path: The path at and below which the cookie is sent.
    ///   - isSecure: Whether the cookie is sent over secure connections only.
    ///   - isHTTPOnly: Whether scripts cannot read the cookie.
    ///   - sameSite: The cross-site requests that carry the cookie; `none` requires `isSecure`.
    ///   - expiry: The date of expiry; nil for a session cookie.
    ///   - created: The date on which a cookie of this name, domain and path was first set.
    ///   - lastAccess: The date on which the cookie was last sent; nil if it was never sent.
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
    package var isPersistent: Bool { expiry != nil }

    /// Whether it has expired.
    package func isExpired(at now: Date) -> Bool { expiry.map { $0 <= now } ?? false }

    /// Whether `other` would replace this cookie in a jar (§5.7 step 23).
    package func isSame(as other: Cookie) -> Bool {
        name == other.name && domain == other.domain && isHostOnly == other.isHostOnly && path == other.path
    }

    /// The maximum size of name and value together (RFC 6265bis §5.6 step 5).
    static let maximumPairBytes = 4_096
}

extension Cookie {
    /// A name prefix whose requirements the client enforces (RFC 6265bis §4.1.3).
    private enum Prefix {
        case secure
        case host
    }

    /// Returns the prefix of a name, compared without case as servers do (RFC 6265bis §5.4).
    private static func prefix(of name: String) -> Prefix? {
        let start = String(decoding: name.utf8.prefix(9).map(asciiLowercased), as: UTF8.self)
        if start == "__secure-" { return .secure }
        return start.utf8.starts(with: "__host-".utf8) ? .host : nil
    }

    /// Whether a name and a value survive sending and parsing without a change (RFC 6265bis §5.6, §5.7 steps 2 to 4).
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

extension Cookie: CustomStringConvertible, CustomReflectable {
    /// The name, domain and path, without the value.
    public var description: String {
        "Cookie(\(name)=redacted; \(isHostOnly ? "" : ".")\(domain)\(path)\(isSecure ? "; secure" : ""))"
    }

    /// A mirror without the value, so that `dump` and reflection do not reveal it.
    public var customMirror: Mirror { Mirror(self, children: ["cookie": description], displayStyle: .struct) }
}

extension Cookie {
    /// Creates the cookie that a response sets, or returns nil if it may not set it (RFC 6265bis §5.7 steps 5 to 22).
    ///
    /// The jar decides whether it may overwrite an existing cookie.
    init?(_ setCookie: SetCookie, from target: CookieTarget, at now: Date, under policy: CookiePolicy) {
        // Step 13, and step 18 for cross-site requests.
        guard target.isSecure || !setCookie.isSecure, setCookie.sameSite == .none || target.site != .crossSite,
            let scope = Self.scope(of: setCookie, from: target.host, under: policy)
        else { return nil }
        // Step 21: the path must be an explicit attribute, not the default path.
        guard Self.prefix(of: setCookie.name) != .host || setCookie.path != nil else { return nil }
        let path = setCookie.path.flatMap { $0.isEmpty ? nil : $0 } ?? target.defaultPath
        self.init(
            name: setCookie.name, value: setCookie.value, domain: scope.domain, isHostOnly: scope.isHostOnly,
            path: path,
            isSecure: setCookie.isSecure, isHTTPOnly: setCookie.isHTTPOnly, sameSite: setCookie.sameSite,
            expiry: Self.expiry(setCookie, at: now, under: policy), created: now)
    }

    /// Returns the domain of a cookie and whether it is host-only (§5.7 steps 7 to 10).
    private static func scope(
        of setCookie: SetCookie, from host: CookieHost, under policy: CookiePolicy
    ) -> (domain: String, isHostOnly: Bool)? {
        guard let domain = setCookie.domain, !domain.isEmpty else { return (host.name, true) }
        // Only a host that is a public suffix itself, such as `github.io`, may set a cookie for it, and only a
        // host-only one.
        let verdict = policy.publicSuffixes.verdict(of: domain)
        if domain == host.name, verdict == .suffix { return (domain, true) }
        guard host.matches(domain: domain), verdict != .suffix else { return nil }
        if verdict == .site { return (domain, false) }
        // The domain may be a public suffix. The cookie is narrowed to its host, unless its name forbids a domain.
        return Self.prefix(of: setCookie.name) == .host ? nil : (host.name, true)
    }

    /// Returns the expiry: Max-Age takes precedence over Expires (§5.7 step 6), and both are limited (§5.5).
    private static func expiry(_ setCookie: SetCookie, at now: Date, under policy: CookiePolicy) -> Date? {
        if let age = setCookie.maxAge {
            // Zero means the past, so that deletion does not depend on the clock's resolution.
            return age <= 0 ? .distantPast : min(now.addingTimeInterval(Double(age)), policy.latestExpiry(at: now))
        }
        return setCookie.expires.map { min($0, policy.latestExpiry(at: now)) }
    }
}

extension Cookie: Codable {
    /// The encoded form.
    ///
    /// Dates are encoded as the number that `Date` stores, regardless of the encoder's date strategy. Every other form
    /// loses part of the fraction, which may decide the order of creation.
    private struct Stored: Codable {
        let name: String
        let value: String
        let domain: String
        let isHostOnly: Bool
        let path: String
        let isSecure: Bool
        let isHTTPOnly: Bool
        let sameSite: SameSite
        let expiry: Double?
        let created: Double
        let lastAccess: Double
    }

    /// Decodes a cookie with all its attributes.
    ///
    /// - Throws: `DecodingError`, also if no server could have set such a cookie, because the stored data was modified.
    public init(from decoder: any Decoder) throws {
        let stored = try Stored(from: decoder)
        let cookie = Cookie(
            name: stored.name, value: stored.value, domain: stored.domain, isHostOnly: stored.isHostOnly,
            path: stored.path, isSecure: stored.isSecure, isHTTPOnly: stored.isHTTPOnly, sameSite: stored.sameSite,
            expiry: stored.expiry.map(Date.init(timeIntervalSinceReferenceDate:)),
            created: Date(timeIntervalSinceReferenceDate: stored.created),
            lastAccess: Date(timeIntervalSinceReferenceDate: stored.lastAccess))
        guard let cookie else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "This is not a valid cookie."))
        }
        self = cookie
    }

    /// Encodes all attributes.
    public func encode(to encoder: any Encoder) throws {
        let stored = Stored(
            name: name, value: value, domain: domain, isHostOnly: isHostOnly, path: path, isSecure: isSecure,
            isHTTPOnly: isHTTPOnly, sameSite: sameSite, expiry: expiry?.timeIntervalSinceReferenceDate,
            created: created.timeIntervalSinceReferenceDate, lastAccess: lastAccess.timeIntervalSinceReferenceDate)
        try stored.encode(to: encoder)
    }
}
