// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchServer

/// The two pages that links in mails open, and one for whoever opens the server's own address.
///
/// Opening one changes nothing: scanners of mails open every link. What happens, happens when a person presses the button.
struct PageRoutes: Sendable {
    private let accounts: Accounts

    init(_ parts: IdentityParts) { accounts = Accounts(parts: parts) }

    /// Pages for people without an app, under the paths that mails name.
    func add(to router: inout Router) {
        router.get("/") { _ in Self.start }
        router.get("/verify", verifyPage)
        router.post("/verify", verify)
        router.get("/reset", resetPage)
        router.post("/reset", reset)
    }

    /// Says what answers here, and nothing about it that a stranger could use.
    private static let start = Page(
        "This is an auth server",
        words: "It keeps the accounts of apps, which talk to it themselves: there is nothing to do on this page."
    ).response()

    /// Shows the form without looking at the token: the page says the same for a right one and a wrong one.
    @Sendable private func verifyPage(_ request: HTTPRequest) async throws -> HTTPResponse {
        Page(
            "Verify your e-mail address", words: "One press, and this address is known to be yours.",
            action: "/verify", carrying: request.queryItems["token"], button: "Verify"
        ).response()
    }

    /// What the button sends.
    ///
    /// A second press meets a used link and is told so.
    @Sendable private func verify(_ request: HTTPRequest) async throws -> HTTPResponse {
        do {
            try await accounts.verifyEmail(try request.formFields().single("token") ?? "")
        } catch IdentityError.invalidLink {
            return Self.invalidLink
        }
        return Page("The e-mail address is verified", words: "You can close this page.").response()
    }

    /// Shows the form without looking at the token.
    @Sendable private func resetPage(_ request: HTTPRequest) async throws -> HTTPResponse {
        Self.resetForm(token: request.queryItems["token"]).response()
    }

    /// A password that is refused shows the form again with the reason; the token is not used up by that.
    @Sendable private func reset(_ request: HTTPRequest) async throws -> HTTPResponse {
        let form = try request.formFields()
        let token = try form.single("token") ?? ""
        do {
            try await accounts.resetPassword(token, password: try form.single("password") ?? "")
        } catch IdentityError.invalidLink {
            return Self.invalidLink
        } catch let error as IdentityError where error.code == IdentityError.weakPassword.code {
            return Self.resetForm(token: token, wrong: error.message).response(status: .badRequest)
        }
        return Page(
            "The password is set", words: "Log in with it. All other devices are signed out."
        ).response()
    }

    /// The form, with what was wrong about the last attempt.
    private static func resetForm(token: String?, wrong: String? = nil) -> Page {
        Page(
            "Choose a new password", words: "At least 8 characters. All devices are signed out by it.", wrong: wrong,
            action: "/reset", carrying: token, fields: Page.newPassword, button: "Set password")
    }

    /// The same page for used, ended, replaced and invented links.
    private static let invalidLink = Page(
        "The link is not valid, or no longer", words: "Ask for a new one."
    ).response(status: .badRequest)
}
