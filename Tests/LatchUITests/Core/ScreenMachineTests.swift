// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
import LatchTexts
import LatchUI
import Testing

@Suite struct `A machine of a screen` {
    private var filled: ScreenMachine<SignInScreen> {
        var machine = ScreenMachine(SignInScreen(name: "ada@example.com"))
        _ = machine.receive(.input(.appear))
        _ = machine.receive(.input(.edit(.password, "hunter2-secret")))
        return machine
    }

    @Test(arguments: [ScreenInput.disappear, .press(.submit), .press(.register)])
    func `removes the password with a request, an end, and when it is left`(input: ScreenInput) {
        var machine = filled
        #expect(machine.screen.fields.holdsSecret)
        _ = machine.receive(.input(input))
        #expect(!machine.screen.fields.holdsSecret)
    }

    @Test func `takes no notice of another screen's link, and cancels nothing for it`() {
        let link = ScreenInput.open(ScreenLink(.verifyEmail, token: "a"))
        var machine = filled
        #expect(machine.receive(.input(link)).isEmpty && machine == filled)
        _ = machine.receive(.input(.press(.submit)))
        let busy = machine
        #expect(machine.receive(.input(link)).isEmpty && machine == busy)
    }

    @Test func `ignores edits, switches and presses while a request is under way`() {
        var machine = filled
        _ = machine.receive(.input(.press(.submit)))
        let busy = machine
        for input in [
            ScreenInput.edit(.password, "x"), .press(.submit), .press(.register), .reveal(.password, true), .activate,
            .appear, .focus(.email),
        ] {
            #expect(machine.receive(.input(input)).isEmpty)
            #expect(machine == busy, "\(input)")
        }
        #expect(machine.receive(.input(.press(.cancel))) == [.cancel])
        #expect(machine.activity == .idle)
    }

    @Test func `takes the answer of a request after the screen has disappeared, was cancelled, or was left`() {
        var gone = filled
        _ = gone.receive(.input(.press(.submit)))
        #expect(gone.receive(.input(.disappear)).isEmpty && gone.isBusy)
        var cancelled = gone
        #expect(gone.receive(.response(.signedIn)) == [.finish(.signedIn)])
        _ = cancelled.receive(.input(.press(.cancel)))
        #expect(cancelled.receive(.response(.signedIn)) == [.finish(.signedIn)])

        var options = SignInScreen.Options()
        options.isDismissible = true
        var left = ScreenMachine(SignInScreen(options: options))
        #expect(left.receive(.input(.press(.cancel))) == [.finish(.cancelled)])
        #expect(left.receive(.response(.challenged(ScreenScenario<SignInScreen>.challenge))).isEmpty)
        #expect(left.outcome == .cancelled)
        #expect(left.receive(.response(.signedIn)) == [.finish(.signedIn)])
    }

    @Test func `keeps what was typed when it leads to another screen, and no secret`() {
        var machine = filled
        #expect(machine.receive(.input(.press(.register))) == [.navigate(.registration(email: "ada@example.com"))])
        #expect(machine.activity == .idle && !machine.screen.fields.holdsSecret)
        #expect(machine.screen.fields.value(.email) == "ada@example.com")
        #expect(machine.controls.first { $0.id == .submit }?.isEnabled == true)
    }

    @Test func `takes a recovery code while codes are locked`() {
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
        #expect(effects.count == 1 && machine.isBusy)
    }

    @Test func `shows and hides a password, and hides it again once it is sent`() {
        var machine = filled
        _ = machine.receive(.input(.reveal(.password, true)))
        #expect(machine.controls.first { $0.id == .password }?.trait == .textField)
        _ = machine.receive(.input(.press(.submit)))
        #expect(machine.controls.first { $0.id == .password }?.trait == .secureTextField)
        _ = machine.receive(.input(.reveal(.email, true)))
        #expect(machine.screen.fields[.email]?.isRevealed == false)
    }

    @Test func `follows the user's focus to what takes input, and nowhere else`() {
        var machine = filled
        _ = machine.receive(.input(.focus(.email)))
        #expect(machine.focus == .email)
        _ = machine.receive(.input(.focus(.title)))
        #expect(machine.focus == .email)
        _ = machine.receive(.input(.focus(nil)))
        #expect(machine.focus == nil)
    }

    @Test func `announces the same problem again when the user tries again`() {
        var machine = ScreenMachine(SignInScreen())
        for _ in 0..<2 {
            #expect(
                machine.receive(.input(.press(.submit)))
                    == [.announce(Phrase("field.required", .phrase(Phrase("field.email"))))])
        }
    }
}

@Suite struct `A gate of a session` {
    @Test func `shows the sign-in only when it is known that no user is signed in`() {
        let tokens = Tokens(access: "a", refresh: "r")
        let phases: [(SessionState<Tokens>, SessionGate.Phase)] = [
            (.unknown, .restoring), (.restoring, .restoring), (.signedIn(tokens), .signedIn),
            (.expired(tokens), .signedIn),
            (.signedOut(.noAccount), .signedOut), (.signedOut(.user), .signedOut), (.signedOut(.issuer), .signedOut),
            (.unavailable(.storeLocked), .unavailable),
        ]
        for (state, phase) in phases { #expect(SessionGate(state).phase == phase) }
        #expect(SessionGate(SessionState<Tokens>.signedOut(.issuer)).controls.count == 1)
        #expect(SessionGate(SessionState<Tokens>.unavailable(.storeLocked)).controls.map(\.id) == [.failure, .retry])
    }

    @Test func `raises a step-up until the user dismisses it`() {
        let state = SessionState.signedIn(Tokens(access: "a", refresh: "r"))
        let (one, other) = (StepUpRequirement(maximumAge: .seconds(9)), StepUpRequirement(contextClasses: ["mfa"]))
        #expect(SessionGate(state, stepUp: one).stepUp == one)
        #expect(SessionGate(state, stepUp: one, dismissed: one).stepUp == nil)
        #expect(SessionGate(state, stepUp: other, dismissed: one).stepUp == other)
        #expect(SessionGate(SessionState<Tokens>.signedOut(.user), stepUp: one).stepUp == nil)
    }
}
