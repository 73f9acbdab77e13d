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
        #expect(machine.activity == .idle && machine.receive(.response(.signedIn)).isEmpty)
    }

    @Test func `cancels the request and forgets the password when the screen is left`() {
        var machine = filled
        _ = machine.receive(.input(.press(.submit)))
        #expect(machine.receive(.input(.disappear)) == [.cancel])
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
