// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchAuth
import LatchTexts

extension AuthScene {
    func perform(_ effects: [AuthFlow.Effect]) {
        guard let auth else { return }
        for effect in effects {
            switch effect {
            case .useSignedIn:
                let wasSignedIn = navigator.flow.isSignedIn == true
                if let (account, client) = accountSignIn?.takeSignedIn() {
                    let isOther = auth.current.map { $0.id != account.id } ?? false
                    if isOther { auth.hasOtherAccounts = true }
                    // A sign-in of a closed window does not replace a user's content.
                    if isOther, isClosed, auth.isSignedIn {
                        auth.keepCurrent()
                        continue
                    }
                    auth.use(account, client)
                } else if wasSignedIn {
                    navigator.change { $0.closeSignIn() }
                }
                auth.synchronize()
                checkSteps()
            case .signOut(let email):
                // The password reset has ended the session at the server. If the store cannot remove the tokens, the
                // next request shows the sign-in.
                auth.perform { [weak self, client = auth.client] in
                    do { try await client.signOut() } catch {}
                    self?.auth?.synchronize()
                    self?.navigator.change { $0.close(email: email) }
                }
            case .tellCancellation:
                if signIns.isEmpty { auth.onCancel?() } else { endSignIn(false) }
                auth.onEvent?(.cancelled)
            case .sayGoodbye:
                auth.news = Phrase("profile.deleted")
                for scene in auth.scenes { scene.forgetAddress() }
            case .keepSignedIn:
                if accountSignIn?.takeSignedIn() != nil {
                    auth.hasOtherAccounts = true
                    auth.keepCurrent()
                }
                auth.synchronize()
            case .use(let account):
                navigator.change { $0.close(email: account.username ?? "") }
                auth.perform { [weak self, weak auth] in
                    await auth?.restore()
                    self?.navigator.change { $0.start(with: .signIn(email: account.username ?? "")) }
                }
            case .show(let profile): auth.user?.take(profile)
            case .reloadProfile: auth.user?.load()
            case .offerPasskey: offerPasskey()
            case .choose(let row): auth.configuration.rows.first { $0.id == row }?.action(self)
            }
        }
    }

    /// Clears the sign-in's address after the account was deleted.
    private func forgetAddress() {
        if navigator.flow.isAtStart, path.last?.kind == .signIn { navigator.change { $0.close() } }
    }

    func follow(_ outcome: UserMenuScreen.Outcome) {
        switch outcome {
        case .profile: push(.profile)
        case .devices: push(.devices)
        case .accounts: push(.accounts)
        case .row(let row): perform([.choose(row: row)])
        // The end of the session leads to the sign-in.
        case .signedOut: break
        }
    }

    func follow(_ outcome: StepUpScreen.Outcome) {
        guard let auth else { return }
        if outcome == .authenticated {
            endConfirmation(true)
            for screen in auth.scenes.flatMap(\.screens) {
                (screen.model as? any StepUpRepeating)?.repeatAfterStepUp()
            }
        } else {
            dismissStepUp()
        }
        if outcome == .passwordReset { navigator.change { $0.openPasswordReset() } }
        auth.synchronize()
    }

    func dismissStepUp() {
        auth?.dismissStepUp()
        endConfirmation(false)
        renewStepUp()
    }
}

// MARK: - After a sign-in

extension AuthScene {
    /// Whether the user of a client is signed in, and no screen is above the content.
    private func showsContent(of client: AuthClient) -> Bool {
        auth?.client === client && auth?.isSignedIn == true && screens.isEmpty && !isClosed
    }

    /// Shows the app's screens that a newly signed-in user needs, with the first one on top.
    ///
    /// A failed check is repeated after the next sign-in.
    private func checkSteps() {
        guard let auth, auth.isSignedIn, !isClosed else { return }
        let steps = auth.configuration.screens.afterSignIn
        guard !steps.isEmpty else { return }
        stepCheck = auth.perform { [weak self, client = auth.client] in
            for step in steps.reversed() {
                do {
                    guard try await step.isNeeded(client), self?.auth?.client === client else { continue }
                    self?.push(.custom(step.name))
                } catch {
                    // The failure is not shown, since the sign-in itself has succeeded.
                }
            }
        }
    }

    /// Offers a passkey to a user who has signed in with a password, has no passkey, and was not asked on this device
    /// before.
    ///
    /// If a check fails, the offer is made after the next sign-in.
    private func offerPasskey() {
        guard let auth, let passkeys = auth.passkeys, passkeys.isAvailable else { return }
        auth.perform { [weak self, stepCheck, client = auth.client, offers = auth.passkeyOffers] in
            do {
                await stepCheck?.value
                let account = if let claimed = client.account { claimed } else { try await client.profile() }
                guard try await client.signInMethods().passkeys == 0 else { return }
                // Fails for a server whose public URL does not allow passkeys.
                _ = try await client.passkeyRequestOptions()
                guard self?.showsContent(of: client) == true, try await offers.take(account.id) else { return }
                // The user may have navigated meanwhile, or changed the account.
                if self?.showsContent(of: client) == true { self?.push(.passkeyOffer(email: account.email)) }
            } catch {
                // The failure is not shown, since the sign-in itself has succeeded.
            }
        }
    }
}
