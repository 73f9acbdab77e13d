// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchAuth
import LatchTexts
public import PortableFoundation

extension AuthModel {
    /// The screens above the content or in place of it, the last one visible.
    public var screens: [AuthScreen] { navigator.screens }

    /// The routes of ``screens``, to be stored; see ``reopen(_:)``.
    public var path: [AuthRoute] { navigator.path }

    /// Shows stored screens again, as far as the user may see them now; after ``restore()``.
    public func reopen(_ path: [AuthRoute]) { navigator.change { $0.reopen(path) } }

    /// Shows the screens of the last run again, once it is known whether a user is signed in, and returns what to store for the
    /// next one.
    ///
    /// A link that has opened the app, and whatever else the user has opened, goes first.
    ///
    /// - Parameter stored: What this function has returned before; empty at the first start. It has no secrets. What another
    ///   version of the app has stored is ignored.
    public func exchangePath(_ stored: Data) -> Data {
        guard gate.phase == .signedIn || gate.phase == .signedOut else { return stored }
        synchronize()
        return navigator.exchange(stored)
    }

    /// Shows a screen above the others; one of the same kind closes.
    public func push(_ route: AuthRoute) { navigator.change { $0.open(route) } }

    /// Leaves the visible screen.
    ///
    /// A signed-out user, who has no content, then sees the sign-in.
    public func pop() { navigator.change { $0.pop() } }

    /// Opens the screen of a mail's link, and returns whether it is one below ``linkBases``.
    ///
    /// - Parameter url: The URL that has opened the app, such as `https://id.example.com/verify?token=…`.
    @discardableResult
    public func open(_ url: URL) -> Bool {
        guard let link = ScreenLink(url, below: linkBases) else { return false }
        if navigator.flow.isSignedIn == nil { earlyLink = link } else { navigator.open(link) }
        return true
    }

    func perform(_ effects: [AuthFlow.Effect]) {
        for effect in effects {
            switch effect {
            case .useSignedIn:
                let wasSignedIn = navigator.flow.isSignedIn == true
                if let (account, client) = accounts?.takeSignedIn() {
                    if let current, current.id != account.id { hasOtherAccounts = true }
                    use(account, client)
                } else if wasSignedIn {
                    navigator.change { $0.close() }
                }
                synchronize()
            case .signOut(let email):
                // The reset of the password has ended the session at the server. A store that cannot remove the tokens keeps
                // them, and the next request shows the sign-in.
                perform { [weak self, client] in
                    do { try await client.signOut() } catch {}
                    self?.synchronize()
                    self?.navigator.change { $0.close(email: email) }
                }
            case .tellCancellation:
                if signIns.isEmpty { onCancel?() } else { endSignIn(false) }
                onEvent?(.cancelled)
            case .sayGoodbye:
                news = Phrase("profile.deleted")
                if navigator.flow.isAtStart, case .signIn = path.last { navigator.change { $0.close() } }
            case .keepSignedIn:
                if accounts?.takeSignedIn() != nil { hasOtherAccounts = true }
                synchronize()
            case .use(let account):
                navigator.change { $0.close(email: account.username ?? "") }
                perform { [weak self] in
                    await self?.restore()
                    self?.navigator.change { $0.start(with: .signIn(email: account.username ?? "")) }
                }
            case .show(let profile): user?.take(profile)
            case .reloadProfile: user?.load()
            case .offerPasskey: offerPasskey()
            }
        }
    }

    func follow(_ outcome: UserMenuScreen.Outcome) {
        switch outcome {
        case .profile: push(.profile)
        case .devices: push(.devices)
        case .accounts: push(.accounts)
        // The end of the session leads to the sign-in.
        case .signedOut: break
        }
    }

    func follow(_ outcome: StepUpScreen.Outcome) {
        if outcome == .authenticated {
            endConfirmation(true)
            for screen in screens { (screen.model as? any StepUpRepeating)?.repeatAfterStepUp() }
        } else {
            dismissStepUp()
        }
        if outcome == .passwordReset { navigator.change { $0.openPasswordReset() } }
        synchronize()
    }
}
