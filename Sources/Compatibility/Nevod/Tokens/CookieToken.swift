// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
import LatchFoundationBridge
import LatchHTTP

/// The cookies of a session; each is sent only if its domain, path, security and age allow it.
public struct CookieToken: TokenModel {
    /// The cookies, including those that later responses have set.
    public let sessionCookies: [HTTPCookie]

    /// The LatchAuth credential, which determines where each cookie is sent.
    private let credential: CookieCredential
    /// The ports to which cookies are restricted, by name (RFC 2965).
    private let ports: [String: [Int]]

    /// Creates a token from the cookies that a login response set.
    ///
    /// Invalid cookies are omitted, such as those whose value would end a header line. A device's clock may be ahead of
    /// the server's. In a login strategy, a cookie keeps its remaining lifetime by the server's clock.
    public init(sessionCookies: [HTTPCookie]) {
        let now = Date()
        let lead = RefreshAttempt.current?.clockLead ?? 0
        let ports = sessionCookies.compactMap { cookie in cookie.portList.map { (cookie.name, $0.map(\.intValue)) } }
        self.init(
            CookieCredential(sessionCookies.compactMap { Cookie($0, at: now)?.unexpired(at: now, lead: lead) }),
            ports: Dictionary(ports, uniquingKeysWith: { $1 }))
    }

    private init(_ credential: CookieCredential, ports: [String: [Int]]) {
        self.credential = credential
        self.ports = ports
        sessionCookies = credential.cookies.compactMap { HTTPCookie($0, ports: ports[$0.name]) }
    }

    /// Adds the cookies that match the URL to those that the request already has.
    public func authorize(_ request: inout URLRequest) {
        request.authorize { message in
            guard !ports.isEmpty else { return credential.authorize(&message) }
            let port = message.origin.port
            let allowed = credential.cookies.filter { ports[$0.name]?.contains(port) ?? true }
            CookieCredential(allowed).authorize(&message)
        }
    }

    /// Encodes the cookies as JSON, with all attributes.
    public func encode() throws -> Data {
        let encoder = JSONEncoder()
        // Equal cookies must have equal encodings.
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(Record(cookies: credential.cookies, ports: ports))
    }

    /// Decodes cookies that `encode()` or Nevod encoded.
    public static func decode(from data: Data) throws -> CookieToken {
        do {
            let record = try JSONDecoder().decode(Record.self, from: data)
            return CookieToken(CookieCredential(record.cookies), ports: record.ports)
        } catch {
            guard let cookies = try? JSONDecoder().decode([LegacyCookie].self, from: data) else { throw error }
            return CookieToken(sessionCookies: cookies.compactMap(\.cookie))
        }
    }

    /// The stored form.
    private struct Record: Codable {
        let cookies: [Cookie]
        let ports: [String: [Int]]
    }
}

extension CookieToken: RotatingToken {
    /// The date at which the session cookies expire.
    var expiry: Date? { credential.expiry }

    /// Returns the token with the cookies that a response set.
    func rotated(by response: HTTPResponse, to request: HTTPRequest, sentWith sent: CookieToken) -> CookieToken? {
        credential.rotated(by: response, to: request, sentWith: sent.credential)
            .map { CookieToken($0, ports: ports) }
    }
}

extension CookieToken: Redacting {
    /// A description that omits the values.
    public var description: String { "CookieToken(\(credential.description))" }
}

/// The stored form of Nevod.
private struct LegacyCookie: Decodable {
    let name: String
    let value: String
    let domain: String
    let path: String
    let expiresDate: Date?
    let isSecure: Bool
    let isHTTPOnly: Bool

    var cookie: HTTPCookie? {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: name, .value: value, .domain: domain, .path: path,
        ]
        if isSecure { properties[.secure] = "TRUE" }
        if isHTTPOnly { properties[.init("HttpOnly")] = "TRUE" }
        if let expiresDate { properties[.expires] = expiresDate }
        return HTTPCookie(properties: properties)
    }
}

extension Cookie {
    /// Converts a cookie; nil if it is invalid.
    ///
    /// - Parameter now: The creation time, if the cookie has none.
    init?(_ cookie: HTTPCookie, at now: Date) {
        let isHostOnly = cookie.domain.utf8.first != UInt8(ascii: ".")
        let properties = cookie.properties ?? [:]
        let created = (properties[.init("Created")] as? Double).map { Date(timeIntervalSinceReferenceDate: $0) } ?? now
        // Foundation on Linux does not convert Max-Age to a date.
        let age = (properties[.maximumAge] as? String).flatMap(Double.init)
        let isSecure = cookie.isSecure
        let named = (properties[.init("SameSite")] as? String).flatMap(SameSite.init(text:)) ?? .unset
        self.init(
            name: cookie.name, value: cookie.value,
            domain: Substring(cookie.domain.utf8.dropFirst(isHostOnly ? 0 : 1)).lowercasedASCII(),
            isHostOnly: isHostOnly, path: cookie.path.isEmpty ? "/" : cookie.path, isSecure: isSecure,
            isHTTPOnly: cookie.isHTTPOnly,
            // RFC 6265bis §5.7: `None` requires a secure cookie.
            sameSite: named == .none && !isSecure ? .unset : named,
            expiry: cookie.expiresDate ?? age.map { created.addingTimeInterval($0) }, created: created)
    }
}

extension Cookie {
    /// Returns the cookie with its expiry by this device's clock, if it has expired only because that clock is ahead.
    fileprivate func unexpired(at now: Date, lead: Double) -> Cookie {
        guard let expiry, expiry <= now, expiry.addingTimeInterval(lead) > now else { return self }
        var cookie = self
        cookie.expiry = expiry.addingTimeInterval(lead)
        return cookie
    }
}

extension HTTPCookie {
    /// Converts a cookie, except for attributes that Foundation lacks.
    convenience init?(_ cookie: Cookie, ports: [Int]?) {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: cookie.name, .value: cookie.value, .path: cookie.path,
            .domain: cookie.isHostOnly ? cookie.domain : "." + cookie.domain,
        ]
        // Foundation on Linux accepts only text.
        if cookie.isSecure { properties[.secure] = "TRUE" }
        if cookie.isHTTPOnly { properties[.init("HttpOnly")] = "TRUE" }
        if cookie.sameSite != .unset { properties[.init("SameSite")] = cookie.sameSite.rawValue }
        if let expiry = cookie.expiry { properties[.expires] = expiry }
        if let ports { properties[.port] = ports.map(String.init).joined(separator: ",") }
        self.init(properties: properties)
    }
}

extension SameSite {
    /// Parses the attribute.
    fileprivate init?(text: String) {
        switch text.lowercasedASCII() {
        case "strict", "samesitestrict": self = .strict
        case "lax", "samesitelax": self = .lax
        case "none": self = .none
        default: return nil
        }
    }
}
