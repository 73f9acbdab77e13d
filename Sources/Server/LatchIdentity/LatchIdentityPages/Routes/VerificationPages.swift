// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchIdentityAccounts
import LatchIdentityProvider
import LatchIdentityStorage
import LatchServer
import LatchSignIn
import LatchTexts

/// The page that verifies an address: by the link of an email, or by the code beside it.
///
/// After the code, the page is that of the link. Its form carries the token's digest encrypted, since the store keeps no
/// token, and neither is in a URL.
extension PageRoutes {
    /// The address that a mailed token verifies.
    private struct Verification {
        let account: Account
        /// Whether it is the new address of the account, rather than the one that it signed up with.
        let isChange: Bool
        /// The digest of the token.
        let token: [UInt8]
        /// The text that the form carries: the token of a link, or the encrypted form after a code.
        let carried: String
    }

    private var signInPages: SignInPages { mailRequests.signInPages }

    /// Returns the address that a token verifies, without using the token up; nil if it is not valid.
    private func verification(_ token: [UInt8], carrying text: String) async throws(IdentityError) -> Verification? {
        let now = clock.now
        if let account = try await store.account(forToken: token, purpose: .verifyEmail, at: now) {
            return Verification(account: account, isChange: false, token: token, carried: text)
        }
        let account = try await store.account(forVerificationToken: token, at: now)
        return account.map { Verification(account: $0, isChange: true, token: token, carried: text) }
    }

    /// Returns the address that the form of a request verifies: that of its link, or of the code that was checked.
    private func verification(_ form: FormFields, _ request: HTTPRequest) async throws -> Verification? {
        let text = try form.single("token") ?? ""
        if let found = try await verification(text.digest, carrying: text) { return found }
        do {
            let (page, isOwn) = try signInPages.form(in: form, of: request)
            guard isOwn, case .verification(let token) = page.step else { return nil }
            return try await verification(token, carrying: text)
        } catch let error as IdentityError {
            guard error == .loginEnded else { throw error }
            return nil
        }
    }

    /// Shows the form of a valid link; without a link, the form for the code.
    @Sendable func verifyPage(_ request: HTTPRequest) async throws -> HTTPResponse {
        let context = context.accepting(request)
        guard let token = request.queryItems["token"] else { return Self.codeForm(in: context).response() }
        guard let found = try await verification(token.digest, carrying: token) else {
            return Self.invalidVerification(in: context)
        }
        guard hasPasswords || !found.isChange else { return context.failure(.signInWayOff) }
        return verifyForm(found, choosesNew: false, in: context).response()
    }

    /// Verifies the address of the form's token, or checks a typed code.
    ///
    /// A second request finds the link used.
    ///
    /// Reading the email does not prove who chose the account's password, since a stranger may have signed up with the
    /// address. So the reader enters that password, or replaces it (attack E8).
    @Sendable func verify(_ request: HTTPRequest) async throws -> HTTPResponse {
        let context = context.accepting(request)
        let form = try request.formFields()
        let (wantsNew, knows) = (try form.single("new") != nil, try form.single("known") != nil)
        let password = try form.single("password") ?? ""
        let newPassword = try form.single("new_password") ?? ""
        guard try form.single("token") != nil else { return try await checkCode(form, request) }
        guard let found = try await verification(form, request) else { return Self.invalidVerification(in: context) }
        guard !wantsNew, !knows else { return verifyForm(found, choosesNew: wantsNew, in: context).response() }
        guard hasPasswords || found.isChange else {
            return try await verifyWithoutPassword(found, request, in: context)
        }
        let choosesNew = try form.single("new_password") != nil && password.isEmpty
        guard password.isEmpty != newPassword.isEmpty else {
            return verifyForm(found, choosesNew: choosesNew, problem: Phrase("page.password.missing"), in: context)
                .response(status: .badRequest)
        }
        var isPending = false
        do throws(IdentityError) {
            if newPassword.isEmpty {
                isPending = try await accounts.verifyEmail(
                    found.token, password: password, from: request.requestOrigin
                ).isChangePending
            } else {
                try await accounts.verifyEmail(found.token, settingPassword: newPassword, from: request.requestOrigin)
            }
        } catch {
            guard error != .invalidLink else { return Self.invalidVerification(in: context) }
            request.note(error)
            let problem = try Self.problem(error)
            return verifyForm(found, choosesNew: choosesNew, problem: problem, in: context).response(after: error)
        }
        return donePage(
            Phrase("page.verify.done.title"),
            text: isPending ? Phrase("page.verify.pending.text") : Phrase("page.verify.done.text"), in: context)
    }

    /// Verifies the address on a server without passwords, which ends what another user may have set.
    private func verifyWithoutPassword(
        _ found: Verification, _ request: HTTPRequest, in context: PageContext
    ) async throws(IdentityError) -> HTTPResponse {
        do throws(IdentityError) {
            try await accounts.verifyEmail(byEmail: found.token, from: request.requestOrigin)
        } catch {
            guard error == .invalidLink else { throw error }
            return Self.invalidVerification(in: context)
        }
        return donePage(Phrase("page.verify.done.title"), text: Phrase("page.verify.done.text"), in: context)
    }

    /// Checks the code of an address, and returns the page of its link.
    ///
    /// A wrong code has the same page for every address (attack E2).
    private func checkCode(_ form: FormFields, _ request: HTTPRequest) async throws -> HTTPResponse {
        let context = context.accepting(request)
        let (typed, code) = (try form.single("email") ?? "", try form.single("code") ?? "")
        do throws(IdentityError) {
            try signInPages.requireOwnPage(request)
            let token = try await accounts.verificationToken(
                code, sentTo: try EmailAddress(typed), from: request.requestOrigin)
            let (browser, cookie) = try signInPages.browser(of: request)
            let sealed = try signInPages.seal(
                .visit(path: AccountOverview.path), .verification(token: token), browser: browser)
            guard let found = try await verification(token, carrying: sealed) else { throw .invalidMailedCode }
            return verifyForm(found, choosesNew: false, in: context).response().setting(cookie)
        } catch {
            guard error.form.isDisclosed else { throw error }
            request.note(error)
            return Self.codeForm(typed: typed, problem: error, in: context).response(after: error)
        }
    }

    /// Returns the form for the code, with the problem of the last attempt.
    private static func codeForm(
        typed: String = "", problem: IdentityError? = nil, in context: PageContext
    ) -> HTMLPage {
        HTMLPage(
            Phrase("page.verify.title"), text: Phrase("page.verify.code.text"), problem: problem?.pageProblem,
            invalidFields: [problem == .invalidEmail ? "email" : "code"],
            action: ("/verify", Phrase("page.button.continue")),
            fields: [.address(typed.utf8.count > 254 ? "" : typed, in: context), .mailedCode(in: context)],
            links: [("/resend", Phrase("page.link.verify"))], in: context)
    }

    /// Returns the form, with the problem of the last attempt.
    ///
    /// It asks for one password.
    private func verifyForm(
        _ found: Verification, choosesNew: Bool, problem: Phrase? = nil, in context: PageContext
    ) -> HTMLPage {
        let (account, email) = (found.account, Phrase.Argument.text(found.account.label))
        guard !found.isChange else {
            return HTMLPage(
                Phrase("page.verify.change.title"), text: Phrase("page.verify.change.text", email), problem: problem,
                invalidFields: ["password"], action: ("/verify", Phrase("page.verify.submit")),
                carrying: found.carried, fields: [.hiddenUsername(account.label), .currentPassword(in: context)],
                in: context)
        }
        guard hasPasswords else {
            return HTMLPage(
                Phrase("page.verify.title"), text: Phrase("page.verify.email.text", email), problem: problem,
                action: ("/verify", Phrase("page.verify.submit")), carrying: found.carried, in: context)
        }
        // An account that was created by a sign-in through a provider has no password to enter.
        guard choosesNew || account.passwordHash == nil else {
            return HTMLPage(
                Phrase("page.verify.title"), text: Phrase("page.verify.text", email), problem: problem,
                invalidFields: ["password"], action: ("/verify", Phrase("page.verify.submit")),
                carrying: found.carried, fields: [.hiddenUsername(account.label), .currentPassword(in: context)],
                others: [.init("new", Phrase("page.verify.stranger"), isQuiet: true)], in: context)
        }
        return HTMLPage(
            Phrase("page.verify.title"), text: Phrase("page.verify.new.text", email), problem: problem,
            invalidFields: ["new_password"], action: ("/verify", Phrase("page.verify.new.submit")),
            carrying: found.carried, fields: HTMLField.newPassword("new_password", of: account.label, in: context),
            others: account.passwordHash == nil ? [] : [.init("known", Phrase("page.verify.known"), isQuiet: true)],
            in: context)
    }

    private static func invalidVerification(in context: PageContext) -> HTTPResponse {
        invalidLink(
            Phrase("page.invalidLink.text"),
            links: [("/resend", Phrase("page.link.verify")), ("/forgot", Phrase("page.link.forgot"))], in: context)
    }
}
