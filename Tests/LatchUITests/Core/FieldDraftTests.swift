// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchUI
import Testing

@testable import struct LatchUI.FieldDraft

@MainActor @Suite struct FieldDraftTests {
    private func control(_ model: SignInModel) throws -> Control { try #require(model.control(.password)) }

    private func typed(_ model: SignInModel) throws -> FieldDraft {
        var draft = FieldDraft()
        model.edit(.email, "ada@example.com")
        model.edit(.password, "a long sentence")
        draft.type("a long sentence")
        model.press(.submit)
        #expect(try control(model).text.value.isEmpty && !control(model).isEnabled)
        draft.follow(try control(model))
        return draft
    }

    @Test func `The system's field of a password keeps it until the sign-in has succeeded`() async throws {
        let model = SignInModel(SignInScreen()) { _ in .signedIn }
        var draft = try typed(model)
        #expect(draft.text == "a long sentence" && !String(reflecting: draft).contains("sentence"))
        await model.settled()
        model.send(.disappear)
        draft.follow(try control(model))
        expectEqual(draft.text, "a long sentence")
    }

    @Test func `The system's field of a password loses it with the first failure, or a cancellation`() async throws {
        let model = SignInModel(SignInScreen()) { _ in throw ScreenFailure(.offline) }
        var draft = try typed(model)
        await model.settled()
        draft.follow(try control(model))
        #expect(draft.text.isEmpty)
        draft = try typed(model)
        model.press(.cancel)
        draft.follow(try control(model))
        #expect(draft.text.isEmpty)
        await model.settled()
    }
}
