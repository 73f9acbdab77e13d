// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The public suffixes: the domains under which the public can register names, such as `com`, `co.uk` and `github.io`.
///
/// No server may set a cookie for such a domain, since all sites below it would receive it (RFC 6265bis §5.7 step 9).
/// `live` is the system's copy of the list of publicsuffix.org: on Linux, that of libpsl. Apple's systems do not offer
/// theirs to programs; there `live` only rejects single labels, such as `com`, and a program that needs more provides
/// the list itself.
public struct PublicSuffixList: Sendable {
    private let isSuffix: @Sendable (String) -> Bool

    /// Creates a list from a predicate, which receives names in lower case and A-labels.
    package init(_ isSuffix: @escaping @Sendable (String) -> Bool) { self.isSuffix = isSuffix }

    /// Creates a list in the format of publicsuffix.org: one rule per line, `*.` for any label, `!` for an exception.
    ///
    /// A domain that matches no rule is a public suffix if it is a single label, as the format specifies. Rules must be
    /// written in A-labels, `xn--…`; rules in other scripts than ASCII never apply.
    public init(list: String) {
        let rules = Set(
            list.unicodeScalars.split { $0.properties.isWhitespace && $0 != " " && $0 != "\t" }
                .map { String($0.prefix { !$0.properties.isWhitespace }).lowercasedASCII() }
                .filter { !$0.isEmpty && !$0.utf8.starts(with: "//".utf8) })
        self.init { domain in
            if rules.contains("!\(domain)") { return false }
            guard let dot = domain.utf8.firstIndex(of: 0x2E) else { return true }
            return rules.contains(domain) || rules.contains("*\(domain[dot...])")
        }
    }

    /// The list of all single labels, which is correct without data.
    package static let singleLabels = PublicSuffixList { !$0.utf8.contains(0x2E) }

    /// Whether `domain` is a public suffix.
    package func contains(_ domain: String) -> Bool { isSuffix(domain) }
}
