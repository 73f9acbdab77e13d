// SPDX-License-Identifier: Apache-2.0

import LatchUI

extension ScreenScenario where S == UserMenuScreen {
    static let userMenu = ScreenScenario(
        name: "Menu of the user", screen: UserMenuScreen(.ada, hasAccounts: true), step: { _ in "menu" },
        responses: { _ in [.signedOut] })
}

extension ScreenScenario where S == PasskeyScreen {
    static let passkey = ScreenScenario(
        name: "Passkey", screen: PasskeyScreen(account: "ada@example.com"),
        step: { screen in screen.content.contains { $0.id == .done } ? "created" : "offer" },
        responses: { _ in [.created] })
}

extension ScreenScenario where S == UnlockScreen {
    static let unlock = ScreenScenario(
        name: "Lock of the app", screen: UnlockScreen(app: "Notes"), step: { _ in "locked" },
        responses: { _ in [.authenticated] })
}
