// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAccounts
import LatchTexts
import LatchUI
import TestSupport
import Testing

@MainActor @Suite struct ReturnKeyTests {
    private let model = SignInModel(SignInScreen()) { _ in .signedIn }

    @Test func `The return key goes on to the next empty field`() {
        model.send(.appear)
        model.edit(.email, "ada@example.com")
        model.pressReturn(in: .email)
        expectEqual(model.focus, .password)
        #expect(!model.isBusy)
    }

    @Test func `The return key presses the primary button in the last field, once`() async {
        model.edit(.email, "ada@example.com")
        model.edit(.password, "hunter2-secret")
        model.pressReturn(in: .password)
        #expect(model.isBusy)
        model.pressReturn(in: .password)
        await model.settled()
        expectEqual(model.outcome, .signedIn)
        model.pressReturn(in: .password)
        expectEqual(model.outcome, .signedIn)
    }

    @Test func `The return key skips a field that is filled in already`() async {
        model.edit(.email, "ada@example.com")
        model.edit(.password, "hunter2-secret")
        model.pressReturn(in: .email)
        await model.settled()
        expectEqual(model.outcome, .signedIn)
    }
}

@MainActor @Suite struct ConnectionBannerTests {
    @Test func `The banner of a connection is visible while the device is offline`() async throws {
        let (changes, sender) = AsyncStream<Bool>.makeStream()
        let model = ConnectionModel(changes)
        #expect(model.controls.isEmpty)
        sender.yield(false)
        try await eventually { model.isOffline }
        expectEqual(model.controls.map(\.label), [Phrase("connection.offline")])
        sender.yield(true)
        try await eventually { !model.isOffline }
        #expect(model.controls.isEmpty)
    }
}

@Suite struct UserMenuTests {
    @Test(arguments: [("Ada Lovelace", "AL"), ("ada", "A"), ("Ada King Lovelace", "AK"), ("", "A")])
    func `The menu of the user shows the initials of the name`(name: String, initials: String) {
        var profile = AccountProfile.ada
        (profile.displayName, profile.firstName) = (name, "")
        expectEqual(UserMenuScreen(profile).initials, initials)
    }
}
