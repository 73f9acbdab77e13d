// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchIdentityStorage

/// The rule about who may create an account without an administrator.
package struct SignUpRule: Sendable {
    private let access: IdentityConfiguration.SignUpAccess
    /// The domains of addresses in lower case.
    private let domains: Set<String>
    /// Whether an account that its user creates on a page has a way to sign in.
    private let hasWay: Bool
    /// Whether a sign-up needs a proved address or the agreement to terms.
    private let needsMore: Bool

    package init(_ configuration: IdentityConfiguration) {
        access = configuration.signUp
        hasWay = configuration.permits(.password) || configuration.permits(.code)
        needsMore = configuration.signInNeedsVerifiedEmail || configuration.termsVersion != nil
        domains = Set(configuration.signUpDomains.map { $0.lowercasedASCII() })
    }

    /// Whether a guest may become a user without an address: nothing is asked of a sign-up.
    package func permitsUsersWithoutAddress(_ hooks: Hooks) -> Bool {
        access == .open && !hooks.decidesSignUps && !needsMore
    }

    /// Whether some users may sign up on a page.
    package var isOffered: Bool { hasWay && (access == .open || access == .domains) }

    /// Requires that the owner of an address may sign up, in every way: by password, code, provider and RPC.
    ///
    /// - Throws: `IdentityError.signUpClosed`, or `.signUpDomain` for an address of another domain.
    package func require(_ email: EmailAddress) throws(IdentityError) {
        switch access {
        case .open: return
        case .invitation, .closed: throw .signUpClosed
        case .domains:
            guard let at = email.key.utf8.lastIndex(of: UInt8(ascii: "@")),
                domains.contains(String(email.key[email.key.utf8.index(after: at)...]))
            else { throw .signUpDomain }
        }
    }

    /// Returns whether the owner of an address may sign up.
    package func permits(_ email: EmailAddress) -> Bool {
        do throws(IdentityError) { try require(email) } catch { return false }
        return true
    }

    /// Requires that administrators may invite users.
    ///
    /// - Throws: `IdentityError.signUpClosed`.
    func requireInvitations() throws(IdentityError) {
        guard access != .closed else { throw .signUpClosed }
    }
}
