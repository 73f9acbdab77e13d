// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchHTTP

/// The destinations of a credential: an exact origin, an exact host, or a host's subdomains, never a substring.
public struct CredentialScope: Sendable, Hashable {
    /// The three kinds of scope; all compare whole hosts, never parts of text.
    private enum Rule: Sendable, Hashable {
        case origin(HTTPOrigin)
        case host(String)
        case subdomains(String)
    }

    /// The rule, whose hosts are in lowercase, as in `HTTPOrigin`.
    private let rule: Rule

    /// Returns a scope of one origin: scheme, host and port.
    public static func origin(_ origin: HTTPOrigin) -> CredentialScope { CredentialScope(rule: .origin(origin)) }

    /// Returns a scope of one host over https on any port; plain http only if the host is this machine.
    public static func host(_ host: String) -> CredentialScope { CredentialScope(rule: .host(host.lowercasedASCII())) }

    /// Returns a scope of a domain and its subdomains over https.
    ///
    /// `example.com` includes `api.example.com`, but not `badexample.com`.
    public static func subdomains(of domain: String) -> CredentialScope {
        CredentialScope(rule: .subdomains(domain.lowercasedASCII()))
    }

    /// Whether a request to `origin` may carry the credential.
    public func allows(_ origin: HTTPOrigin) -> Bool {
        switch rule {
        case .origin(let only):
            return origin == only
        case .host(let host):
            return origin.host == host && isPrivate(origin)
        case .subdomains(let domain):
            // Every host that ends with a dot is below the empty domain.
            guard !domain.isEmpty else { return false }
            return (origin.host == domain || origin.host.utf8.ends(with: ".\(domain)".utf8)) && isPrivate(origin)
        }
    }

    /// Whether a request to `origin` is protected from attackers on the network: by TLS, or on the loopback interface.
    private func isPrivate(_ origin: HTTPOrigin) -> Bool { origin.scheme == "https" || origin.isLoopback }
}
