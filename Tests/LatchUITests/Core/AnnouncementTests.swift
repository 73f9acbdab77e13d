// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchTexts
import LatchUI
import Testing

/// What users of assistive technologies hear of a request.
@Suite struct AnnouncementTests {
    private func announced<S>(_ effects: [ScreenEffect<S>]) -> [Phrase] {
        effects.compactMap { if case .announce(let phrase) = $0 { phrase } else { nil } }
    }

    private var signIn: ScreenMachine<SignInScreen> {
        var machine = ScreenMachine(SignInScreen(name: "ada@example.com"))
        _ = machine.receive(.input(.appear))
        _ = machine.receive(.input(.edit(.password, "a long sentence")))
        return machine
    }

    @Test func `A request that a user has begun is announced at its beginning and at its end`() {
        var machine = signIn
        expectEqual(announced(machine.receive(.input(.press(.submit)))), [Phrase("progress.signIn")])
        let effects = machine.receive(.response(.signedIn))
        expectEqual(effects, [.announce(Phrase("progress.done")), .finish(.signedIn)])
    }

    @Test func `A request that a user has begun is announced by the step that it leads to`() throws {
        var machine = signIn
        _ = machine.receive(.input(.press(.submit)))
        let challenge = SignInChallenge(token: "abc", expiryDate: .distantFuture)
        expectEqual(announced(machine.receive(.response(.challenged(challenge)))), [Phrase("signIn.code.title")])
        expectEqual(machine.focus, .code)
    }

    @Test func `A request that a user has begun is announced when it fails, and when the user cancels it`() {
        var machine = signIn
        _ = machine.receive(.input(.press(.submit)))
        expectEqual(announced(machine.receive(.input(.press(.cancel)))), [Phrase("progress.cancelled")])
        _ = machine.receive(.input(.edit(.password, "a long sentence")))
        _ = machine.receive(.input(.press(.submit)))
        expectEqual(announced(machine.receive(.failure(ScreenFailure(.offline)))), [ScreenFailure(.offline).phrase])
    }

    @Test func `A request that a user has begun is announced only by the notice of its answer`() {
        var machine = ScreenMachine(PasswordResetScreen(email: "ada@example.com"))
        _ = machine.receive(.input(.appear))
        expectEqual(announced(machine.receive(.input(.press(.submit)))), [Phrase("progress.mail")])
        let sent = announced(machine.receive(.response(.sent(email: "ada@example.com"))))
        expectEqual(sent, [Phrase("reset.sent", .text("ada@example.com"))])
    }

    @Test func `A request that a user has begun ends with an announcement if the screen stays`() {
        var machine = ScreenMachine(AccountSwitcherScreen())
        expectEqual(announced(machine.receive(.input(.appear))), [], "a list that loads shows so")
        let accounts = AccountSwitcherScreen.samples
        expectEqual(announced(machine.receive(.response(.loaded(accounts, currentID: "1")))), [])
        _ = machine.receive(.input(.press(.removeAccount("2"))))
        expectEqual(announced(machine.receive(.input(.press(.confirmRemoval)))), [Phrase("progress.waiting")])
        let rest = Array(accounts.prefix(1))
        expectEqual(announced(machine.receive(.response(.loaded(rest, currentID: "1")))), [Phrase("progress.done")])
    }
}

/// The forms that the password manager saves a new password from.
@Suite struct NewPasswordTests {
    private let email = "ada@example.com"

    private func check<S>(_ machine: ScreenMachine<S>) {
        var machine = machine
        let fields = machine.controls.filter { if case .field = $0.kind { true } else { false } }
        #expect(fields.first?.contentType == .username && fields.first?.text.value == email)
        #expect(fields.first?.isEnabled == false && fields.last?.contentType == .newPassword)
        #expect(machine.focus != fields.first?.id && machine.focus != nil)
        let before = machine
        #expect(machine.receive(.input(.edit(.email, "mallory@example.com"))).isEmpty && machine == before)
        _ = machine.receive(.input(.focus(.email)))
        expectNotEqual(machine.focus, .email)
    }

    @Test func `A new password is below the user name in the change of the password`() {
        var machine = ScreenMachine(ChangePasswordScreen(email: email))
        _ = machine.receive(.input(.appear))
        expectEqual(machine.focus, .password)
        check(machine)
        _ = machine.receive(.input(.edit(.password, "the old sentence")))
        _ = machine.receive(.input(.edit(.newPassword, "a long sentence")))
        guard case .perform = machine.receive(.input(.press(.submit))).first else {
            Issue.record("it is not sent")
            return
        }
        #expect(ScreenMachine(ChangePasswordScreen()).controls.allSatisfy { $0.contentType != .username })
    }

    @Test func `A new password is below the user name in the reset, if this device has requested the mail`() {
        var machine = ScreenMachine(PasswordResetScreen(email: email))
        _ = machine.receive(.input(.appear))
        _ = machine.receive(.input(.press(.submit)))
        _ = machine.receive(.response(.sent(email: email)))
        _ = machine.receive(.input(.open(ScreenLink(.resetPassword, token: "abc"))))
        expectEqual(machine.focus, .newPassword)
        check(machine)
        var unknown = ScreenMachine(PasswordResetScreen())
        _ = unknown.receive(.input(.open(ScreenLink(.resetPassword, token: "abc"))))
        #expect(unknown.controls.allSatisfy { $0.contentType != .username })
    }
}
