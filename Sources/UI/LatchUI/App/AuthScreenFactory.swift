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

    /// Whether the screen that opens belongs to the sign-in of one more account, and not to the signed-in user.
    var isForNewAccount = false

    /// The client of sign-ins and registrations: the only one, or a new one without an account.
    var signInClient: AuthClient { accountSignIn?.client ?? client }
    var clock: WallClock { configuration.clock }
    var passkeys: (any PasskeyProvider)? { configuration.passkeys }
    /// The user for whom a screen about an address opens; nil for a screen of a user who signs in.
    var owner: SignedInUser? { isForNewAccount ? nil : user }

    /// Returns a screen with a new model; nil for one that the app or the user does not have now.
    func make(_ open: AuthFlow.OpenScreen, _ report: @escaping @MainActor (AuthFlow.Move) -> Void) -> AuthScreen? {
        if let make = configuration.screens.maker(of: open.route) {
            let model = make(
                ScreenPosition(
                    client: open.route.needsUser ? client : signInClient, route: open.route, profile: user?.shown,
                    clock: clock, end: report))
            return AuthScreen(model, inPlaceOf: open.route)
        }
        var factory = self
        factory.isForNewAccount = open.isForNewAccount
        // An earlier version of the app may have had a screen of the name.
        return open.route.kind.screen?.open(open.route, by: factory, report)
    }

    /// Returns the sign-in with a password that the user has just proved or chosen.
    ///
    /// - Parameter user: The signed-in user, whose content another account's password leaves as it is; nil if no user is signed in.
    func passwordSignIn(of user: SignedInUser? = nil) -> PasswordSignIn {
        // Not the one of the sign-in's form, whose late answer may be another user's.
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
}
