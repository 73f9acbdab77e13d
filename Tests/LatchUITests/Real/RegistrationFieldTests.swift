// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchCore
import LatchTexts
import LatchUI
import TestTags
import Testing

@testable import LatchIdentity

/// The app's own fields and its terms, from the form to the account at the real server.
@MainActor @Suite struct RegistrationFieldTests {
    private let email = RealServer.email
    private let password = RealServer.password

    private nonisolated static func ask(_ configuration: inout IdentityConfiguration) {
        configuration.signUpAttributes = ["company", "newsletter"]
        configuration.termsVersion = "2026-01"
    }

    private func options(terms version: String = "2026-01") throws -> RegistrationScreen.Options {
        var options = RegistrationScreen.Options()
        options.fields = [
            Field("company", .text, .verbatim("Company")),
            Field("newsletter", .checkbox, .verbatim("Send me news"), isRequired: false),
        ]
        options.terms = .init(
            version: version, url: try #require(URL(string: "https://example.com/terms")),
            privacyURL: URL(string: "https://example.com/privacy"))
        return options
    }

    private func app(_ server: RealServer, terms version: String = "2026-01") async throws -> AuthModel {
        let options = try options(terms: version)
        let auth = try server.app { $0.registration = options }
        await auth.restore()
        await auth.settled()
        await auth.use(press: .register)
        return auth
    }

    @Test
    func `An extended registration is sent once the box is checked, and is stored with the account`() async throws {
        try await RealServer.run(change: Self.ask) { server in
            let auth = try await app(server)
            guard let model = auth.screen?.model as? RegistrationModel else { return record(auth) }
            let shown = model.controls.map(\.id)
            expectEqual(
                shown.prefix(9),
                [
                    .title, .name, .email, .newPassword, "company", "newsletter", .terms, .privacyPolicy,
                    .acceptedTerms,
                ])
            expectEqual(model.control(.terms)?.url?.absoluteString, "https://example.com/terms")

            await auth.use([.email: email, .newPassword: password, "company": " Engines & Co "], press: .submit)
            #expect(model.focus == .acceptedTerms && model.outcome == nil)
            expectEqual(model.control(.acceptedTerms)?.problem, Phrase("field.checkbox.required"))
            expectEqual(model.announcement?.phrase, Phrase("field.checkbox.required"))
            expectEqual(server.requests(to: "/api/clients/register"), 0)

            model.send(.set(.acceptedTerms, true))
            #expect(model.control(.acceptedTerms)?.problem == nil && model.control(.acceptedTerms)?.isOn == true)
            model.send(.set("newsletter", true))
            await auth.use([.newPassword: password], press: .submit)
            guard auth.screen?.model is EmailVerificationModel else { return record(auth) }

            let client = try server.client()
            try await client.signIn(email: email, password: password)
            let account = try await client.profile()
            expectEqual(account.attributes, ["company": "Engines & Co", "newsletter": "true"])
            expectEqual(account.acceptedTerms, "2026-01")
            let stored = try #require(try await server.identity.administration.account(email: email))
            expectEqual(stored.acceptedTerms, AcceptedTerms(version: "2026-01", acceptedAt: stored.createdAt))
            #expect(stored.roles.isEmpty && stored.permissions.isEmpty)
        }
    }

    @Test func `An extended registration is refused at the box for other terms, and at its field for a long text`()
        async throws
    {
        try await RealServer.run(change: Self.ask) { server in
            let auth = try await app(server, terms: "2025-07")
            let model = try #require(auth.screen?.model)
            model.send(.set(.acceptedTerms, true))
            await auth.use([.email: email, .newPassword: password, "company": "Engines"], press: .submit)
            #expect(model.focus == .acceptedTerms && model.failure == nil)
            expectEqual(model.control(.acceptedTerms)?.problem, Phrase("failure.termsRequired"))

            let other = try await app(server)
            let form = try #require(other.screen?.model)
            form.send(.set(.acceptedTerms, true))
            let long = String(repeating: "x", count: 501)
            await other.use([.email: email, .newPassword: password, "company": long], press: .submit)
            #expect(form.focus == "company" && form.failure == nil)
            let problem = try #require(form.control("company")?.problem)
            #expect(Texts(languages: ["en"])(problem).contains("'company' must be text of up to 500 characters"))
            // The next attempt is as any first one.
            await other.use([.newPassword: password, "company": "Engines"], press: .submit)
            guard other.screen?.model is EmailVerificationModel else { return record(other) }
        }
    }

    @Test func `An extended registration has no field of a secret, and none in the place of another control`() throws {
        var options = try options()
        options.fields = [
            Field("pin", .password, .verbatim("PIN")), Field(.email, .text, .verbatim("Other address")),
            Field(.submit, .text, .verbatim("Submit")), Field("plan", .text, .verbatim("Plan")),
            Field("plan", .text, .verbatim("Plan once more")),
        ]
        let screen = RegistrationScreen(options: options)
        expectEqual(screen.fields.all.map(\.id), [.name, .email, .newPassword, "plan", .acceptedTerms])
        #expect(screen.fields[.email]?.kind == .email && screen.fields["plan"]?.label == .verbatim("Plan"))
    }

    @Test func `An extended registration is unchanged for an app that asks for nothing`() async throws {
        try await RealServer.run { server in
            let registration = RegistrationModel(try server.client())
            await registration.use([.email: email, .newPassword: password], press: .submit)
            expectEqual(registration.outcome, .registered(email: email))
            let stored = try #require(try await server.identity.administration.account(email: email))
            #expect(stored.attributes.isEmpty && stored.acceptedTerms == nil)
        }
    }

    private func record(_ auth: AuthModel) {
        Issue.record("another screen: \(String(describing: auth.screen?.model.failure))")
    }
}
