// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchTesting
import LatchTexts
import LatchUI
import Synchronization
import Testing

@testable import LatchIdentity

/// A person who presses, types, waits, leaves and comes back in any order, with a network that delays and loses answers.
@MainActor @Suite struct WanderingPersonTests {
    @Test(arguments: 0..<24)
    func `A person who does anything always sees the next step, and signs in at the end`(seed: UInt64) async throws {
        try await RealServer.run { server in
            let person = WanderingPerson(server, try await server.signedUp(), seed: seed)
            for _ in 0..<60 { try await person.act() }
            try await person.signIn()
            try await expectEqual(person.auth.client.profile().email, RealServer.email, "\(person.history)")
        }
    }
}

/// A person with a seed.
@MainActor
private final class WanderingPerson {
    static let newPassword = "a very long sentence"

    let server: RealServer
    private(set) var auth: AuthModel
    /// What was done so far, for the message of a failure.
    private(set) var history: [String] = []
    private var random: SplitMix64
    /// The screens that the app stores for its next start.
    private var stored = Data()
    private var gate: Gate?
    /// The secret of the authenticator app, once a screen has shown one.
    private var secret: String?

    init(_ server: RealServer, _ auth: AuthModel, seed: UInt64) {
        (self.server, self.auth, random) = (server, auth, SplitMix64(state: seed))
    }

    /// Does one thing, and checks what is shown after it.
    func act() async throws {
        switch Int.random(in: 0..<24, using: &random) {
        case 0..<7: type()
        case 7..<14: press()
        case 14: note("network") { server.isOffline.withLock { $0.toggle() } }
        case 15: note("loss") { server.lose("") }
        case 16: hold()
        case 17: wait()
        case 18: try await openMail()
        case 19: note("activate") { auth.activate() }
        case 20: note("dismiss") { auth.isPresented = false }
        case 21: try await restart()
        case 22:
            note("menu") {
                auth.menu?.press([.profile, .devices, .accounts].randomElement(using: &random) ?? .profile)
            }
        default: try await settle()
        }
        // The tasks of the models go on a bit, or not.
        for _ in 0..<Int.random(in: 0..<4, using: &random) { await Task.yield() }
        if Int.random(in: 0..<3, using: &random) == 0 { try await settle() }
    }

    private func note(_ name: String, _ body: () -> Void) {
        history.append(name)
        body()
    }

    private func type() {
        let fields = auth.screen?.model.controls.filter { if case .field = $0.kind { $0.isEnabled } else { false } }
        guard let field = fields?.randomElement(using: &random) else { return }
        var texts = ["", "ada", RealServer.email, " ADA@example.com ", RealServer.password, Self.newPassword]
        if let secret { texts.append(server.code(of: secret)) }
        let text = texts.randomElement(using: &random) ?? ""
        note("type \(field.id.name) '\(text)'") { auth.screen?.model.edit(field.id, text) }
    }

    private func press() {
        let controls = auth.screen?.model.controls.flatMap { [$0] + $0.actions } ?? []
        if let shown = controls.first(where: { $0.id == .secret })?.text.value, !shown.isEmpty { secret = shown }
        // The account stays, so that its owner can sign in at the end.
        let buttons = controls.filter { control in
            guard case .button = control.kind else { return false }
            return control.isEnabled && control.id != .confirmDeletion && control.id != .delete
        }
        guard let button = buttons.randomElement(using: &random) else { return }
        note("press \(button.id.name)") { auth.screen?.model.press(button.id) }
    }

    /// Holds the answers back from now on.
    private func hold() {
        guard gate == nil else { return }
        note("hold") { gate = server.hold("") }
    }

    private func release() {
        gate?.open()
        gate = nil
        server.gates.withLock { $0 = [:] }
    }

    private func wait() {
        let seconds = [5, 40, 400, 1_000].randomElement(using: &random) ?? 5
        note("wait \(seconds)") { server.clock.advance(by: .seconds(seconds)) }
    }

    private func openMail() async throws {
        guard server.mailer.messages.contains(where: { $0.text.contains("token=") }) else { return }
        let url = try await server.mailedURL()
        note("open mail") { #expect(auth.open(url)) }
    }

    /// The system ends the app, with all that it has not stored, and the person starts it again.
    private func restart() async throws {
        try await settle()
        history.append("restart")
        auth = try server.app()
        await auth.restore()
        await auth.settled()
        stored = auth.exchangePath(stored)
        try check()
    }

    /// Lets everything arrive, and checks what is shown.
    private func settle() async throws {
        history.append("settle")
        release()
        await auth.settled()
        try check()
    }

    /// What a person must always find; the first time that it is missing ends the test.
    private func check() throws {
        stored = auth.exchangePath(stored)
        let path = String(decoding: stored, as: UTF8.self)
        try #require(!path.contains(RealServer.password) && !path.contains(Self.newPassword), "\(path) \(history)")
        try #require(auth.gate.phase == .signedIn || auth.gate.phase == .signedOut, "\(auth.gate.phase) \(history)")
        guard let screen = auth.screen else {
            try #require(auth.isSignedIn && auth.account != nil, "nothing is shown after \(history)")
            return
        }
        let isUsable = screen.model.controls.flatMap { [$0] + $0.actions }.contains { control in
            if case .button = control.kind { control.isEnabled } else { false }
        }
        try #require(isUsable, "no button after \(history)")
    }

    /// Signs in as a person does who has forgotten the password, whatever is on the screen.
    func signIn() async throws {
        server.isOffline.withLock { $0 = false }
        server.losses.withLock { $0 = [] }
        try await settle()
        // All limits and locks are over.
        server.clock.advance(by: .seconds(7_200))
        auth.activate()
        await auth.settled()
        _ = try? await auth.client.profile()
        for _ in 0..<20 {
            await auth.settled()
            if auth.isSignedIn { return }
            try await goOn()
        }
        Issue.record("cannot sign in: \(auth.path) \(auth.screen?.model.controls.map(\.id) ?? []) \(history)")
    }

    private func goOn() async throws {
        history.append("go on")
        switch auth.screen?.model {
        case let model as SignInModel:
            if model.control(.code) != nil, let secret {
                await auth.use([.code: server.code(of: secret)], press: .submit)
            } else {
                await auth.use(press: .forgotPassword)
            }
        case let model as PasswordResetModel:
            switch model.screen.step {
            case .address: await auth.use([.email: RealServer.email], press: .submit)
            case .waiting:
                auth.open(try await server.mailedURL())
                await auth.settled()
            case .password: await auth.use([.newPassword: Self.newPassword], press: .submit)
            case .done: await auth.use(press: .done)
            }
        case is AccountSwitcherModel:
            await auth.use(press: .addAccount)
        case is RegistrationModel: await auth.use(press: .signIn)
        case let model as EmailVerificationModel:
            await auth.use(press: model.control(.cancel) != nil ? .cancel : .done)
        default: await auth.use(press: .cancel)
        }
    }
}
