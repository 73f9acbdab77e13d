// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The proxy of a transport.
///
/// ```swift
/// var configuration = CurlTransport.Configuration()
/// configuration.proxy = try HTTPProxy("http://proxy.example:3128", user: "ada", password: "secret", except: [".corp.example"])
/// let client = Client(baseURL: url, transport: CurlTransport(configuration: configuration))
/// ```
///
/// Requests to this machine use no proxy. A description shows neither the user nor the password.
public struct HTTPProxy: Sendable {
    /// The proxies that the user has chosen for all programs.
    ///
    /// On Linux they are in the environment: `https_proxy`, `http_proxy`, `all_proxy`, and `no_proxy` with the hosts
    /// that need no proxy. On Apple platforms they are in the system's settings.
    public static let system = HTTPProxy(address: nil)

    /// A proxy that the program has chosen.
    struct Address: Sendable {
        /// The scheme in lower case: `http`, `https`, `socks5` or `socks5h`.
        let scheme: String
        let host: String
        let port: Int
        /// The credentials that the proxy requires; nil for none.
        let credentials: Credentials?
        /// The hosts that are reached without the proxy.
        let exceptions: [HostPattern]
        /// The address without credentials.
        let url: String

        /// Whether a request to an origin goes through it.
        func serves(_ origin: HTTPOrigin) -> Bool {
            !origin.isLoopback && !exceptions.contains { $0.matches(origin.host) }
        }
    }

    /// The user and the password.
    struct Credentials: Sendable, CustomStringConvertible, CustomReflectable {
        let user: String
        let password: String

        var description: String { "redacted" }
        var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// The proxy; nil for the system's.
    let address: Address?

    private init(address: Address?) { self.address = address }

    /// Creates a proxy for all hosts except this machine and the exceptions; the environment's variables are ignored.
    ///
    /// - Parameters:
    ///   - url: The address. `http://host:port`, or on Linux `https://host:port` for TLS to the proxy.
    ///     `socks5://host:port`, or `socks5h://host:port` for a proxy that looks up the names. It may contain a
    ///     percent-encoded user and password, as in `http://user:password@host:port`. The default port is 80, 443, or
    ///     1080 for SOCKS.
    ///   - user: The user name, for Basic authentication (RFC 7617) or SOCKS (RFC 1929); nil if there is none, or for
    ///     the URL's.
    ///   - password: The password.
    ///   - hosts: The hosts that need no proxy, such as `intranet.example`, or `.corp.example` for a domain with its
    ///     subdomains.
    /// - Throws: `HTTPError.invalidURL` for an invalid address, user or host. The error shows no part of them.
    public init(
        _ url: String, user: String? = nil, password: String? = nil, except hosts: [String] = []
    ) throws(HTTPError) {
        let parts = try Self.parts(of: url)
        let credentials = (user ?? parts.user).map { name in
            Credentials(user: name, password: password ?? (user == nil ? parts.password : nil) ?? "")
        }
        try credentials?.validate()
        var patterns: [HostPattern] = []
        for host in hosts {
            guard let pattern = try? HostPattern(host) else { throw .invalidProxy("an exception names no host") }
            patterns.append(pattern)
        }
        address = Address(
            scheme: parts.scheme, host: parts.origin.host, port: parts.port, credentials: credentials,
            exceptions: patterns, url: "\(parts.scheme)://\(parts.origin.host):\(parts.port)")
    }
}

extension HTTPProxy {
    /// The components of an address.
    private struct Parts {
        let scheme: String
        let origin: HTTPOrigin
        let port: Int
        var user: String?
        var password: String?
    }

    /// The schemes, with the default port of each.
    private static let ports = ["http": 80, "https": 443, "socks5": 1080, "socks5h": 1080]

    private static func parts(of url: String) throws(HTTPError) -> Parts {
        guard let separator = url.utf8.firstRange(of: "://".utf8) else {
            throw .invalidProxy("its address has no scheme")
        }
        let scheme = url[..<separator.lowerBound].lowercasedASCII()
        guard let usualPort = ports[scheme] else {
            throw .invalidProxy("its scheme is none of http, https, socks5 and socks5h")
        }
        let authority = url[separator.upperBound...].utf8.prefix { ![0x2F, 0x3F, 0x23].contains($0) }
        let rest = url.utf8[authority.endIndex...]
        guard rest.isEmpty || rest.elementsEqual("/".utf8) else { throw .invalidProxy("its address has a path") }
        let at = authority.lastIndex(of: 0x40)
        let host = at.map { authority[authority.index(after: $0)...] } ?? authority
        // Any scheme works here; whether there is a port is determined from the text.
        guard let target = try? HTTPOrigin.split("https://" + String(Substring(host))) else {
            throw .invalidProxy("its host or port is unclear")
        }
        let hasPort = host.last != 0x5D && host.contains(0x3A) && host.last != 0x3A
        var parts = Parts(scheme: scheme, origin: target.origin, port: hasPort ? target.origin.port : usualPort)
        if let at {
            let pieces = authority[..<at].split(separator: 0x3A, maxSplits: 1, omittingEmptySubsequences: false)
            parts.user = pieces.first.flatMap { text(of: $0) }
            parts.password = pieces.count > 1 ? text(of: pieces[1]) : ""
            guard parts.user != nil, parts.password != nil else { throw .invalidProxy("its user is not UTF-8") }
        }
        return parts
    }

    private static func text(of encoded: Substring.UTF8View) -> String? {
        String(validating: PercentEncoding.decode(encoded, plusIsSpace: false), as: UTF8.self)
    }
}

extension HTTPProxy.Credentials {
    /// Checks that other programs parse the user and password in the same way.
    ///
    /// A C string ends at a NUL, and a user of Basic authentication at a colon (RFC 7617 §2).
    fileprivate func validate() throws(HTTPError) {
        guard !user.isEmpty, !user.utf8.contains(0x3A) else {
            throw .invalidProxy("its user is empty or has a colon")
        }
        guard (user + password).utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw .invalidProxy("its user or password has a control character")
        }
    }
}

extension HTTPError {
    /// Returns the error of a proxy that cannot be used, without any part of its address.
    static func invalidProxy(_ why: String) -> HTTPError {
        HTTPError(
            code: invalidURL.code, message: "The proxy cannot be used: \(why).",
            hint: "Give an address such as http://proxy.example:3128.")
    }
}
