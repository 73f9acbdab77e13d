// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
public import PortableFoundation

// The ways between the screens: what each outcome leads to.

extension AuthModel {
    /// The routes of ``screens``, to be stored; see ``reopen(_:)``.
    public var path: [AuthRoute] { screens.compactMap(\.route) }

    /// Shows stored screens again, as far as the user may see them now; after ``restore()``.
    public func reopen(_ path: [AuthRoute]) {
        let shown = path.filter { isSignedIn || !$0.needsUser }
        guard !shown.isEmpty, gate.phase == .signedIn || gate.phase == .signedOut else { return }
        screens = []
        for route in shown { push(route) }
    }

    /// Shows the screens of the last run again, once it is known whether a user is signed in, and returns what to store for the
    /// next one.
    ///
    /// - Parameter stored: What this function has returned before; empty at the first start. It has no secrets. What another
    ///   version of the app has stored is ignored.
    public func exchangePath(_ stored: Data) -> Data {
        guard gate.phase == .signedIn || gate.phase == .signedOut else { return stored }
        if !hasReopened {
            hasReopened = true
            // A link that has opened the app goes first.
            let isAtStart = path.isEmpty || path.count == 1 && path.first == .signIn(email: "")
            if isAtStart, let path = try? JSONDecoder().decode([AuthRoute].self, from: stored) { reopen(path) }
        }
        let encoder = JSONEncoder()
        // The same path is the same data: a scene that stores it would never rest.
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(path)) ?? Data()
    }

    /// Shows a screen above the others.
    public func push(_ route: AuthRoute) {
        guard !route.needsUser || isSignedIn, let screen = makeScreen(route) else { return }
        screens.append(screen)
        screen.model.send(.appear)
    }

    /// Leaves the visible screen.
    ///
    /// A signed-out user, who has no content, then sees the sign-in.
    public func pop() {
        if !screens.isEmpty { screens.removeLast() }
        if screens.isEmpty, !isSignedIn { push(.signIn(email: "")) }
        screens.last?.model.send(.appear)
    }

    /// Shows a screen in place of the visible one.
    private func replace(by route: AuthRoute) {
        if !screens.isEmpty { screens.removeLast() }
        push(route)
    }

    /// Returns to the sign-in with an address, or to the content of a user who is signed in already.
    private func returnToSignIn(_ email: String) {
        let mustSignIn = !isSignedIn || isAddingAccount
        screens.removeAll()
        if mustSignIn { push(.signIn(email: email)) }
    }

    /// Whether a signed-in user signs in to one more account.
    private var isAddingAccount: Bool {
        screens.contains { screen in
            switch screen {
            case .signIn, .registration: true
            default: false
            }
        }
    }

    /// Shows the screen of a link, and hands it over.
    func open(_ link: ScreenLink) {
        let isShown: (AuthScreen) -> Bool = { screen in
            switch (screen, link.purpose) {
            case (.verification, .verifyEmail), (.passwordReset, .resetPassword): true
            default: false
            }
        }
        if let index = screens.lastIndex(where: isShown) {
            screens.removeSubrange((index + 1)...)
        } else {
            switch link.purpose {
            case .verifyEmail: push(.verification(EmailVerificationScreen(email: knownEmail)))
            case .resetPassword: push(.passwordReset(PasswordResetScreen(email: knownEmail)))
            }
        }
        screens.last?.model.send(.open(link))
    }

    /// Shows the reset of a signed-in user's password, who has forgotten it or has none.
    func showPasswordReset() { push(.passwordReset(PasswordResetScreen(email: knownEmail))) }

    /// The address of the user, as far as it is known here.
    private var knownEmail: String {
        if let profile { return profile.email }
        if case .signIn(let email) = path.last { return email }
        return client.account?.email ?? ""
    }

    // MARK: Screens

    private func makeScreen(_ route: AuthRoute) -> AuthScreen? {
        switch route {
        case .signIn(let email): return .signIn(makeSignIn(email))
        case .registration(let email):
            let screen = RegistrationScreen(email: email)
            return .registration(
                RegistrationModel(signInClient, screen: screen, clock: clock) { [weak self] outcome in
                    self?.follow(outcome)
                })
        case .verification(let screen):
            let client = isSignedIn && !isAddingAccount ? client : signInClient
            return .verification(
                EmailVerificationModel(client, screen: screen, clock: clock) { [weak self] outcome in
                    self?.follow(outcome)
                })
        case .passwordReset(let screen):
            return .passwordReset(
                PasswordResetModel(signInClient, screen: screen, clock: clock) { [weak self] outcome in
                    self?.follow(outcome)
                })
        case .accounts:
            guard let accounts else { return nil }
            return .accounts(
                AccountSwitcherModel(
                    accounts.list, clock: clock, revoke: { _, tokens in await accounts.revoke(tokens) },
                    onFinish: { [weak self] (outcome: AccountSwitcherScreen.Outcome) in self?.follow(outcome) }))
        case .profile:
            return .profile(
                ProfileModel(client, offersPasskeys: passkeys?.isAvailable == true, clock: clock) {
                    [weak self] outcome in self?.follow(outcome)
                })
        case .editProfile:
            guard let profile else { return nil }
            return .editProfile(
                EditProfileModel(client, profile: profile, clock: clock) { [weak self] outcome in
                    self?.follow(outcome)
                })
        case .changePassword:
            return .changePassword(
                ChangePasswordModel(client, clock: clock) { [weak self] outcome in
                    self?.pop()
                    if outcome == .passwordReset { self?.showPasswordReset() }
                })
        case .secondFactor:
            return .secondFactor(SecondFactorModel(client, clock: clock) { [weak self] _ in self?.pop() })
        case .devices: return .devices(DevicesModel(client, clock: clock) { [weak self] _ in self?.pop() })
        case .passkeys:
            return .passkeys(
                PasskeysModel(client, provider: passkeys, clock: clock) { [weak self] _ in self?.pop() })
        case .passkeyOffer(let email):
            guard let passkeys else { return nil }
            return .passkeyOffer(
                PasskeyModel(client, provider: passkeys, account: email, clock: clock) { [weak self] _ in self?.pop() })
        }
    }

    private func makeSignIn(_ email: String) -> SignInModel {
        var options = options
        // Where there is content to return to.
        if isSignedIn { options.isDismissible = true }
        let client = signInClient
        var signIn: (@Sendable (IdentityProvider) async throws -> Void)?
        if let signInThrough { signIn = { try await signInThrough(client, $0) } }
        return SignInModel(
            client, screen: SignInScreen(name: email, options: options), clock: clock, signInThrough: signIn,
            passkeys: passkeys, didSignIn: { [weak self] in try await self?.store(client) },
            onFinish: { [weak self] outcome in self?.follow(outcome) })
    }

    // MARK: Outcomes

    private func follow(_ outcome: SignInScreen.Outcome) {
        switch outcome {
        case .signedIn: finishSignIn()
        case .registration(let email): push(.registration(email: email))
        case .passwordReset(let email): push(.passwordReset(PasswordResetScreen(email: email)))
        case .cancelled: pop()
        }
    }

    private func follow(_ outcome: RegistrationScreen.Outcome) {
        switch outcome {
        case .registered(let email): replace(by: .verification(EmailVerificationScreen(email: email)))
        case .signIn(let email): returnToSignIn(email)
        case .cancelled: pop()
        }
    }

    private func follow(_ outcome: EmailVerificationScreen.Outcome) {
        guard isSignedIn, !isAddingAccount else {
            switch outcome {
            case .verified(let email), .signIn(let email): return returnToSignIn(email)
            case .later: return pop()
            }
        }
        pop()
        if outcome != .later { loadProfile() }
    }

    private func follow(_ outcome: PasswordResetScreen.Outcome) {
        switch outcome {
        case .signIn(let email): returnToSignIn(email)
        case .cancelled: pop()
        }
    }

    private func follow(_ outcome: AccountSwitcherScreen.Outcome) {
        switch outcome {
        case .switched(let account): finishSwitch(to: account)
        case .add: push(.signIn(email: ""))
        case .closed: pop()
        }
    }

    private func follow(_ outcome: ProfileScreen.Outcome) {
        switch outcome {
        case .edit(let profile):
            show(profile)
            push(.editProfile)
        case .changePassword: push(.changePassword)
        case .secondFactor: push(.secondFactor)
        case .devices: push(.devices)
        case .passkeys: push(.passkeys)
        case .verifyEmail(let email): push(.verification(EmailVerificationScreen(email: email, isSent: false)))
        // The session has ended, and leads to the sign-in.
        case .signedOut: break
        case .closed: pop()
        }
    }

    private func follow(_ outcome: EditProfileScreen.Outcome) {
        if case .saved(let profile) = outcome { show(profile) }
        pop()
    }

    /// Takes a way of the menu.
    func follow(_ outcome: UserMenuScreen.Outcome) {
        switch outcome {
        case .profile: push(.profile)
        case .devices: push(.devices)
        case .accounts: push(.accounts)
        case .signedOut: break
        }
    }
}
