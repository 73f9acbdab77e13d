// SPDX-License-Identifier: Apache-2.0

/// Which store keeps the secrets of a service on this device, and why that one.
public struct SecretStoreChoice: Sendable, Hashable {
    /// A store that was thought of.
    public struct Consideration: Sendable, Hashable {
        /// Which.
        public let kind: SecretStoreKind
        /// Why it was taken or not, for a person.
        public let verdict: String

        /// A consideration.
        public init(_ kind: SecretStoreKind, _ verdict: String) {
            self.kind = kind
            self.verdict = verdict
        }
    }

    /// The store.
    public let kind: SecretStoreKind
    /// Why this one, for a person.
    public let reason: String
    /// Everything that was thought of, in order, the chosen one last.
    public let considered: [Consideration]
    /// Where the secrets are: a path, or the name of a keyring's items.
    public let place: String
    /// Whether the choice is written down, so that every process of the person follows it.
    public let isRecorded: Bool

    /// A choice from its parts.
    public init(
        kind: SecretStoreKind, reason: String, considered: [Consideration], place: String, isRecorded: Bool
    ) {
        self.kind = kind
        self.reason = reason
        self.considered = considered
        self.place = place
        self.isRecorded = isRecorded
    }
}

extension SecretStoreChoice: CustomStringConvertible {
    /// The store, its place and the reason, in one line.
    public var description: String { "\(kind) at \(place): \(reason)" }
}
