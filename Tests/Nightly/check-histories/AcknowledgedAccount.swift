// SPDX-License-Identifier: Apache-2.0

/// An account whose creation was acknowledged, with the passwords that it may have.
struct AcknowledgedAccount: Sendable {
    let email: String
    let passwords: Set<String>
}

/// A change of a password, from its request to its answer.
struct PasswordChange: Sendable {
    let password: String
    let start: Duration
    /// The time of the answer; nil without one, so that it takes effect at any later time, or never.
    let end: Duration?
}

extension [PasswordChange] {
    /// Returns the passwords that the changes may leave: of those that no acknowledged one follows.
    func possiblePasswords(from first: String) -> Set<String> {
        let acknowledged = filter { $0.end != nil }
        let last = filter { change in
            guard let end = change.end else { return true }
            return !acknowledged.contains { $0.start > end }
        }
        return Set(last.map(\.password) + (acknowledged.isEmpty ? [first] : []))
    }
}
