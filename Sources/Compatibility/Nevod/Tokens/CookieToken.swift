// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchHTTP

/// The cookies that prove a login; each goes where its own domain, path, security and age let it.
public struct CookieToken: TokenModel {
    /// The cookies, with those that answers have set since.
    public let sessionCookies: [HTTPCookie]

    /// The same for the core, which decides where each one goes.
    private let credential: CookieCredential
    /// To which ports a cookie is bound, by its name; RFC 2965 alone knows that.
    private let ports: [String: [Int]]

    /// A token of cookies, as a login's answer set them.
    ///
    /// A cookie that no server could have set, such as one whose value would break a header line, is left out.
    public init(sessionCookies: [HTTPCookie]) {
        let now = Date()
        let ports = sessionCookies.compactMap { cookie in cookie.portList.map { (cookie.name, $0.map(\.intValue)) } }
        self.init(
            CookieCredential(sessionCookies.compactMap { Cookie($0, at: now) }),
            ports: Dictionary(ports, uniquingKeysWith: { $1 }))
    }

    private init(_ credential: CookieCredential, ports: [String: [Int]]) {
        self.credential = credential
        self.ports = ports
        sessionCookies = credential.cookies.compactMap { HTTPCookie($0, ports: ports[$0.name]) }
    }

    /// Adds the cookies that are for the request's target, beside those that it carries already.
    public func authorize(_ request: inout URLRequest) {
        request.authorize { message in
            guard !ports.isEmpty else { return credential.authorize(&message) }
            let port = message.origin.port
            let allowed = credential.cookies.filter { ports[$0.name]?.contains(port) ?? true }
            CookieCredential(allowed).authorize(&message)
        }
    }

    /// The cookies as JSON, with every attribute.
    public func encode() throws -> Data {
        let encoder = JSONEncoder()
        // The same cookies are the same bytes each time.
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(Record(cookies: credential.cookies, ports: ports))
    }

    /// The cookies that `encode()` wrote, or that the original did.
    public static func decode(from data: Data) throws -> CookieToken {
        do {
            let record = try JSONDecoder().decode(Record.self, from: data)
            return CookieToken(CookieCredential(record.cookies), ports: record.ports)
        } catch {
            guard let cookies = try? JSONDecoder().decode([OriginalCookie].self, from: data) else { throw error }
            return CookieToken(sessionCookies: cookies.compactMap(\.cookie))
        }
    }

    /// What is stored.
    private struct Record: Codable {
        let cookies: [Cookie]
        let ports: [String: [Int]]
    }
}

extension CookieToken: RotatingToken {
    /// When the cookies stop proving anything.
    var expiry: Date? { credential.expiry }

    /// The token with the cookies that an answer set.
    func rotated(by response: HTTPResponse, to request: HTTPRequest, sentWith sent: CookieToken) -> CookieToken? {
        credential.rotated(by: response, to: request, sentWith: sent.credential)
            .map { CookieToken($0, ports: ports) }
    }
}

extension CookieToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names and where they go, without the values.
    public var description: String { "CookieToken(\(credential.description))" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror without the values, so that `dump` shows none.
    public var customMirror: Mirror {
        Mirror(self, children: ["cookies": credential.description], displayStyle: .struct)
    }
}

/// A cookie as the original stored it.
private struct OriginalCookie: Decodable {
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
