// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAccounts

@testable import LatchUI

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

extension PasskeyScreen: FlowScreen {
    static var sample: AuthRoute { .passkeyOffer(email: "ada@example.com") }
    static var outcomes: [Outcome] { [.created] }
    static var leaving: Outcome { .later }
    static var scenarios: [ScreenScenario<Self>] { [.passkey] }
}

extension ScreenScenario where S == PasskeysScreen {
    static let passkeys = ScreenScenario(
        name: "Passkeys", screen: PasskeysScreen(),
        step: { screen in
            switch screen.step {
            case .list: screen.passkeys.map { $0.isEmpty ? "no passkey" : "passkeys" } ?? "empty"
            case .renaming: "new name"
            case .removing: "confirmation"
            }
        },
        responses: { request in
            switch request {
            case .load: [.loaded(all), .loaded([])]
            case .add: [.added(all[0])]
            case .rename(let id, _): [.renamed(all.first { $0.id == id } ?? all[0])]
            case .remove(let id): [.removed(id: id)]
            }
        }, failures: [.offline, .lastSignInMethod, .missing, .passkeyExists, .stepUpRequired, .cancelled])

    private static let all: [Passkey] = {
        let date = Date(timeIntervalSince1970: 86_400)
        return [
            Passkey(id: "phone", name: "iPhone", createdAt: date, lastUsedAt: date, isBackedUp: true, isSynced: true),
            Passkey(id: "key", name: "", createdAt: date, isUsable: false),
        ]
    }()
}

extension PasskeysScreen: FlowScreen {
    static var leaving: Outcome { .closed }
    static var scenarios: [ScreenScenario<Self>] { [.passkeys] }
}

extension ScreenScenario where S == UnlockScreen {
    static let unlock = ScreenScenario(
        name: "Lock of the app", screen: UnlockScreen(app: "Notes"), step: { _ in "locked" },
        responses: { _ in [.authenticated] })
}
