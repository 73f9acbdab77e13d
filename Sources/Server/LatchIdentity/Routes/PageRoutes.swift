// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchServer
import LatchSignIn

/// The pages of the links in mails, and the start page.
///
/// Opening a page changes nothing, since mail scanners open every link; only the button of its form does.
struct PageRoutes: Sendable {
    let accounts: AccountService

    /// Adds the pages, under the paths in mails.
    func add(to router: inout Router) {
        router.group(interceptors: accounts.dependencies.pages(limiting: .other)) { others in
            others.get("/") { _ in Self.start }
            others.get("/verify", verifyPage)
            others.get("/confirm-change", changePage)
            others.get("/reset", resetPage)
        }
        router.group(interceptors: accounts.dependencies.pages(limiting: .link)) { links in
            links.post("/verify", verify)
            links.post("/confirm-change", confirmChange)
            links.post("/reset", reset)
        }
    }

    /// The start page, which reveals nothing that an attacker could use.
    private static let start = HTMLPage(
        "This is an auth server",
        text: "It keeps the accounts of apps, which talk to it themselves: there is nothing to do on this page."
    ).response()

    /// Shows the form without checking the token.
    @Sendable private func verifyPage(_ request: HTTPRequest) async throws -> HTTPResponse {
        Self.verifyForm(token: request.queryItems["token"]).response()
    }

    /// Verifies the address of the form's token; a second request finds the link used.
    ///
    /// Reading the mail does not show who chose the account's password: a stranger may have signed up with the address. So
    /// the reader enters that password, or replaces it (attack E8).
    @Sendable private func verify(_ request: HTTPRequest) async throws -> HTTPResponse {
        let form = try request.formFields()
        let token = try form.single("token") ?? ""
        let password = try form.single("password") ?? ""
        let newPassword = try form.single("new_password") ?? ""
        guard password.isEmpty != newPassword.isEmpty else {
            return Self.verifyForm(token: token, problem: "Fill in one of the fields.").response(status: .badRequest)
        }
        do throws(IdentityError) {
            if newPassword.isEmpty {
                try await accounts.verifyEmail(token, password: password, from: request.requestOrigin)
            } else {
                try await accounts.verifyEmail(token, settingPassword: newPassword, from: request.requestOrigin)
            }
        } catch {
            guard error != .invalidLink else { return Self.invalidLink }
            guard [.weakPassword, .invalidCredentials].contains(error) else { throw error }
            let problem = error == .weakPassword ? error.message : "The password is wrong."
            return Self.verifyForm(token: token, problem: problem).response(status: .badRequest)
        }
        return HTMLPage("The e-mail address is verified", text: "You can close this page, and log in.").response()
    }

    /// Returns the form, with the problem of the last attempt.
    private static func verifyForm(token: String?, problem: String? = nil) -> HTMLPage {
        HTMLPage(
            "Verify your e-mail address",
            text: """
                Enter the password of the account to confirm that this address is yours. If you did not sign up, or do not \
                know the password, choose a new one instead: then nobody else can use the account.
                """,
            problem: problem, action: ("/verify", "Verify"), carrying: token, fields: HTMLPage.passwordOrNew)
    }

    /// Shows the form without checking the token.
    @Sendable private func changePage(_ request: HTTPRequest) async throws -> HTTPResponse {
        Self.changeForm(token: request.queryItems["token"]).response()
    }

    /// Confirms or refuses a change of address at its old end.
    ///
    /// Whoever requested it may have found the session open. So the page says what it is about, and the reader who confirms
    /// enters the password (attack E9).
    @Sendable private func confirmChange(_ request: HTTPRequest) async throws -> HTTPResponse {
        let form = try request.formFields()
        let token = try form.single("token") ?? ""
        let (password, isRefusal) = (try form.single("password") ?? "", try form.single("refuse") != nil)
        do throws(IdentityError) {
            if isRefusal {
                try await accounts.refuseEmailChange(token)
            } else {
                try await accounts.confirmEmailChange(token, password: password, from: request.requestOrigin)
            }
        } catch {
            guard error != .invalidLink else { return Self.invalidLink }
            guard error == .invalidCredentials else { throw error }
            return Self.changeForm(token: token, problem: "The password is wrong.").response(status: .badRequest)
        }
        guard isRefusal else {
            return HTMLPage(
                "The change is confirmed",
                text: "The account has its new address once that is confirmed as well, by the mail sent there."
            ).response()
        }
        return HTMLPage(
            "The change is refused",
            text: "Your address stays as it is, and all devices are signed out. Now choose a new password, in your app."
        ).response()
    }

    /// Returns the form, with the problem of the last attempt.
    private static func changeForm(token: String?, problem: String? = nil) -> HTMLPage {
        HTMLPage(
            "Change the address of your account?",
            text: """
                Someone who is signed in to your account wants to give it another e-mail address. Only if that was you, \
                enter your password to confirm it.
                """,
            problem: problem, action: ("/confirm-change", "Change the address"), carrying: token,
            fields: HTMLPage.password, refusal: "This was not me")
    }

    /// Shows the form without checking the token.
    @Sendable private func resetPage(_ request: HTTPRequest) async throws -> HTTPResponse {
        Self.resetForm(token: request.queryItems["token"]).response()
    }

    /// Sets the password; a rejected one shows the form again with the reason and leaves the token unused.
    @Sendable private func reset(_ request: HTTPRequest) async throws -> HTTPResponse {
        let form = try request.formFields()
        let token = try form.single("token") ?? ""
        do {
            try await accounts.resetPassword(
                token, password: try form.single("password") ?? "", from: request.requestOrigin)
        } catch IdentityError.invalidLink {
            return Self.invalidLink
        } catch let error as IdentityError where error == .weakPassword {
            return Self.resetForm(token: token, problem: error.message).response(status: .badRequest)
        }
        return HTMLPage("The password is set", text: "Log in with it. All other devices are signed out.").response()
    }

    /// Returns the form, with the problem of the last attempt.
    private static func resetForm(token: String?, problem: String? = nil) -> HTMLPage {
        HTMLPage(
            "Choose a new password", text: "At least 8 characters. All devices are signed out by it.", problem: problem,
            action: ("/reset", "Set password"), carrying: token, fields: HTMLPage.newPassword)
    }

    /// The page for used, expired, replaced and forged links alike.
    private static let invalidLink = HTMLPage(
        "The link is not valid, or no longer", text: "Request a new one."
    ).response(status: .badRequest)
}
