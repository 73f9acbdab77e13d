// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchTexts
import LatchUI
import Testing

@Suite struct ScreenMachineTests {
    private var filled: ScreenMachine<SignInScreen> {
        var machine = ScreenMachine(SignInScreen(name: "ada@example.com"))
        _ = machine.receive(.input(.appear))
        _ = machine.receive(.input(.edit(.password, "hunter2-secret")))
        return machine
    }

    @Test(arguments: [ScreenInput.disappear, .press(.submit), .press(.register)])
    func `A screen machine removes the password with a request, an end, and when it is left`(input: ScreenInput) {
        var machine = filled
        #expect(machine.screen.fields.holdsSecret)
        _ = machine.receive(.input(input))
        #expect(!machine.screen.fields.holdsSecret)
    }

    @Test func `A screen machine ignores another screen's link, and cancels nothing for it`() {
        let link = ScreenInput.open(ScreenLink(.verifyEmail, token: "a"))
        var machine = filled
        #expect(machine.receive(.input(link)).isEmpty && machine == filled)
        _ = machine.receive(.input(.press(.submit)))
        let busy = machine
        #expect(machine.receive(.input(link)).isEmpty && machine == busy)
    }

    @Test func `A screen machine ignores edits, switches and presses while a request is in progress`() {
        var machine = filled
        _ = machine.receive(.input(.press(.submit)))
        let busy = machine
        for input in [
            ScreenInput.edit(.password, "x"), .press(.submit), .press(.register), .reveal(.password, true), .activate,
            .appear, .focus(.email),
        ] {
            #expect(machine.receive(.input(input)).isEmpty)
            expectEqual(machine, busy, "\(input)")
        }
        expectEqual(machine.receive(.input(.press(.cancel))), [.cancel, .announce(Phrase("progress.cancelled"))])
        expectEqual(machine.activity, .idle)
    }

    @Test func `A screen machine takes the answer of a request after the screen has disappeared or was left`() {
        var gone = filled
        _ = gone.receive(.input(.press(.submit)))
        #expect(gone.receive(.input(.disappear)).isEmpty && gone.isBusy)
        var cancelled = gone
        expectEqual(gone.receive(.response(.signedIn)).last, .finish(.signedIn))
        _ = cancelled.receive(.input(.press(.cancel)))
        expectEqual(cancelled.receive(.lateResponse(.signedIn)), [.finish(.signedIn)])

        var options = SignInScreen.Options()
        options.isDismissible = true
        var left = ScreenMachine(SignInScreen(options: options))
        expectEqual(left.receive(.input(.press(.cancel))), [.finish(.cancelled)])
        #expect(left.receive(.lateResponse(.challenged(ScreenScenario<SignInScreen>.challenge))).isEmpty)
        expectEqual(left.outcome, .cancelled)
        expectEqual(left.receive(.lateResponse(.signedIn)), [.finish(.signedIn)])
    }

    @Test func `A screen machine keeps the typed text when it leads to another screen, and no secret`() {
        var machine = filled
        expectEqual(machine.receive(.input(.press(.register))), [.navigate(.registration(email: "ada@example.com"))])
        #expect(machine.activity == .idle && !machine.screen.fields.holdsSecret)
        expectEqual(machine.screen.fields.value(.email), "ada@example.com")
        expectEqual(machine.controls.first { $0.id == .submit }?.isEnabled, true)
    }

    @Test func `A screen machine locks the button that caused the lock, and no other one`() {
        var machine = ScreenMachine(PasswordResetScreen(email: "ada@example.com"))
        _ = machine.receive(.response(.sent(email: "ada@example.com")))
        func isEnabled(_ id: ControlID) -> Bool? { machine.controls.first { $0.id == id }?.isEnabled }
        _ = machine.receive(.input(.press(.resend)))
        _ = machine.receive(.failure(ScreenFailure(.locked, after: .seconds(3_600))))
        #expect(isEnabled(.resend) == false && machine.failure?.reason == .locked)
        _ = machine.receive(.input(.open(ScreenLink(.resetPassword, token: "t"))))
        #expect(isEnabled(.submit) == true && machine.lockedUntil == nil)
    }

    @Test func `A screen machine begins again when it is shown again after its end`() {
        var machine = ScreenMachine(ChangePasswordScreen())
        _ = machine.receive(.response(.changed))
        expectEqual(machine.receive(.input(.press(.done))), [.finish(.changed)])
        _ = machine.receive(.input(.appear))
        #expect(machine.controls.contains { $0.id == .newPassword } && machine.activity == .idle)
    }

    @Test func `A screen machine asks for a password again, and shows the rule of a new one`() {
        var machine = ScreenMachine(RegistrationScreen(email: "ada@example.com"))
        func hint() -> Phrase? { machine.controls.first { $0.id == .newPassword }?.hint }
        expectEqual(hint(), Phrase("field.newPassword.hint", .count(8)))
        _ = machine.receive(.input(.edit(.newPassword, "hunter2-secret")))
        _ = machine.receive(.input(.press(.submit)))
        _ = machine.receive(.failure(ScreenFailure(.taken)))
        expectEqual(hint(), Phrase("field.password.again"))
        expectEqual(machine.controls.first { $0.id == .email }?.problem, Phrase("field.email.taken"))
        _ = machine.receive(.input(.edit(.newPassword, "h")))
        expectEqual(hint(), Phrase("field.newPassword.hint", .count(8)))
    }

    @Test func `A screen machine says while a user types whether a new password is a common one`() {
        var machine = ScreenMachine(RegistrationScreen(email: "ada@example.com"))
        func hint() -> Phrase? { machine.controls.first { $0.id == .newPassword }?.hint }
        for (password, expected) in [
            ("Passwor", Phrase("field.newPassword.hint", .count(8))), ("Password", Phrase("field.newPassword.common")),
            ("Ada@Example.com", Phrase("field.newPassword.common")),
            ("Password to the sea", Phrase("field.newPassword.accepted")),
        ] {
            _ = machine.receive(.input(.edit(.newPassword, password)))
            expectEqual(hint(), expected, "\(password)")
        }
    }

    @Test func `A screen machine shows a failure above the button that caused it`() {
        var machine = filled
        _ = machine.receive(.input(.press(.submit)))
        _ = machine.receive(.failure(ScreenFailure(.offline)))
        let ids = machine.controls.map(\.id)
        expectEqual(ids.firstIndex(of: .failure).map { ids[$0 + 1] }, .submit)
    }

    @Test func `A screen machine announces each answer to a press, also if it says the same`() {
        var machine = ScreenMachine(EmailVerificationScreen(email: "a@example.com"))
        let notice = ScreenEffect<EmailVerificationScreen>.announce(
            Phrase("verification.sentAgain", .text("a@example.com")))
        for _ in 0..<2 {
            _ = machine.receive(.input(.press(.resend)))
            expectEqual(machine.receive(.response(.sent)), [notice])
        }
    }

    @Test func `A screen machine labels the return key by its action`() {
        var machine = ScreenMachine(SignInScreen())
        func key(_ id: ControlID) -> ReturnKey? { machine.controls.first { $0.id == id }?.returnKey }
        #expect(key(.email) == .next && key(.password) == .go)
        _ = machine.receive(.input(.edit(.password, "x")))
        expectEqual(key(.email), .go)
    }

    @Test func `A screen machine leads a lost confirmation of a second factor to new recovery codes`() {
        var machine = ScreenMachine(SecondFactorScreen())
        let setup = SecondFactorSetup(secret: "ABCDEFGH", uri: "otpauth://totp/a", recoveryCodes: ["one"])
        _ = machine.receive(.response(.begun(setup)))
        expectNil(machine.focus, "the keyboard would cover the key")
        expectEqual(machine.controls.first { $0.id == .secret }?.text.value, "ABCD EFGH")
        for reason in [ScreenFailure.Reason.offline, .missing] {
            _ = machine.receive(.input(.edit(.code, "123456")))
            _ = machine.receive(.input(.press(.submit)))
            _ = machine.receive(.failure(ScreenFailure(reason)))
        }
        #expect(machine.screen.step == .newCodes && machine.canBeDismissed)
        #expect(machine.controls.contains { $0.label == Phrase("secondFactor.unsure") })
        _ = machine.receive(.response(.replaced([FieldText("two", isSecret: true)])))
        #expect(!machine.canBeDismissed && machine.controls.contains { $0.id == .copyCodes })
    }

    @Test func `A screen machine keeps a link that could not be sent`() {
        var machine = ScreenMachine(EmailVerificationScreen(email: "a@example.com"))
        let request = EmailVerificationScreen.Request.verify(token: FieldText("t", isSecret: true), password: nil)
        expectEqual(machine.receive(.input(.open(ScreenLink(.verifyEmail, token: "t")))).first, .perform(request))
        _ = machine.receive(.failure(ScreenFailure(.offline)))
        expectEqual(machine.receive(.input(.press(.retry))).first, .perform(request))
        _ = machine.receive(.response(.verified()))
        #expect(machine.screen.step == .verified && machine.screen.loading == nil)
    }

    @Test func `A screen machine believes a user that the address is confirmed, and leads to the sign-in`() {
        var machine = ScreenMachine(EmailVerificationScreen(email: "a@example.com"))
        _ = machine.receive(.input(.activate))
        #expect(machine.receive(.response(.unknown)).isEmpty)
        _ = machine.receive(.input(.press(.confirmed)))
        _ = machine.receive(.response(.waiting))
        #expect(machine.controls.contains { $0.label == Phrase("verification.notYet", .text("a@example.com")) })
        _ = machine.receive(.input(.press(.confirmed)))
        expectEqual(machine.receive(.response(.unknown)).last, .finish(.signIn(email: "a@example.com")))
    }

    @Test func `A screen machine accepts a recovery code while codes are locked`() {
        var machine = ScreenMachine(SignInScreen())
        _ = machine.receive(.response(.challenged(ScreenScenario<SignInScreen>.challenge)))
        _ = machine.receive(.input(.edit(.code, "123456")))
        _ = machine.receive(.input(.press(.submit)))
        _ = machine.receive(.failure(ScreenFailure(.locked, after: .seconds(30))))
        func isOpen(_ code: String) -> Bool {
            _ = machine.receive(.input(.edit(.code, code)))
            return machine.controls.first { $0.id == .submit }?.isEnabled == true
        }
        #expect(!isOpen("654321") && !isOpen("1234567890") && isOpen("abcd-efgh-ijkl-mnop"))
        let effects = machine.receive(.input(.press(.submit)))
        guard case .perform(.verify) = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(machine.isBusy)
    }

    @Test func `A screen machine shows and hides a password, and hides it again once it is sent`() {
        var machine = filled
        _ = machine.receive(.input(.reveal(.password, true)))
        expectEqual(machine.controls.first { $0.id == .password }?.trait, .textField)
        _ = machine.receive(.input(.press(.submit)))
        expectEqual(machine.controls.first { $0.id == .password }?.trait, .secureTextField)
        _ = machine.receive(.input(.reveal(.email, true)))
        expectEqual(machine.screen.fields[.email]?.isRevealed, false)
    }

    @Test func `A screen machine follows the user's focus only to inputs`() {
        var machine = filled
        _ = machine.receive(.input(.focus(.email)))
        expectEqual(machine.focus, .email)
        _ = machine.receive(.input(.focus(.title)))
        expectEqual(machine.focus, .email)
        _ = machine.receive(.input(.focus(nil)))
        expectNil(machine.focus)
    }

    @Test func `A screen machine announces the same problem again when the user tries again`() {
        var machine = ScreenMachine(SignInScreen())
        for _ in 0..<2 {
            expectEqual(
                machine.receive(.input(.press(.submit))),
                [.announce(Phrase("field.required", .phrase(Phrase("field.email"))))])
        }
    }
}

@Suite struct SessionGateTests {
    @Test func `A session gate shows the sign-in only when it is known that no user is signed in`() {
        let tokens = Tokens(access: "a", refresh: "r")
        let phases: [(SessionState<Tokens>, SessionGateState.Phase)] = [
            (.unknown, .restoring), (.restoring, .restoring), (.signedIn(tokens), .signedIn),
            (.expired(tokens), .signedIn),
            (.signedOut(.noAccount), .signedOut), (.signedOut(.user), .signedOut), (.signedOut(.issuer), .signedOut),
            (.unavailable(.storeLocked), .unavailable),
        ]
        for (state, phase) in phases { expectEqual(SessionGateState(state).phase, phase) }
        expectEqual(SessionGateState(SessionState<Tokens>.signedOut(.issuer)).controls.count, 1)
        let unavailable = SessionGateState(SessionState<Tokens>.unavailable(.storeLocked))
        expectEqual(unavailable.controls.map(\.id), [.failure, .retry])
    }

    @Test func `A session gate raises a step-up until the user dismisses it`() {
        let state = SessionState.signedIn(Tokens(access: "a", refresh: "r"))
        let one = StepUpRequirement(maximumAge: .seconds(9))
        expectEqual(SessionGateState(state, stepUp: one).stepUp, one)
        expectNil(SessionGateState(state, stepUp: one, isDismissed: true).stepUp)
        expectNil(SessionGateState(SessionState<Tokens>.signedOut(.user), stepUp: one).stepUp)
    }
}
