// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityProvider
import LatchIdentityStorage
package import LatchServer
import LatchSignIn
import LatchTexts

/// The device authorization endpoint (RFC 8628 §3.1), and the page for entering its codes.
package struct DeviceRoutes: Sendable {
    package let accessTokens: AccessTokenIssuer
    package let limits: RateLimits
    package let clientAuthentication: ClientAuthentication
    package let deviceAuthorizations: DeviceAuthorizationService
    package let pageSessions: PageSessionService
    package let signInPages: SignInPages

    package init(
        accessTokens: AccessTokenIssuer, limits: RateLimits,
        clientAuthentication: ClientAuthentication, deviceAuthorizations: DeviceAuthorizationService,
        pageSessions: PageSessionService, signInPages: SignInPages
    ) {
        self.accessTokens = accessTokens
        self.limits = limits
        self.clientAuthentication = clientAuthentication
        self.deviceAuthorizations = deviceAuthorizations
        self.pageSessions = pageSessions
        self.signInPages = signInPages
    }

    package func add(to router: inout Router) {
        let interceptors: [any Interceptor] = [
            RequestLimitInterceptor(limits: limits, request: .token, format: .oauth),
            IdentityErrorInterceptor(format: .oauth), QueryInterceptor(),
        ]
        router.group(interceptors: interceptors) { $0.post("/oauth/device_authorization", .authorizeDevice, begin) }
        router.group(interceptors: limits.pages(limiting: .page, in: signInPages.context)) { pages in
            pages.get("/device") { signInPages.userCode($0.queryItems["user_code"].flatMap(Self.shown) ?? "", $0) }
        }
        router.group(interceptors: limits.pages(limiting: .link, in: signInPages.context)) { $0.post("/device", enter) }
    }

    /// Begins the sign-in of a device.
    @Sendable private func begin(_ request: HTTPRequest) async throws -> HTTPResponse {
        let parameters = try OAuthParameters(form: request)
        let client = try await clientAuthentication.client(of: request, parameters)
        // A page could not name the server's own client to the user.
        guard client.grants.contains(.deviceCode), client.id != OAuthClient.firstPartyID else {
            throw IdentityError.unauthorizedClient
        }
        guard let issuer = accessTokens.issuer else { throw IdentityError.notReady }
        guard parameters["authorization_details"] == nil else {
            throw IdentityError.invalidAuthorizationDetails("a sign-in of another device has none")
        }
        let scopes = try Scopes(requested: parameters["scope"])
        let codes = try await deviceAuthorizations.begin(
            for: client, requesting: scopes, at: parameters.resources, from: request.requestOrigin)
        let page = "\(issuer.withoutFinalSlash)/device"
        return .json([
            "device_code": .string(codes.device), "user_code": .string(codes.user.text),
            "verification_uri": .string(page),
            "verification_uri_complete": .string("\(page)?user_code=\(codes.user.text)"),
            "expires_in": .integer(Int64(DeviceAuthorizationService.lifetime)),
            "interval": .integer(Int64(DeviceAuthorizationService.interval)),
        ])
    }

    /// Returns a link's code as it is displayed; nil for any other text.
    ///
    /// Opening the link does not use up the code.
    private static func shown(_ text: String) -> String? { UserCode(typed: text)?.text }

    /// Handles a typed code, or the decision on it.
    @Sendable private func enter(_ request: HTTPRequest) async throws -> HTTPResponse {
        let fields = try request.formFields()
        let token = try fields.single("token") ?? ""
        let typed = try fields.single("user_code") ?? ""
        let (isRefused, isOther) = (try fields.single("refuse") != nil, try fields.single("other") != nil)
        do {
            guard token.isEmpty else {
                let (form, isOwn) = try signInPages.form(in: fields, of: request)
                return try await decide(form, isOwn: isOwn, isRefused: isRefused, isOther: isOther, request)
            }
            try signInPages.requireOwnPage(request)
            let session = try await pageSessions.active(in: request)
            return try await decisionPage(typed, in: session, request)
        } catch let error as IdentityError {
            return request.page(of: error, in: signInPages.context)
        }
    }

    /// Returns the page for the decision on a code, or the sign-in page before it, since codes are looked up only for
    /// signed-in users.
    func decisionPage(
        _ typed: String, in session: ActivePageSession?, _ request: HTTPRequest, isNew: Bool = false
    ) async throws(IdentityError) -> HTTPResponse {
        do throws(IdentityError) {
            guard let code = UserCode(typed: typed) else { throw .invalidUserCode }
            guard let session else { return try signInPages.signIn(for: .device(userCode: code.letters), in: request) }
            let (record, client) = try await deviceAuthorizations.pending(code, in: session)
            let purpose = PageForm.Purpose.device(userCode: code.letters, ways: client.signInWays)
            do throws(IdentityError) {
                if try await deviceAuthorizations.mustStepUp(session, for: client) {
                    return try signInPages.signIn(
                        for: purpose, in: request,
                        problem: isNew ? PageContinuation.problem(of: session, for: client.signInWays) : nil)
                }
            } catch {
                guard error == .signInWayMissing else { throw error }
                request.note(error)
                return try signInPages.missingWay(for: purpose, in: request)
            }
            let scopes = try deviceAuthorizations.scopes(record, client, to: session.account)
            let (browser, cookie) = try signInPages.browser(of: request)
            return try signInPages.device(code, record, client, scopes, in: session, browser: browser, request)
                .setting(cookie)
        } catch {
            guard error == .invalidUserCode || error == .tooManyAttempts else { throw error }
            return signInPages.userCode(Self.shown(typed) ?? "", request, problem: error)
        }
    }

    /// Handles the decision of the user who was shown the page.
    private func decide(
        _ form: PageForm, isOwn: Bool, isRefused: Bool, isOther: Bool, _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        guard case .device(let letters, _) = form.purpose, let code = UserCode(typed: letters),
            case .decision(let device, let shown?) = form.step
        else { throw .loginEnded }
        let session = try await pageSessions.active(in: request)
        guard isOwn, !isOther, let session, session.device.publicID == device else {
            return try signInPages.signIn(for: form.purpose, in: request)
        }
        let (record, client) = try await deviceAuthorizations.pending(code, in: session)
        try await deviceAuthorizations.decide(
            record, of: client, granting: isRefused ? nil : Scopes(parsing: shown), in: session,
            from: request.requestOrigin)
        let (title, text) =
            isRefused
            ? (Phrase("page.device.refused.title"), Phrase("page.device.refused.text"))
            : (Phrase("page.device.done.title"), Phrase("page.device.done.text"))
        return HTMLPage(title, text: text, in: signInPages.context.accepting(request)).response()
    }
}
