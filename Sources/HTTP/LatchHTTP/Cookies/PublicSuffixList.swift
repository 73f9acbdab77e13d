// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The public suffixes: the domains under which the public can register names, such as `com`, `co.uk` and `github.io`.
///
/// No server may set a cookie for such a domain, since all sites below it would receive it (RFC 6265bis §5.7 step 9).
/// `live` is the system's copy of the list of publicsuffix.org: on Linux, the list of libpsl. Apple's systems do not
/// offer their list to programs, so `live` has no data there. It rejects single labels, such as `com`, and narrows a
/// cookie for any other domain to the host that sets it. This is safe, but hides the cookie from the domain's other
/// hosts. A program whose hosts share cookies names its sites, or includes the list:
///
/// ```swift
/// let policy = CookiePolicy(publicSuffixes: PublicSuffixList(sites: "example.com"))
/// ```
public struct PublicSuffixList: Sendable {
    /// The meaning of a domain.
    package enum Verdict: Sendable, Hashable {
        /// A public suffix: no server may set a cookie for it.
        case suffix
        /// The domain of a site or below it.
        case site
        /// A domain that may be either.
        case unknown
    }

    private let judge: @Sendable (String) -> Verdict

    /// Creates a list from a function that classifies domains; it receives names in lower case and A-labels.
    package init(judge: @escaping @Sendable (String) -> Verdict) { self.judge = judge }

    /// Creates a list from a predicate, which receives names in lower case and A-labels.
    package init(_ isSuffix: @escaping @Sendable (String) -> Bool) {
        self.init { isSuffix($0) ? .suffix : .site }
    }

    /// Creates a list in the format of publicsuffix.org: one rule per line, `*.` for any label, `!` for an exception.
    ///
    /// A domain that matches no rule is a public suffix if it is a single label, as the format specifies. Rules must be
    /// written in A-labels, `xn--…`; rules in other scripts than ASCII never apply.
    public init(list: String) {
        let rules = Set(
            list.unicodeScalars.split { $0.properties.isWhitespace && $0 != " " && $0 != "\t" }
                .map { String($0.prefix { !$0.properties.isWhitespace }).lowercasedASCII() }
                .filter { !$0.isEmpty && !$0.utf8.starts(with: "//".utf8) })
        self.init { (domain: String) -> Bool in
            if rules.contains("!\(domain)") { return false }
            guard let dot = domain.utf8.firstIndex(of: 0x2E) else { return true }
            return rules.contains(domain) || rules.contains("*\(domain[dot...])")
        }
    }

    /// Creates a list from a file in the format of publicsuffix.org, such as an app's resource, which is read
    /// immediately.
    ///
    /// - Throws: `HTTPError.fileUnavailable`.
    package init(contentsOfFile path: String) throws(HTTPError) {
        do throws(FileError) {
            guard let bytes = try AtomicFile(path).read() else { throw FileError("open", path, number: 2) }
            self.init(list: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw .fileUnavailable("The list of public suffixes could not be read: \(error).")
        }
    }

    /// Creates a list for a program that knows the sites whose hosts share cookies, such as `example.com`.
    ///
    /// Cookies for a site's domain, or for one below it, are kept as their server sets them. A cookie for any other
    /// domain is narrowed to the host that sets it.
    ///
    /// - Parameter sites: The sites; a single label is not a site and is ignored.
    public init(sites: String...) {
        let sites = Set(sites.compactMap { CookieHost($0) }.filter { !$0.isAddress && $0.name.utf8.contains(0x2E) })
        self.init { (domain: String) -> Verdict in
            guard let host = CookieHost(domain), sites.contains(where: { host.matches(domain: $0.name) }) else {
                return Self.withoutData.verdict(of: domain)
            }
            return .site
        }
    }

    /// The rules that hold without data: a single label is a public suffix, and any other domain may be one.
    package static let withoutData = PublicSuffixList(judge: { $0.utf8.contains(0x2E) ? .unknown : .suffix })

    /// Returns the meaning of a domain.
    package func verdict(of domain: String) -> Verdict { judge(domain) }

    /// Whether `domain` is certainly a public suffix.
    package func contains(_ domain: String) -> Bool { judge(domain) == .suffix }
}
