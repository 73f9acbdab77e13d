// SPDX-License-Identifier: Apache-2.0

/// The domains under which strangers may register names, such as `com`, `co.uk` and `github.io`.
///
/// Nobody may set a cookie for such a domain: it would go to the servers of all others (RFC 6265bis §5.7 step 9).
/// `live` is the register of publicsuffix.org where the system has it: on Linux, by libpsl. Apple's systems do not lend
/// theirs to programs; there `live` knows only that no single label, such as `com`, takes cookies, and a program that
/// needs more gives the list itself.
public struct PublicSuffixes: Sendable {
    private let isSuffix: @Sendable (String) -> Bool

    /// A register that asks `isSuffix`, with names in lower case and A-labels.
    public init(_ isSuffix: @escaping @Sendable (String) -> Bool) { self.isSuffix = isSuffix }

    /// A register in the format of publicsuffix.org: a rule for each line, `*.` for any label, `!` for an exception.
    ///
    /// A domain that no rule knows is judged by its number of labels, as the format wants. Rules must be written in
    /// A-labels, `xn--…`: those in other scripts than ASCII never apply.
    public init(list: String) {
        let rules = Set(
            list.split(whereSeparator: \.isNewline)
                .map { $0.prefix { !$0.isWhitespace }.lowercased() }
                .filter { !$0.isEmpty && !$0.hasPrefix("//") })
        self.init { domain in
            if rules.contains("!\(domain)") { return false }
            guard let dot = domain.firstIndex(of: ".") else { return true }
            return rules.contains(domain) || rules.contains("*\(domain[dot...])")
        }
    }

    /// Only names of one label: what is certain without a register.
    public static let singleLabels = PublicSuffixes { !$0.contains(".") }

    /// Whether `domain` is such a domain.
    public func contains(_ domain: String) -> Bool { isSuffix(domain) }
}
