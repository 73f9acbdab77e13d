// SPDX-License-Identifier: Apache-2.0

/// A way in which users sign in, as settings and clients name it.
public enum SignInWay: String, Sendable, Hashable, CaseIterable, Codable {
    /// The password of the account.
    case password
    /// A passkey (WebAuthn).
    case passkey
    /// A code that is mailed to the address of the account.
    case code
    /// A configured identity provider.
    case provider
}

extension Set<SignInWay> {
    /// The words of the ways, in the order of their declaration.
    package var words: [String] { SignInWay.allCases.filter(contains).map(\.rawValue) }

    /// Reads words, each of which occurs once; nil for an unknown or repeated word, and for none.
    package init?(words: [String]) {
        let ways = words.compactMap(SignInWay.init)
        guard !ways.isEmpty, ways.count == words.count, Set(ways).count == ways.count else { return nil }
        self = Set(ways)
    }
}
