// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTexts
import LatchUI
import TestTags
import Testing

@testable import LaziOAuth

@MainActor @Suite struct LoginFormTests {
    private let backend = ScriptedBackend()
    private let model: AuthViewModel
    private let english = Texts(languages: ["en"])
    private let german = Texts(languages: ["de"])

    init() { model = AuthViewModel(service: backend.service()) }

    @Test(.tags(.signUp))
    func `The form of the login lets the system fill in stored passwords, and suggest new ones`() {
        expectEqual(model.fields, [.username, .password])
        expectEqual(model.fields.map(model.kind), [.username, .password])
        model.toggleMode()
        expectEqual(model.fields, [.username, .email, .password, .confirmPassword])
        expectEqual(model.fields.map(model.kind), [.username, .email, .newPassword, .newPassword])
    }

    @Test(.tags(.signUp))
    func `The form of the login goes on by the return key to the next empty field, and then sends`() {
        model.toggleMode()
        expectEqual(model.returnKey(in: .username), .focus(.email))
        model.username = "ada"
        model.email = "ada@"
        expectEqual(model.returnKey(in: .username), .focus(.password))
        model.password = "secret"
        model.confirmPassword = "secret"
        expectEqual(model.returnKey(in: .confirmPassword), .focus(.email))
        model.email = "ada@example.com"
        expectEqual(model.returnKey(in: .username), .submit)
        model.username = ""
        expectEqual(model.returnKey(in: .confirmPassword), .focus(.username))
    }

    @Test(.tags(.signUp))
    func `The form of the login has the texts of the original in English, and others in German`() {
        #expect(english(model.titlePhrase) == "Welcome Back" && model.screenTitle == "Welcome Back")
        expectEqual(german(model.titlePhrase), "Willkommen zurück")
        model.toggleMode()
        let labels = model.fields.map(model.label)
        expectEqual(labels.map { english($0) }, ["Username", "Email", "Password", "Confirm Password"])
        expectEqual(labels.map { german($0) }, ["Benutzername", "E-Mail", "Passwort", "Passwort bestätigen"])
        model.email = "ada@"
        expectEqual(model.emailError, "Please enter a valid email address.")
        expectEqual(model.problem(of: .email).map { german($0) }, "Bitte gib eine gültige E-Mail-Adresse ein.")
        expectEqual(english(model.scopeSelection.summaryPhrase), model.scopeSelection.summary)
    }

    @Test(.tags(.signUp))
    func `The form of the login shows an error in the user's language, and a server's in its words`() async {
        model.username = "ada"
        for (status, body, text) in [
            (HTTPStatus.unauthorized, #"{"detail":"Invalid credentials"}"#, "Invalid credentials"),
            (.unauthorized, "", "Die Anmeldung ist fehlgeschlagen. Bitte prüfe deine Zugangsdaten."),
        ] {
            backend.on("/oauth/token", status, body)
            model.password = "wrong"
            await model.submit()
            expectEqual(model.errorPhrase.map { german($0) }, text)
        }
        expectEqual(model.errorMessage, "Authentication failed. Please check your credentials.")
        backend.on("/oauth/token") { _ in throw HTTPError.offline }
        model.password = "secret"
        await model.submit()
        expectEqual(model.errorPhrase.map { german($0) }?.hasPrefix("Netzwerkfehler: Der Server ist nicht"), true)
        expectEqual(model.errorMessage, "Network error: The server could not be reached.")
        model.errorMessage = "own"
        expectEqual(model.errorPhrase, .verbatim("own"))
    }

    @Test(.tags(.scopeHierarchy), arguments: OAuthScope.allCases)
    func `The form of the login names every scope in both languages`(scope: OAuthScope) {
        expectEqual(scope.displayName, english(scope.namePhrase))
        expectEqual(scope.description, english(scope.descriptionPhrase))
        expectNotEqual(german(scope.descriptionPhrase), scope.description)
        expectNotEqual(german(scope.namePhrase), scope.displayName)
        expectEqual(english(OAuthScope.phrase(ofCategory: scope.category)), scope.category)
    }
}
