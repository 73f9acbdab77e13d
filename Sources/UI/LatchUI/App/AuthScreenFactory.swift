// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchCore

/// A factory of the models of an ``AuthFlow``'s screens.
@MainActor
struct AuthScreenFactory {
    let configuration: AuthModel.Configuration
    let accounts: AccountClients?
    /// The sign-in to an account of the list in the scene; nil for a model of one client.
    let accountSignIn: AccountSignIn?
    /// The client of the current account.
    let client: AuthClient
    /// The user; nil while no user is signed in.
    let user: SignedInUser?
    /// Whether the app is notified when a signed-out user leaves the sign-in.
    let isCancellable: Bool
    /// Whether the sign-in is above the app's content for guests.
    let isForGuest: Bool
    /// Whether the device has accounts beside the current one.
    let hasOtherAccounts: Bool

    /// The client of sign-ins and registrations: the only one, or a new one without an account.
    private var signInClient: AuthClient { accountSignIn?.client ?? client }
    private var clock: WallClock { configuration.clock }
    private var passkeys: (any PasskeyProvider)? { configuration.passkeys }

    /// Returns a screen with a new model; nil for a screen that is not available to the app or the user now.
    func make(_ open: AuthFlow.OpenScreen, _ report: @escaping @MainActor (AuthOutcome) -> Void) -> AuthScreen? {
        let isOwn = user != nil && !open.isForNewAccount
        if let make = configuration.screens.maker(of: open.route) {
            let model = make(
                ScreenPosition(
                    client: open.route.needsUser ? client : signInClient, route: open.route, profile: user?.shown,
                    clock: clock, report: report))
            return .custom(model, for: open.route)
        }
        switch open.route {
        case .signIn(let email):
            return .signIn(makeSignIn(email) { report(.signIn($0, by: $1)) })
        case .registration(let email):
            let screen = RegistrationScreen(email: email, options: configuration.registration)
            return .registration(
                RegistrationModel(signInClient, screen: screen, clock: clock) { report(.registration($0)) })
        case .verification(let screen):
            return .verification(
                EmailVerificationModel(
                    isOwn ? client : signInClient, screen: screen, clock: clock, signIn: isOwn ? nil : passwordSignIn(),
                    onFinish: { report(.verification($0)) }))
        case .passwordReset(let screen):
            var screen = screen
            screen.leadsToSignIn = !isOwn
            return .passwordReset(
                PasswordResetModel(
                    signInClient, screen: screen, clock: clock, signIn: passwordSignIn(of: isOwn ? user : nil),
                    onFinish: { report(.passwordReset($0)) }))
        case .accounts: return makeAccounts { report(.accounts($0)) }
        case .profile:
            let model = ProfileModel(
                client, profile: user?.profile, offersPasskeys: passkeys?.isAvailable == true, clock: clock,
                didLoad: { [weak user] in user?.take($0) }, onFinish: { report(.profile($0)) })
            model.update { $0.rows = configuration.rows.in(.profile) }
            return .profile(model)
        case .editProfile:
            guard let profile = user?.profile else { return nil }
            return .editProfile(EditProfileModel(client, profile: profile, clock: clock) { report(.editProfile($0)) })
        case .changePassword:
            let model = ChangePasswordModel(client, email: user?.email, clock: clock) { report(.changePassword($0)) }
            return .changePassword(model)
        case .secondFactor: return .secondFactor(SecondFactorModel(client, clock: clock) { report(.secondFactor($0)) })
        case .devices: return .devices(DevicesModel(client, clock: clock) { report(.devices($0)) })
        case .passkeys:
            return .passkeys(PasskeysModel(client, provider: passkeys, clock: clock) { report(.passkeys($0)) })
        case .passkeyOffer(let email):
            guard let passkeys else { return nil }
            return .passkeyOffer(
                PasskeyModel(client, provider: passkeys, account: email, clock: clock) { report(.passkeyOffer($0)) })
        // The name may come from an earlier version of the app.
        case .custom: return nil
        }
    }

    private func makeSignIn(
        _ email: String, _ report: @escaping @MainActor (SignInScreen.Outcome, AuthEvent.Way?) -> Void
    ) -> SignInModel {
        var options = configuration.options
        // There is content to return to.
        if user != nil || isForGuest {
            options.isDismissible = true
        } else if !isCancellable {
            // The user has no content to return to, and the app does not handle the end of the sign-in.
            options.isDismissible = false
        }
        // A signed-out user has no menu that leads to the accounts.
        options.offersAccounts = user == nil && hasOtherAccounts
        let (client, accountSignIn) = (signInClient, accountSignIn)
        var signIn: (@Sendable (IdentityProvider) async throws -> Void)?
        if let signInThrough = configuration.signInThrough { signIn = { try await signInThrough(client, $0) } }
        let model = SignInModel(
            client, screen: SignInScreen(name: email, options: options), clock: clock, signInThrough: signIn,
            passkeys: passkeys, didSignIn: { try await accountSignIn?.adopt(client) })
        model.onFinish = { [weak model] in report($0, model?.screen.way) }
        return model
    }

    /// Returns the sign-in with a password that the user has just proved or chosen.
    ///
    /// - Parameter user: The signed-in user; nil if no user is signed in. The password of another account does not sign
    ///   it in.
    private func passwordSignIn(of user: SignedInUser? = nil) -> PasswordSignIn {
        // Not the client of the sign-in form, whose late response may belong to another user.
        let (client, accountSignIn) = (accounts?.newClient() ?? client, accountSignIn)
        return PasswordSignIn { email, password in
            if let user {
                let own = await user.email
                guard own?.lowercasedASCII() == email.lowercasedASCII() else { return false }
            }
            guard try await client.beginSignIn(name: email, password: password.value) == nil else { return false }
            try await accountSignIn?.adopt(client)
            return true
        }
    }

    private func makeAccounts(_ report: @escaping @MainActor (AccountSwitcherScreen.Outcome) -> Void) -> AuthScreen? {
        guard let accounts else { return nil }
        return .accounts(
            AccountSwitcherModel(
                accounts.list, screen: AccountSwitcherScreen(isSignedIn: user != nil), clock: clock,
                revoke: { _, tokens in await accounts.revoke(tokens) }, onFinish: report))
    }
}
