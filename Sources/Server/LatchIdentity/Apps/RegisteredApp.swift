// SPDX-License-Identifier: Apache-2.0

public import LatchAuth

/// A program that may ask this server for tokens (the client of RFC 6749 §2): by which grants, for which scopes at most.
///
/// In a configuration it is one word, its parts separated by semicolons:
///
/// ```
/// reports;confidential;grants=password,refresh_token;scopes=widgets:read,files:read
/// ```
///
/// What is not named has the smaller value: no `confidential` is a public app, no `grants` is `refresh_token` alone. Only
/// `scopes` is the other way round: without it an app may ask for every scope that the server has, since an account's own
/// rights bound each token in any case.
public struct RegisteredApp: Sendable, Hashable {
    /// A way to obtain tokens, by its name in `grant_type`.
    public enum Grant: String, Sendable, Hashable, CaseIterable {
        /// RFC 6749 §4.3: legacy, for one's own apps.
        case password
        /// RFC 6749 §6.
        case refreshToken = "refresh_token"
    }

    /// Its `client_id`.
    public let id: String
    /// Whether it proves with each request who it is (RFC 6749 §2.1).
    public var isConfidential: Bool
    /// What it may use; nothing else.
    public var grants: Set<Grant>
    /// What its tokens may hold at most; nil for every scope that the server has.
    public var scopes: Scopes?

    /// A registration.
    public init(
        id: String, isConfidential: Bool = false, grants: Set<Grant> = [.refreshToken], scopes: Scopes? = nil
    ) {
        self.id = id
        self.isConfidential = isConfidential
        self.grants = grants
        self.scopes = scopes
    }
}

extension RegisteredApp {
    /// The `client_id` of the registration that stands for requests without one; no other app may have it.
    public static let firstPartyID = "first-party"

    /// Reads the word of a configuration; nil where it is none.
    package init?(word: String) {
        let parts = word.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
        guard let id = parts.first, Self.isID(id), id != Self.firstPartyID else { return nil }
        self.init(id: id)
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let list = pair.count == 2 ? pair[1].split(separator: ",").map(String.init) : []
            switch (pair[0], pair.count) {
            case ("confidential", 1): isConfidential = true
            case ("grants", 2):
                grants = Set(list.compactMap(Grant.init))
                guard grants.count == list.count else { return nil }
            case ("scopes", 2):
                let named = Scopes(list.compactMap(Scope.init))
                guard named.count == list.count else { return nil }
                scopes = named
            default: return nil
            }
        }
    }

    /// The word that `init(word:)` reads.
    package var word: String {
        var parts = [id]
        if isConfidential { parts.append("confidential") }
        parts.append("grants=" + grants.map(\.rawValue).sorted().joined(separator: ","))
        if let scopes { parts.append("scopes=" + scopes.elements.map(\.rawValue).joined(separator: ",")) }
        return parts.joined(separator: ";")
    }

    /// RFC 6749 appendix A.1 allows every visible character; these need no escape in a form, a field or a word.
    static func isID(_ text: some StringProtocol) -> Bool {
        (1...100).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
                default: false
                }
            }
    }
}
