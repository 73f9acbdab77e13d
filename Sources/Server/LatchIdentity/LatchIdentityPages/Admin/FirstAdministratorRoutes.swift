// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityProvider
import LatchIdentityStorage
package import LatchServer
import LatchSignIn
import LatchTexts

/// The page of the one-time link that makes the first administrator.
package struct FirstAdministratorRoutes: Sendable {
    /// The path of the link.
    package static let path = "\(AdminRoutes.path)/first"

    package let limits: RateLimits
    package let service: FirstAdministratorService
    package let sessions: AccountSessions

    package init(limits: RateLimits, service: FirstAdministratorService, sessions: AccountSessions) {
        self.limits = limits
        self.service = service
        self.sessions = sessions
    }

    private var context: PageContext { sessions.signInPages.context }

    package func add(to router: inout Router) {
        router.group(interceptors: limits.pages(limiting: .link, in: context)) { pages in
            pages.get(Self.path) { request in
                try await answer(request) { () throws(IdentityError) in
                    let token = request.queryItems["token"] ?? ""
                    try await service.require(token)
                    return page(token, request)
                }
            }
            pages.post(Self.path, create)
        }
    }

    @Sendable private func create(_ request: HTTPRequest) async throws -> HTTPResponse {
        let fields = try request.formFields()
        let (token, password) = (try fields.single("token") ?? "", try fields.single("password") ?? "")
        let (email, name) = (try fields.single("email") ?? "", try fields.single("name") ?? "")
        return try await answer(request) { () throws(IdentityError) in
            let proof: AdmittedProof
            do throws(IdentityError) {
                proof = try await service.create(
                    token, email: email, password: password, name: name, from: request.requestOrigin)
            } catch {
                guard error != .invalidLink, error.form.isDisclosed else { throw error }
                request.note(error)
                return page(token, request, email: email, name: name, problem: error)
            }
            let (_, cookie) = try await sessions.pageSessions.begin(proof, in: request)
            // Without a password, the account page is where the user adds a way to sign in again.
            let next = service.takesPassword ? AdminRoutes.path : AccountOverview.path
            return .seeOther(context.url(next)).setting(cookie)
        }
    }

    private func answer(
        _ request: HTTPRequest, page: () async throws(IdentityError) -> HTTPResponse
    ) async throws(IdentityError) -> HTTPResponse {
        do throws(IdentityError) { return try await page() } catch {
            request.note(error)
            guard error == .invalidLink else { return context.accepting(request).failure(error) }
            return HTMLPage(
                Phrase("page.admin.first.ended"), text: Phrase("page.admin.first.ended.text"),
                links: [(AdminRoutes.path, Phrase("page.admin.title"))], in: context.accepting(request)
            ).response(after: error)
        }
    }

    private static func invalidFields(_ error: IdentityError) -> [String] {
        switch error {
        case .weakPassword: ["password"]
        case .invalidEmail, .alreadyExists: ["email"]
        case .invalidInput: ["name"]
        default: []
        }
    }

    private func page(
        _ token: String, _ request: HTTPRequest, email: String = "", name: String = "", problem: IdentityError? = nil
    ) -> HTTPResponse {
        let context = context.accepting(request)
        let texts = context.texts
        let page = HTMLPage(
            Phrase("page.admin.first.title"), text: Phrase("page.admin.first.text"),
            problem: problem.map { $0 == .alreadyExists ? Phrase("page.admin.first.taken") : $0.pageProblem },
            invalidFields: problem.map(Self.invalidFields) ?? [],
            action: (Self.path, Phrase("page.admin.first.submit")), carrying: token,
            fields: [.address(email.utf8.count > 254 ? "" : email, in: context)]
                + (service.takesPassword ? [.newPassword(in: context)] : []) + [
                    .personName(
                        label: texts(Phrase("page.field.personName")),
                        hint: texts(Phrase("page.field.personName.hint")), value: name.utf8.count > 200 ? "" : name)
                ], in: context)
        guard let problem else { return page.response() }
        return page.response(after: problem)
    }
}
