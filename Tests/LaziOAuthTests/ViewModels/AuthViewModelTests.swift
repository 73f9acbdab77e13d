// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchServer
import LatchUI
import LaziOAuth
import TestTags
import Testing

@MainActor
@Suite struct AuthViewModelTests {
    let backend = ScriptedBackend()

    private var model: AuthViewModel { AuthViewModel(service: backend.service()) }

    private func filled(_ model: AuthViewModel) -> AuthViewModel {
        model.username = " ada\n"
        model.email = " ada@example.com "
        model.password = "secret"
        model.confirmPassword = "secret"
        return model
    }

    @Test(.tags(.signUp))
    func `The login screen's model has the texts of its mode, and errors only once text was typed`() {
        let model = model
        expectEqual([model.screenTitle, model.submitTitle, model.toggleTitle], ["Welcome Back", "Sign In", "Sign Up"])
        #expect(model.emailError == nil && model.confirmationError == nil)
        model.toggleMode()
        #expect(model.screenTitle == "Create Account" && model.submitTitle == "Create Account")
        model.email = "ada@"
        model.password = "one"
        model.confirmPassword = "two"
        #expect(model.emailError != nil && model.confirmationError != nil)
        #expect(filled(model).emailError == nil && model.confirmationError == nil)
    }

    @Test(.tags(.scopeSelection)) func `The login screen's model selects a scope by a switch, any number of times`() {
        let model = model
        for isOn in [true, true, false, false, true] {
            model.scopeSelection[isSelected: .filesDelete] = isOn
            expectEqual(model.scopeSelection.contains(.filesDelete), isOn)
        }
        expectEqual(model.scopeSelection.summary, "6 selected")
    }

    @Test(.tags(.signUp), arguments: [true, false])
    func `The login screen's model sends the form of its mode`(isLogin: Bool) async {
        backend.on("/auth/signup", 201, "{}")
        backend.on("/oauth/token", .ok, ScriptedBackend.answer("a0", refresh: "r0"))
        let model = model
        if !isLogin { model.toggleMode() }
        await filled(model).submit()
        expectNil(model.errorMessage)
        expectEqual(backend.requests(to: "/oauth/token").count, 1)
        expectEqual(backend.requests(to: "/auth/signup").isEmpty, isLogin)
    }

    @Test(
        .tags(.signUp),
        arguments: [
            ("ada", "p", true), ("", "p", false), ("  \n", "p", false), ("ada", "", false), ("ada", " ", true),
        ])
    func `The login screen's model allows no login without a name and a password`(
        name: String, password: String, isValid: Bool
    ) {
        let model = model
        model.username = name
        model.password = password
        expectEqual(model.isFormValid, isValid)
    }

    @Test(
        .tags(.signUp),
        arguments: [
            ("ada@example.com", true), (" ada@example.com\t", true), ("a.b+c@sub.example.co.uk", true),
            ("o'brien@example.ie", true), ("a@b.co", true), ("", false), ("ada", false), ("ada@", false),
            ("@example.com", false), ("ada@example", false), ("ada@@example.com", false), ("ada@example.c", false),
            ("ada@.com", false), ("ada@example..com", false), ("ada@-example.com", false), ("a da@example.com", false),
            ("ada@example.com.", false), (".ada@example.com", false), ("ada..b@example.com", false),
            ("ada@exam_ple.com", false), ("ada@example.123", false), ("a\u{0}@example.com", false),
            ("\(String(repeating: "a", count: 65))@example.com", false),
            ("ada@\(String(repeating: "a", count: 64)).com", false),
            ("ada@example.\(String(repeating: "a", count: 64))", false),
        ])
    func `The login screen's model takes an address that looks like one`(email: String, isValid: Bool) {
        let model = filled(model)
        model.isLoginMode = false
        model.email = email
        expectEqual(model.isEmailValid, isValid)
        expectEqual(model.isFormValid, isValid)
    }

    @Test(.tags(.signUp)) func `The login screen's model requires the password twice alike only for a new account`() {
        let model = filled(model)
        model.confirmPassword = "Secret"
        #expect(!model.passwordsMatch)
        #expect(model.isFormValid)
        model.isLoginMode = false
        #expect(!model.isFormValid)
        model.confirmPassword = "secret"
        #expect(model.passwordsMatch)
        #expect(model.isFormValid)
        model.password = ""
        model.confirmPassword = ""
        #expect(!model.isFormValid)
    }

    @Test(.tags(.signUp)) func `The login screen's model sends nothing of an invalid form`() async {
        let model = model
        await model.login()
        model.isLoginMode = false
        await model.signup()
        #expect(backend.requests.isEmpty)
        #expect(!model.showError)
    }

    @Test(.tags(.signUp))
    func `The login screen's model signs in with the typed name, without surrounding spaces`() async throws {
        backend.on("/oauth/token", .ok, ScriptedBackend.answer("a", refresh: "r"))
        let model = filled(model)
        await model.login()
        let form = try #require(backend.requests.first).formFields()
        expectEqual(form["username"], "ada")
        expectEqual(form["password"], "secret")
        expectEqual(form["scope"], "widgets:read widgets:write projects:read projects:write files:read")
        #expect(!model.showError)
        #expect(!model.isLoading)
        #expect(model.password.isEmpty && model.confirmPassword.isEmpty)
    }

    @Test(.tags(.signUp)) func `The login screen's model makes an account and signs in`() async throws {
        backend.on("/auth/signup", .created, "{}")
        backend.on("/oauth/token", .ok, ScriptedBackend.answer("a", refresh: "r"))
        let model = filled(model)
        model.isLoginMode = false
        await model.signup()
        expectEqual(backend.requests.map(\.path), ["/auth/signup", "/oauth/token"])
        let content = try JSONValue(parsing: try #require(backend.requests.first).body.bytes)
        expectEqual(content, ["username": "ada", "email": "ada@example.com", "password": "secret"])
        #expect(model.password.isEmpty && model.confirmPassword.isEmpty)
    }

    @Test(.tags(.signUp)) func `The login screen's model shows the failure, and keeps no password`() async {
        backend.on("/oauth/token", .unauthorized, #"{"detail":"Invalid credentials"}"#)
        let model = filled(model)
        await model.login()
        expectEqual(model.errorMessage, "Invalid credentials")
        #expect(model.showError)
        #expect(model.password.isEmpty && model.confirmPassword.isEmpty)
        expectEqual(model.username, " ada\n")
        backend.on("/oauth/token") { _ in throw HTTPError.offline }
        model.password = "secret"
        await model.login()
        expectEqual(model.errorMessage, "Network error: The server could not be reached.")
        model.password = "secret"
        backend.on("/oauth/token", .ok, ScriptedBackend.answer("a", refresh: "r"))
        await model.login()
        expectNil(model.errorMessage)
        #expect(!model.showError)
    }

    @Test(.tags(.signUp)) func `The login screen's model changes its mode and forgets the fields of the other`() async {
        let model = filled(model)
        model.errorMessage = "x"
        model.showError = true
        model.selectedScopes = [.filesRead]
        model.toggleMode()
        #expect(!model.isLoginMode)
        #expect(model.email.isEmpty && model.password.isEmpty && model.confirmPassword.isEmpty)
        expectNil(model.errorMessage)
        #expect(!model.showError)
        expectEqual(model.username, " ada\n")
        expectEqual(model.selectedScopes, [.filesRead])
        model.toggleMode()
        #expect(model.isLoginMode)
    }

    @Test func `The login screen's model sends one request at a time`() async {
        let (asked, tell) = AsyncStream.makeStream(of: Void.self)
        let (release, go) = AsyncStream.makeStream(of: Void.self)
        backend.on("/oauth/token") { _ in
            tell.finish()
            for await _ in release {}
            return HTTPResponse(status: .ok, body: HTTPBody(ScriptedBackend.answer("a", refresh: "r")))
        }
        let model = filled(model)
        let first = Task { await model.login() }
        for await _ in asked {}
        #expect(model.isLoading)
        await model.login()
        go.finish()
        await first.value
        expectEqual(backend.requests.count, 1)
        #expect(!model.isLoading)
    }
}

@MainActor
@Suite struct ScopeSelectionTests {
    @Test(.tags(.scopeSelection)) func `A selection of scopes begins with the five that the app usually needs`() {
        let model = AuthViewModel(service: ScriptedBackend().service())
        expectEqual(model.selectedScopes, [.widgetsRead, .widgetsWrite, .projectsRead, .projectsWrite, .filesRead])
        expectEqual(model.scopeSelection.count, 5)
        expectEqual(model.scopeSelection.summary, "5 selected")
        #expect(!model.scopeSelection.isExpanded)
    }

    @Test(.tags(.scopeSelection)) func `A selection of scopes is toggled and counted`() {
        var selection = ScopeSelection()
        selection.toggle(.filesRead)
        selection.toggle(.widgetsAdmin)
        selection.toggle(.widgetsDelete)
        expectEqual(selection.summary, "6 selected")
        #expect(selection.contains(.widgetsAdmin))
        #expect(!selection.contains(.filesRead))
        selection.toggle(.widgetsAdmin)
        expectEqual(selection.count, 5)
        expectEqual(ScopeSelection(selected: []).summary, "0 selected")
    }

    @Test(.tags(.scopeSelection)) func `A selection of scopes is shown by category, and requested in one order`() {
        let selection = ScopeSelection(selected: [.filesWrite, .widgetsDelete, .projectsRead])
        expectEqual(selection.groups.map(\.category), ["Widgets", "Projects", "Files"])
        expectEqual(selection.groups.map { $0.scopes.count }, [4, 4, 3])
        expectEqual(selection.groups.flatMap(\.scopes), OAuthScope.allCases)
        expectEqual(selection.ordered, [.widgetsDelete, .projectsRead, .filesWrite])
    }
}
