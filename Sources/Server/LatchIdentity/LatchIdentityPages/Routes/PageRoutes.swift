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
/// The page of an invalid or expired link has no form.
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

    /// Adds the pages, under the paths in emails.
    package func add(to router: inout Router) {
        router.group(interceptors: limits.pages(limiting: .other, in: context)) { others in
            others.get("/") { Self.home(in: context.accepting($0)) }
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
    private static func home(in context: PageContext) -> HTTPResponse {
        let name = Phrase.Argument.text(context.serviceName)
        return HTMLPage(
            Phrase("page.home.title", name), text: Phrase("page.home.text", name),
            links: [
                ("/forgot", Phrase("page.home.forgot")), ("/device", Phrase("page.home.device")),
                ("/.well-known/openid-configuration", Phrase("page.home.metadata")),
            ],
            in: context
        ).response()
    }

    // MARK: Verification

    /// The address that the link of an email verifies.
    private enum Verification {
        /// The address of an account, whose password the reader may know or replace.
        case signUp(Account, token: String)
        /// The new address of an account.
        case change(Account, token: String)
    }

    /// Returns the address that a token verifies, without using the token up; nil if it is not valid.
    private func verification(_ token: String) async throws(IdentityError) -> Verification? {
        let (digest, now) = (token.digest, clock.now)
        if let account = try await store.account(forToken: digest, purpose: .verifyEmail, at: now) {
            return .signUp(account, token: token)
        }
        let account = try await store.account(forVerificationToken: digest, at: now)
        return account.map { .change($0, token: token) }
    }

    /// Shows the form of a valid link.
    ///
    /// With `new`, it asks for a new password instead of the account's.
    @Sendable private func verifyPage(_ request: HTTPRequest) async throws -> HTTPResponse {
        let context = context.accepting(request)
        let query = request.queryItems
        guard let found = try await verification(query["token"] ?? "") else {
            return Self.invalidVerification(in: context)
        }
        return Self.verifyForm(found, choosesNew: query["new"] != nil, in: context).response()
    }

    /// Verifies the address of the form's token.
    ///
    /// A second request finds the link used.
    ///
    /// Reading the email does not prove who chose the account's password, since a stranger may have signed up with the
    /// address. So the reader enters that password, or replaces it (attack E8).
    @Sendable private func verify(_ request: HTTPRequest) async throws -> HTTPResponse {
        let context = context.accepting(request)
        let form = try request.formFields()
        let token = try form.single("token") ?? ""
        let password = try form.single("password") ?? ""
        let newPassword = try form.single("new_password") ?? ""
        guard let found = try await verification(token) else { return Self.invalidVerification(in: context) }
        let choosesNew = try form.single("new_password") != nil && password.isEmpty
        guard password.isEmpty != newPassword.isEmpty else {
            return Self.verifyForm(found, choosesNew: choosesNew, problem: Phrase("page.password.missing"), in: context)
                .response(status: .badRequest)
        }
        var isPending = false
        do throws(IdentityError) {
            if newPassword.isEmpty {
                isPending = try await accounts.verifyEmail(token, password: password, from: request.requestOrigin)
                    .isChangePending
            } else {
                try await accounts.verifyEmail(token, settingPassword: newPassword, from: request.requestOrigin)
            }
        } catch {
            guard error != .invalidLink else { return Self.invalidVerification(in: context) }
            request.note(error)
            let problem = try Self.problem(error)
            return Self.verifyForm(found, choosesNew: choosesNew, problem: problem, in: context).response(after: error)
        }
        return donePage(
            Phrase("page.verify.done.title"),
            text: isPending ? Phrase("page.verify.pending.text") : Phrase("page.verify.done.text"), in: context)
    }

    /// Returns the form, with the problem of the last attempt.
    ///
    /// It asks for one password.
    private static func verifyForm(
        _ verification: Verification, choosesNew: Bool, problem: Phrase? = nil, in context: PageContext
    ) -> HTMLPage {
        switch verification {
        case .change(let account, let token):
            return HTMLPage(
                Phrase("page.verify.change.title"),
                text: Phrase("page.verify.change.text", .text(account.email.text)), problem: problem,
                invalidFields: ["password"], action: ("/verify", Phrase("page.verify.submit")), carrying: token,
                fields: [.hiddenUsername(account.email.text), .currentPassword(in: context)], in: context)
        case .signUp(let account, let token):
            let page = "/verify?token=\(PercentEncoding.encode(token.utf8))"
            let email = Phrase.Argument.text(account.email.text)
            // An account that was created by a sign-in through a provider has no password to enter.
            guard choosesNew || account.passwordHash == nil else {
                return HTMLPage(
                    Phrase("page.verify.title"), text: Phrase("page.verify.text", email), problem: problem,
                    invalidFields: ["password"], action: ("/verify", Phrase("page.verify.submit")), carrying: token,
                    fields: [.hiddenUsername(account.email.text), .currentPassword(in: context)],
                    links: [("\(page)&new=yes", Phrase("page.verify.stranger"))], in: context)
            }
            return HTMLPage(
                Phrase("page.verify.title"), text: Phrase("page.verify.new.text", email), problem: problem,
                invalidFields: ["new_password"], action: ("/verify", Phrase("page.verify.new.submit")),
                carrying: token, fields: HTMLField.newPassword("new_password", of: account.email, in: context),
                links: account.passwordHash == nil ? [] : [(page, Phrase("page.verify.known"))], in: context)
        }
    }

    private static func invalidVerification(in context: PageContext) -> HTTPResponse {
        invalidLink(
            Phrase("page.invalidLink.text"),
            links: [("/resend", Phrase("page.link.verify")), ("/forgot", Phrase("page.link.forgot"))], in: context)
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
            text: Phrase("page.change.text", .text(account.email.text), .text(address.text)), problem: problem,
            invalidFields: ["password"], action: ("/confirm-change", Phrase("page.change.submit")), carrying: token,
            fields: [.hiddenUsername(account.email.text), .currentPassword(in: context)],
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
            Phrase("page.reset.title"), text: Phrase("page.reset.text", .text(account.email.text)), problem: problem,
            invalidFields: ["password"], action: ("/reset", Phrase("page.reset.submit")), carrying: token,
            fields: HTMLField.newPassword(of: account.email, in: context), in: context)
    }

    private static func invalidReset(in context: PageContext) -> HTTPResponse {
        invalidLink(Phrase("page.invalidLink.text"), links: [("/forgot", Phrase("page.link.forgot"))], in: context)
    }

    /// Returns the text of an error after which the form is shown again, since its link remains valid.
    ///
    /// - Throws: Every other error.
    private static func problem(_ error: IdentityError) throws(IdentityError) -> Phrase {
        guard error != .invalidCredentials else { return Phrase("page.password.wrong") }
        guard [.weakPassword, .tooManyAttempts, .overloaded].contains(error) else { throw error }
        return error.pageProblem
    }

    /// Returns the page of a success, which links to the configured app.
    private func donePage(_ title: Phrase, text: Phrase, in context: PageContext) -> HTTPResponse {
        HTMLPage(
            title, text: text, links: [(AccountOverview.path, Phrase("page.account.title"))],
            appLink: appURL.map { ($0, Phrase("page.button.backToApp")) }, in: context
        ).response()
    }

    /// Returns the page for invalid links: used, expired, replaced and forged ones look the same.
    private static func invalidLink(
        _ text: Phrase, links: [(url: String, label: Phrase)], in context: PageContext
    ) -> HTTPResponse {
        HTMLPage(Phrase("page.invalidLink.title"), text: text, links: links, in: context).response(status: .badRequest)
    }
}
