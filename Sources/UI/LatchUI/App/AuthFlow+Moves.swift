// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchAuth
import LatchCore

extension AuthFlow {
    /// A move of the flow, which the outcome of a screen leads to.
    enum Move: Hashable, Sendable {
        /// Stay: what the outcome says is known otherwise, such as the end of the session.
        case stay
        /// Close the screen, and then have an effect.
        case close(Effect? = nil)
        /// Open another screen above this one.
        case open(AuthRoute)
        /// Open the editing of the profile, which the screen has loaded.
        case edit
        /// Replace the screen by the password reset of the signed-in user.
        case resetPassword
        /// Return to the sign-in with an address.
        case returnToSignIn(email: String)
        /// Leave the sign-in.
        case cancelSignIn
        /// Have an effect, and stay.
        case perform(Effect)
        /// Take that the screen has signed a user in.
        case signedIn(by: AuthEvent.Way)
        /// Take that an account waits for the mail to an address.
        case registered(email: String)
        /// Take that an address is verified.
        case verified(email: String)
        /// Take that the account of an address has another password.
        case passwordSet(email: String)
        /// Take that the account is deleted.
        case deleted

        /// The news for the app; nil for a move that is none.
        var event: AuthEvent? {
            switch self {
            case .signedIn(let way): .signedIn(by: way)
            case .registered(let email): .signedUp(email: email)
            case .deleted: .deleted
            default: nil
            }
        }
    }

    /// Makes the move that the outcome of a screen leads to, and returns its effects.
    ///
    /// - Parameter isForNewAccount: Whether the screen was opened for one more account of a signed-in user.
    mutating func follow(_ move: Move, of id: Int, isForNewAccount: Bool = false) -> [Effect] {
        // The server has done its work, also for a screen that was left meanwhile. A user who went back to the content of
        // another account stays there.
        if case .signedIn(let way) = move {
            if isForNewAccount, index(of: id) == nil, isSignedIn != false { return [.keepSignedIn] }
            return way == .password ? [.useSignedIn, .offerPasskey] : [.useSignedIn]
        }
        // The end of the session has closed the profile.
        if move == .deleted { return [.sayGoodbye] }
        guard let index = index(of: id) else { return [] }
        switch move {
        case .stay, .signedIn, .deleted: break
        case .close(let effect):
            remove(id)
            return effect.map { [$0] } ?? []
        case .open(let route): insert(route, above: id)
        case .edit:
            hasProfile = true
            insert(.editProfile, above: id)
        case .resetPassword: replace(id, by: .passwordReset(PasswordResetScreen(email: email)))
        case .returnToSignIn(let email): returnToSignIn(email, from: id)
        case .cancelSignIn:
            remove(id)
            return isSignedIn == false ? [.tellCancellation] : []
        case .perform(let effect): return [effect]
        case .registered(let email): awaitMail(to: email, after: id)
        case .verified(let email):
            guard isSignedIn == true, !screens[index].isForNewAccount else {
                returnToSignIn(email, from: id)
                break
            }
            remove(id)
            return [.reloadProfile]
        case .passwordSet(let email):
            if isSignedIn == true, !isForNewAccount, isOwn(email) { return [.signOut(email: email)] }
            returnToSignIn(email, from: id)
        }
        return []
    }

    /// Replaces a registration by the wait for its mail, with the steps of the app above it.
    private mutating func awaitMail(to email: String, after id: Int) {
        guard let index = index(of: id) else { return }
        let count = screens.count
        replace(id, by: .verification(EmailVerificationScreen(email: email)))
        // Above the wait for the mail, and below what the user sees if the registration was covered.
        var place = screens.count == count ? index + 1 : index
        for name in stepsAfterRegistration.reversed() {
            let step = AuthRoute.custom(name, email: email)
            guard !screens.contains(where: { $0.route.isSameScreen(as: step) }) else { continue }
            insert(step, at: place)
            place += 1
        }
    }
}
