// SPDX-License-Identifier: Apache-2.0

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
        #expect(model.fields == [.username, .password])
        #expect(model.fields.map(model.kind) == [.username, .password])
        model.toggleMode()
        #expect(model.fields == [.username, .email, .password, .confirmPassword])
        #expect(model.fields.map(model.kind) == [.username, .email, .newPassword, .newPassword])
    }

    @Test(.tags(.signUp))
    func `The form of the login goes on by the return key to the next empty field, and then sends`() {
        model.toggleMode()
        #expect(model.returnKey(in: .username) == .focus(.email))
        model.username = "ada"
        model.email = "ada@"
        #expect(model.returnKey(in: .username) == .focus(.password))
        model.password = "secret"
        model.confirmPassword = "secret"
        #expect(model.returnKey(in: .confirmPassword) == .focus(.email))
        model.email = "ada@example.com"
        #expect(model.returnKey(in: .username) == .submit)
        model.username = ""
        #expect(model.returnKey(in: .confirmPassword) == .focus(.username))
    }

    @Test(.tags(.signUp))
    func `The form of the login has the texts of the original in English, and others in German`() {
        #expect(english(model.titlePhrase) == "Welcome Back" && model.screenTitle == "Welcome Back")
        #expect(german(model.titlePhrase) == "Willkommen zurück")
        model.toggleMode()
        let labels = model.fields.map(model.label)
        #expect(labels.map { english($0) } == ["Username", "Email", "Password", "Confirm Password"])
        #expect(labels.map { german($0) } == ["Benutzername", "E-Mail", "Passwort", "Passwort bestätigen"])
        model.email = "ada@"
        #expect(model.emailError == "Please enter a valid email address.")
        #expect(model.problem(of: .email).map { german($0) } == "Bitte gib eine gültige E-Mail-Adresse ein.")
        #expect(english(model.scopeSelection.summaryPhrase) == model.scopeSelection.summary)
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
            #expect(model.errorPhrase.map { german($0) } == text)
        }
        #expect(model.errorMessage == "Authentication failed. Please check your credentials.")
        backend.on("/oauth/token") { _ in throw HTTPError.offline }
        model.password = "secret"
        await model.submit()
        #expect(model.errorPhrase.map { german($0) }?.hasPrefix("Netzwerkfehler: Der Server ist nicht") == true)
        #expect(model.errorMessage == "Network error: The server could not be reached.")
        model.errorMessage = "own"
        #expect(model.errorPhrase == .verbatim("own"))
    }

    @Test(.tags(.scopeHierarchy), arguments: OAuthScope.allCases)
    func `The form of the login names every scope in both languages`(scope: OAuthScope) {
        #expect(scope.displayName == english(scope.namePhrase))
        #expect(scope.description == english(scope.descriptionPhrase))
        #expect(german(scope.descriptionPhrase) != scope.description)
        #expect(german(scope.namePhrase) != scope.displayName)
        #expect(english(OAuthScope.phrase(ofCategory: scope.category)) == scope.category)
    }
}
