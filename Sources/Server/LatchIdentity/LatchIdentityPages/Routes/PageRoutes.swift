// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityStorage
package import LatchServer
import LatchSignIn
import LatchTexts

/// The pages of the links in emails, and the start page.
///
/// Opening a page changes nothing, since email scanners open every link. Only the button of its form makes the change.
/// The page of an invalid or expired link has no form. `/verify` without a link takes the code beside it.
package struct PageRoutes: Sendable {
    package let context: PageContext
    /// The URL of the app that pages link to.
    package let appURL: String?
    package let store: IdentityStore
    package let clock: WallClock
    package let limits: RateLimits
    package let accounts: AccountService
    package let mailRequests: MailRequestRoutes

    package init(
        context: PageContext, appURL: String?, store: IdentityStore, clock: WallClock, limits: RateLimits,
        accounts: AccountService, mailRequests: MailRequestRoutes
    ) {
        self.context = context
        self.appURL = appURL
        self.store = store
        self.clock = clock
        self.limits = limits
        self.accounts = accounts
        self.mailRequests = mailRequests
    }

    /// Whether the server has passwords.
    var hasPasswords: Bool { accounts.configuration.permits(.password) }

    /// Adds the pages, under the paths in emails.
    package func add(to router: inout Router) {
        router.group(interceptors: limits.pages(limiting: .other, in: context)) { others in
            others.get("/") { home(in: context.accepting($0)) }
            others.get("/verify", verifyPage)
            others.get("/confirm-change", changePage)
            others.get("/reset", resetPage)
        }
        router.group(interceptors: limits.pages(limiting: .link, in: context)) { links in
            links.post("/verify", verify)
            links.post("/confirm-change", confirmChange)
            links.post("/reset", reset)
        }
        mailRequests.add(to: &router)
    }

    /// The start page.
    ///
    /// It says what the server is, links to the next step, and reveals nothing useful to an attacker.
    private func home(in context: PageContext) -> HTTPResponse {
        let name = Phrase.Argument.text(context.serviceName)
        let reset = hasPasswords ? [("/forgot", Phrase("page.home.forgot"))] : []
        return HTMLPage(
            Phrase("page.home.title", name), text: Phrase("page.home.text", name),
            links: reset + [
                ("/device", Phrase("page.home.device")),
                ("/.well-known/openid-configuration", Phrase("page.home.metadata")),
            ],
            in: context
        ).response()
    }

    // MARK: Change of address

    /// Shows the form of a valid link.
    @Sendable private func changePage(_ request: HTTPRequest) async throws -> HTTPResponse {
        let context = context.accepting(request)
        let token = request.queryItems["token"] ?? ""
        let account = try await store.account(forOldAddressToken: token.digest, at: clock.now)
        guard let account, let address = try await store.requestedAddress(of: account.id) else {
            return Self.invalidChange(in: context)
        }
        return Self.changeForm(account, to: address, token: token, in: context).response()
    }

    /// Confirms or refuses a change of address at its old end.
    ///
    /// The request may come from an attacker who found the session open. So the page describes the change, and a reader
    /// who confirms it must enter the password (attack E9).
    @Sendable private func confirmChange(_ request: HTTPRequest) async throws -> HTTPResponse {
        let context = context.accepting(request)
        let form = try request.formFields()
        let token = try form.single("token") ?? ""
        let (password, isRefusal) = (try form.single("password") ?? "", try form.single("refuse") != nil)
        let account = try await store.account(forOldAddressToken: token.digest, at: clock.now)
        guard let account, let address = try await store.requestedAddress(of: account.id) else {
            return Self.invalidChange(in: context)
        }
        var isPending = true
        do throws(IdentityError) {
            if isRefusal {
                try await accounts.refuseEmailChange(token)
            } else {
                isPending = try await accounts.confirmEmailChange(
                    token, password: password, from: request.requestOrigin
                ).isChangePending
            }
        } catch {
            guard error != .invalidLink else { return Self.invalidChange(in: context) }
            request.note(error)
            let problem = try Self.problem(error)
            return Self.changeForm(account, to: address, token: token, problem: problem, in: context).response(
                after: error)
        }
        guard isRefusal else {
            return isPending
                ? donePage(Phrase("page.change.done.title"), text: Phrase("page.change.done.text"), in: context)
                : donePage(
                    Phrase("page.change.complete.title"), text: Phrase("page.verify.done.text"), in: context)
        }
        return HTMLPage(
            Phrase("page.change.refused.title"), text: Phrase("page.change.refused.text"),
            links: [("/forgot", Phrase("page.link.forgot"))], in: context
        ).response()
    }

    /// Returns the form, with the problem of the last attempt.
    private static func changeForm(
        _ account: Account, to address: EmailAddress, token: String, problem: Phrase? = nil, in context: PageContext
    ) -> HTMLPage {
        HTMLPage(
            Phrase("page.change.title"),
            text: Phrase("page.change.text", .text(account.label), .text(address.text)), problem: problem,
            invalidFields: ["password"], action: ("/confirm-change", Phrase("page.change.submit")), carrying: token,
            fields: [.hiddenUsername(account.label), .currentPassword(in: context)],
            refusal: Phrase("page.change.refuse"),
            in: context)
    }

    private static func invalidChange(in context: PageContext) -> HTTPResponse {
        invalidLink(Phrase("page.invalidLink.change"), links: [("/forgot", Phrase("page.link.forgot"))], in: context)
    }

    // MARK: Password

    /// Shows the form of a valid link.
    @Sendable private func resetPage(_ request: HTTPRequest) async throws -> HTTPResponse {
        let context = context.accepting(request)
        let token = request.queryItems["token"] ?? ""
        guard hasPasswords else { return context.failure(.signInWayOff) }
        guard let account = try await resetAccount(token) else { return Self.invalidReset(in: context) }
        return Self.resetForm(account, token: token, in: context).response()
    }

    /// Sets the password.
    ///
    /// After a rejected one, the form is shown again with the reason, and the token stays unused.
    @Sendable private func reset(_ request: HTTPRequest) async throws -> HTTPResponse {
        let context = context.accepting(request)
        let form = try request.formFields()
        let token = try form.single("token") ?? ""
        let password = try form.single("password") ?? ""
        guard hasPasswords else { return context.failure(.signInWayOff) }
        guard let account = try await resetAccount(token) else { return Self.invalidReset(in: context) }
        do throws(IdentityError) {
            try await accounts.resetPassword(token, password: password, from: request.requestOrigin)
        } catch {
            guard error != .invalidLink else { return Self.invalidReset(in: context) }
            request.note(error)
            let problem = try Self.problem(error)
            return Self.resetForm(account, token: token, problem: problem, in: context).response(after: error)
        }
        return donePage(Phrase("page.reset.done.title"), text: Phrase("page.reset.done.text"), in: context)
    }

    private func resetAccount(_ token: String) async throws(IdentityError) -> Account? {
        try await store.account(forToken: token.digest, purpose: .resetPassword, at: clock.now)
    }

    /// Returns the form, with the problem of the last attempt.
    private static func resetForm(_ account: Account, token: String, problem: Phrase? = nil, in context: PageContext)
        -> HTMLPage
    {
        HTMLPage(
            Phrase("page.reset.title"), text: Phrase("page.reset.text", .text(account.label)), problem: problem,
            invalidFields: ["password"], action: ("/reset", Phrase("page.reset.submit")), carrying: token,
            fields: HTMLField.newPassword(of: account.label, in: context), in: context)
    }

    private static func invalidReset(in context: PageContext) -> HTTPResponse {
        invalidLink(Phrase("page.invalidLink.text"), links: [("/forgot", Phrase("page.link.forgot"))], in: context)
    }

    /// Returns the text of an error after which the form is shown again, since its link remains valid.
    ///
    /// - Throws: Every other error.
    static func problem(_ error: IdentityError) throws(IdentityError) -> Phrase {
        guard error != .invalidCredentials else { return Phrase("page.password.wrong") }
        guard [.weakPassword, .tooManyAttempts, .overloaded].contains(error) else { throw error }
        return error.pageProblem
    }

    /// Returns the page of a success, which links to the configured app.
    func donePage(_ title: Phrase, text: Phrase, in context: PageContext) -> HTTPResponse {
        HTMLPage(
            title, text: text, links: [(AccountOverview.path, Phrase("page.account.title"))],
            appLink: appURL.map { ($0, Phrase("page.button.backToApp")) }, in: context
        ).response()
    }

    /// Returns the page for invalid links: used, expired, replaced and forged ones look the same.
    static func invalidLink(
        _ text: Phrase, links: [(url: String, label: Phrase)], in context: PageContext
    ) -> HTTPResponse {
        HTMLPage(Phrase("page.invalidLink.title"), text: text, links: links, in: context).response(status: .badRequest)
    }
}
