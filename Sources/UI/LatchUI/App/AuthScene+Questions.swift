// SPDX-License-Identifier: Apache-2.0

extension AuthScene {
    /// Shows the sign-in above the guest's content, and waits until the user has signed in or left.
    ///
    /// The gate's view for signed-out users is then the app's content for guests:
    /// `SessionGate(auth) { NotesView() } signedOut: { GuestView(auth) }`.
    ///
    /// - Returns: Whether a user is signed in. It returns at once if a user is already signed in, or if the store
    ///   cannot be read.
    public func signIn() async -> Bool {
        guard let auth, auth.gate.phase == .signedOut, !isClosed else { return auth?.isSignedIn == true }
        return await withCheckedContinuation { caller in
            signIns.append(caller)
            // The sign-in now needs a button that returns to the content.
            if navigator.flow.isAtStart { navigator.change { $0.restart(with: .signIn(email: $0.email)) } }
        }
    }

    func endSignIn(_ isSignedIn: Bool) {
        let callers = signIns
        signIns = []
        for caller in callers { caller.resume(returning: isSignedIn) }
    }

    /// Asks the signed-in user to authenticate again before an action that the app protects, such as a payment.
    ///
    /// - Returns: Whether the user has authenticated; false after a dismissal, and without a signed-in user.
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

    /// Asks the signed-in user to authenticate again; see ``AuthScene/confirmUser()``.
    public func confirmUser() async -> Bool { await scene.confirmUser() }
}
