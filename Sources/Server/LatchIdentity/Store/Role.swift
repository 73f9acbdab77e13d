// SPDX-License-Identifier: Apache-2.0

/// What an account may do with other accounts; each role includes the ones below it.
///
/// It is read from the account's role words, so that it is one thing with what tokens say: `moderator`, `admin`, and
/// `super_admin`, which comes with `admin`. Words that are none of these mean nothing here.
package enum Role: Int, Sendable, Hashable, CaseIterable, Comparable {
    case user = 1
    case moderator, admin, superAdmin

    /// The words by which an account has the role.
    package var words: [String] {
        switch self {
        case .user: []
        case .moderator: ["moderator"]
        case .admin: ["admin"]
        // Whatever asks for `admin` lets a super administrator pass without knowing of one.
        case .superAdmin: ["admin", "super_admin"]
        }
    }

    /// The word that commands and settings use.
    package var name: String { words.last ?? "user" }

    /// The highest role among an account's words.
    package init(of words: [String]) {
        self = Self.allCases.last { role in role.words.allSatisfy(words.contains) } ?? .user
    }

    /// The role of a word such as `moderator`.
    package init?(named name: String) {
        guard let role = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = role
    }

    /// An account's words with this role instead of the one that it had; words of other meaning stay.
    package func replacing(in words: [String]) -> [String] {
        let ours = Set(Self.allCases.flatMap(\.words))
        return words.filter { !ours.contains($0) } + self.words
    }

    package static func < (left: Role, right: Role) -> Bool { left.rawValue < right.rawValue }
}

extension Account {
    /// What the account may do with others.
    package var role: Role { Role(of: roles) }
}

/// What can be done to an account by another one, and which role it takes.
package enum AccountAct: Sendable, Hashable {
    /// See the account and what it tells about itself.
    case look
    /// Change its details.
    case change
    case setRole(Role)
    case setStatus(Account.Status)
    /// Sign all of its devices out.
    case endSessions
    /// Take its second factor away without a code of it.
    case removeFactor
    case delete

    /// Whether `actor` may do this to `target`, by what both of them are now.
    ///
    /// - Throws: `IdentityError.forbidden`.
    ///
    /// Everybody may look at, change and delete themselves, and nobody may give themselves a role or a status. Of others,
    /// only those of a lower role: two administrators cannot shut each other out. Super administrators are above
    /// that, for somebody has to be able to dismiss one.
    package func check(by actor: Account, on target: Account) throws(IdentityError) {
        guard actor.status == .active else { throw .forbidden }
        if actor.id == target.id {
            switch self {
            case .look, .change, .delete: return
            // One's own sessions end by logging out, and one's own factor goes by a code of it.
            case .setRole, .setStatus, .endSessions, .removeFactor: throw .forbidden
            }
        }
        guard actor.role >= least(on: target), actor.role > target.role || actor.role == .superAdmin else {
            throw .forbidden
        }
        // Nobody gives what they do not have, and an administrator makes no further ones.
        if case .setRole(let role) = self, role >= actor.role, actor.role != .superAdmin { throw .forbidden }
    }

    /// The lowest role that may do it to anybody else.
    private func least(on target: Account) -> Role {
        switch self {
        case .look: .moderator
        // Moderators keep order; what ends an account for good is not theirs, and neither is taking that back.
        case .setStatus(let status): [status, target.status].allSatisfy(\.isOfModerators) ? .moderator : .admin
        case .change, .setRole, .endSessions, .removeFactor, .delete: .admin
        }
    }
}

extension Account.Status {
    /// Whether a moderator may bring an account into it, and out of it.
    fileprivate var isOfModerators: Bool { self == .active || self == .suspended }
}

extension IdentityError {
    /// There would be nobody left who could administer the server.
    public static let lastAdministrator = IdentityError(
        code: "lastAdministrator", message: "This is the last account that can administer the others.",
        hint: "Make another one an administrator first.")

    /// There is no such account, or none that the caller may see.
    public static let noSuchAccount = IdentityError(code: "noSuchAccount", message: "There is no such account.")
}
