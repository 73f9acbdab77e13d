// SPDX-License-Identifier: Apache-2.0

extension AuthScene {
    /// Shows the sign-in above what the app shows to a guest, and waits until the user is signed in or has left.
    ///
    /// The gate's view for signed-out users is then the app's content for guests:
    /// `SessionGate(auth) { NotesView() } signedOut: { GuestView(auth) }`.
    ///
    /// - Returns: Whether a user is signed in; at once if one is, and if the store cannot be read.
    public func signIn() async -> Bool {
        guard let auth, auth.gate.phase == .signedOut, !isClosed else { return auth?.isSignedIn == true }
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
        guard auth?.isSignedIn == true, menu != nil else { return false }
        return await withCheckedContinuation { confirmations.append($0) }
    }

    func endConfirmation(_ isConfirmed: Bool) {
        let callers = confirmations
        confirmations = []
        for caller in callers { caller.resume(returning: isConfirmed) }
    }
}

extension AuthModel {
    /// Shows the sign-in to a guest; see ``AuthScene/signIn()``.
    public func signIn() async -> Bool { await scene.signIn() }

    /// Has the signed-in user authenticate again; see ``AuthScene/confirmUser()``.
    public func confirmUser() async -> Bool { await scene.confirmUser() }
}
