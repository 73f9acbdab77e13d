// SPDX-License-Identifier: Apache-2.0

extension AuthModel {
    /// Shows the sign-in above what the app shows to a guest, and waits until the user is signed in or has left.
    ///
    /// The gate's view for signed-out users is then the app's content for guests:
    /// `SessionGate(auth) { NotesView() } signedOut: { GuestView(auth) }`.
    ///
    /// - Returns: Whether a user is signed in; at once if one is, and if the store cannot be read.
    public func signIn() async -> Bool {
        guard gate.phase == .signedOut else { return isSignedIn }
        return await withCheckedContinuation { caller in
            signIns.append(caller)
            // The sign-in has a way back now.
            if navigator.flow.isAtStart { navigator.change { $0.restart(with: .signIn(email: $0.email)) } }
        }
    }

    func endSignIn(_ isSignedIn: Bool) {
        let callers = signIns
        signIns = []
        for caller in callers { caller.resume(returning: isSignedIn) }
    }

    /// Has the signed-in user authenticate again before something that the app itself guards, such as a payment.
    ///
    /// - Returns: Whether the user has; false after a dismissal, and without a user.
    public func confirmUser() async -> Bool {
        guard isSignedIn, user != nil else { return false }
        return await withCheckedContinuation { confirmations.append($0) }
    }

    func endConfirmation(_ isConfirmed: Bool) {
        let callers = confirmations
        confirmations = []
        for caller in callers { caller.resume(returning: isConfirmed) }
    }
}
