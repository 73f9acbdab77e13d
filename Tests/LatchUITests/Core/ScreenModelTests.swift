// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchCore
import LatchHTTP
import LatchTesting
import LatchTexts
import LatchUI
import TestSupport
import Testing

@MainActor @Suite struct ScreenModelTests {
    private let clock = ManualClock()

    private func model(
        _ screen: SignInScreen = SignInScreen(),
        perform: @escaping @Sendable (SignInScreen.Request) async throws -> SignInScreen.Response
    ) -> SignInModel {
        SignInModel(screen, clock: clock.wallClock(), perform: perform)
    }

    private func fill(_ model: SignInModel) {
        model.send(.appear)
        model.edit(.email, " ada@example.com ")
        model.edit(.password, "hunter2-secret")
    }

    @Test func `A screen model performs a request once, and ends`() async {
        let gate = Gate()
        let model = model { request in
            guard case .signIn(let name, let password, _) = request else { throw HTTPError.offline }
            #expect(name == "ada@example.com" && password.value == "hunter2-secret")
            await gate.pass()
            return .signedIn
        }
        var outcomes: [SignInScreen.Outcome] = []
        model.onFinish = { outcomes.append($0) }
        fill(model)
        model.press(.submit)
        model.press(.submit)
        #expect(model.isBusy && !model.screen.fields.holdsSecret)
        await gate.reached()
        gate.open()
        await model.settled()
        #expect(outcomes == [.signedIn] && gate.arrivals == 1)
        expectEqual(model.outcome, .signedIn)
    }

    @Test func `A screen model shows and announces a failure, and puts the focus at the emptied password`() async {
        let model = model { _ in throw HTTPError.offline }
        fill(model)
        model.press(.submit)
        await model.settled()
        expectEqual(model.machine.failure?.reason, .offline)
        expectEqual(model.announcement?.phrase, ScreenFailure(.offline).phrase)
        expectEqual(model.focus, .password)
        #expect(model.control(.password)?.text.value == "" && model.control(.email)?.text.value == " ada@example.com ")
        model.edit(.password, "again")
        expectNil(model.control(.failure))
        model.press(.submit)
        await model.settled()
        // Each attempt has a beginning and an end.
        expectEqual(model.announcement?.number, 4)
    }

    @Test func `A screen model marks the invalid fields, and sends nothing`() async {
        let model = model { _ in throw CancellationError() }
        model.send(.appear)
        expectEqual(model.focus, .email)
        model.edit(.email, "ada")
        model.press(.submit)
        #expect(!model.isBusy && model.focus == .email)
        expectEqual(model.control(.email)?.problem, Phrase("field.email.invalid"))
        expectEqual(model.announcement?.phrase, Phrase("field.email.invalid"))
        model.edit(.email, "ada@example.com")
        model.press(.submit)
        #expect(model.focus == .password && model.announcement?.number == 2)
    }

    @Test func `A screen model takes the answer of a request that was canceled too late`() async {
        let gate = Gate()
        let model = model { _ in
            await gate.pass()
            return .signedIn
        }
        fill(model)
        model.press(.submit)
        await gate.reached()
        model.press(.cancel)
        #expect(!model.isBusy && model.machine.failure == nil)
        // Another attempt waits for it, and is not made.
        model.edit(.password, "hunter2-secret")
        model.press(.submit)
        gate.open()
        await model.settled()
        #expect(model.outcome == .signedIn && gate.arrivals == 1)
    }

    @Test func `A screen model sends again after a cancellation`() async {
        let begun = Gate()
        begun.open()
        let model = model { request in
            if begun.arrivals > 0 { return .signedIn }
            await begun.pass()
            try await untilCancelled()
            return .signedIn
        }
        fill(model)
        model.press(.submit)
        await begun.reached()
        model.press(.cancel)
        await model.settled()
        #expect(model.outcome == nil && model.machine.failure == nil)
        model.edit(.password, "hunter2-secret")
        model.press(.submit)
        await model.settled()
        expectEqual(model.outcome, .signedIn)
    }

    @Test func `A screen model reports the outcome of a request that ends after its view and its owner`() async {
        let gate = Gate()
        let (outcomes, report) = AsyncStream<SignInScreen.Outcome>.makeStream()
        var model: SignInModel? = model { _ in
            await gate.pass()
            return .signedIn
        }
        model?.onFinish = { report.yield($0) }
        if let model { fill(model) }
        model?.press(.submit)
        await gate.reached()
        model?.send(.disappear)
        model = nil
        gate.open()
        for await outcome in outcomes {
            expectEqual(outcome, .signedIn)
            break
        }
    }

    @Test func `A screen model keeps a password that is half typed while another window shows it`() {
        let model = model { _ in .signedIn }
        let (first, second) = (UUID(), UUID())
        model.appear(in: first)
        model.edit(.password, "hunter2-sec")
        model.send(.focus(.password))
        model.appear(in: second)
        expectEqual(model.focus, .password)
        model.disappear(from: second)
        expectEqual(model.control(.password)?.text.value, "hunter2-sec")
        model.disappear(from: first)
        expectEqual(model.control(.password)?.text.value, "")
    }

    @Test func `A screen model locks the button for the server's time`() async throws {
        let model = model { _ in throw AccountError(code: "tooManyAttempts", message: "", retryAfter: .seconds(30)) }
        fill(model)
        model.press(.submit)
        await model.settled()
        expectEqual(model.control(.submit)?.isEnabled, false)
        expectEqual(model.control(.failure)?.label, Phrase("failure.locked.seconds", .count(30)))
        model.edit(.password, "x")
        model.press(.submit)
        #expect(!model.isBusy)
        _ = await clock.sleepers(atLeast: 1)
        clock.advance(by: 31)
        try await eventually { model.control(.submit)?.isEnabled == true }
        expectNil(model.control(.failure))
        expectEqual(model.announcement?.phrase, Phrase("failure.locked.over"))
    }

    @Test func `A screen model locks the button only for the address that had too many attempts`() async throws {
        let model = model { request in
            guard case .signIn("bob@example.com", _, _) = request else {
                throw AccountError(code: "tooManyAttempts", message: "", retryAfter: .seconds(900))
            }
            return .signedIn
        }
        fill(model)
        model.press(.submit)
        await model.settled()
        expectEqual(model.control(.submit)?.isEnabled, false)
        model.edit(.email, "bob@example.com")
        #expect(model.control(.submit)?.isEnabled == true && model.control(.failure) == nil)
        model.edit(.email, "Ada@example.com")
        expectEqual(model.control(.submit)?.isEnabled, false)
        expectEqual(model.control(.failure)?.label, Phrase("failure.locked.minutes", .count(15)))
        model.edit(.email, "bob@example.com")
        model.edit(.password, "hunter2-secret")
        model.press(.submit)
        await model.settled()
        expectEqual(model.outcome, .signedIn)
    }

    @Test func `A screen model shows the server's message about a member at its field`() async {
        let model = RegistrationModel(RegistrationScreen()) { _ in
            throw AccountError(
                code: "refused", message: "", serverMessage: "The name is too long.", serverCode: "invalidInput",
                field: "name")
        }
        model.edit(.email, "ada@example.com")
        model.edit(.newPassword, "hunter2-secret")
        model.press(.submit)
        await model.settled()
        expectEqual(model.control(.name)?.problem, Phrase("failure.refused.message", .text("The name is too long.")))
        #expect(model.machine.failure == nil && model.focus == .name)
        expectEqual(model.announcement?.phrase, model.control(.name)?.problem)
    }

    @Test func `A screen model returns to the password when the challenge expires`() async throws {
        let expiry = clock.wallClock().now.addingTimeInterval(300)
        let model = model { _ in .challenged(SignInChallenge(token: "lc1.x", expiryDate: expiry)) }
        fill(model)
        model.press(.submit)
        await model.settled()
        expectEqual(model.focus, .code)
        _ = await clock.sleepers(atLeast: 1)
        clock.advance(by: 301)
        try await eventually { model.screen.step == .credentials }
        expectEqual(model.machine.failure?.reason, .expired)
        expectEqual(model.control(.email)?.text.value, "ada@example.com")
    }
}
