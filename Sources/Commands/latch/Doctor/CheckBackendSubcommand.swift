// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE

/// `latch check-backend`: tries the routes of AuthPackage's backend contract, and prints the parameters that an app
/// needs.
enum CheckBackendSubcommand {
    private static let account = Option.value(
        "account", "EMAIL", short: "a", "an account that exists (a new one with an invented address)")
    private static let passwordStdin = Option.flag("password-stdin", "reads the account's password from standard input")
    private static let provider = Option.value(
        "provider", "NAME", "the provider to try: microsoft, google or facebook (microsoft)")
    private static let scheme = Option.value("scheme", "NAME", "the app's redirectScheme (authdemo)")

    static let subcommand = Subcommand(
        name: "check-backend", summary: "tries a backend of AuthPackage's contract",
        discussion: """
            Signs up, signs in, refreshes, signs out, requests a password reset, and begins a sign-in with
            a provider. Without '--account' it creates an account at example.com, and does not delete it:
            use a test server. With '--account' it sends one wrong password, and the user gets a reset
            mail. Exit 1 if an app of AuthPackage cannot work with the backend. A warning does not stop
            the app.
            """,
        options: [
            account, passwordStdin, provider, scheme, IssuerTransport.authorities,
            .json("one JSON object with all findings"),
        ],
        arguments: [.init(name: "URL", summary: "the base URL of the app's configuration")],
        examples: [
            "latch check-backend http://localhost:3000": "with a new account",
            "latch check-backend https://api.example.com --account a@b.com --password-stdin < password":
                "with an account that exists",
        ],
        body: { invocation, environment in
            let text = invocation.arguments[0]
            guard let url = URL(encodingOnce: text), let origin = HTTPOrigin(url) else {
                throw CommandError.usage("'\(text)' is not the URL of a backend.", hint: "Write http://localhost:3000.")
            }
            let provider = invocation[provider] ?? "microsoft"
            guard ["microsoft", "google", "facebook"].contains(provider) else {
                throw CommandError.usage(
                    "'\(provider)' is not a provider of AuthPackage.", hint: "Write microsoft, google or facebook.")
            }
            let isLocal = InsecureHTTP.loopbackOnly.allows(origin)
            let account: BackendCheck.Account
            if let email = invocation[Self.account] {
                guard isLocal else {
                    throw CommandError.usage(
                        "The password of \(email) would cross the network without encryption.",
                        hint: "Write an https URL, or leave out '--account'.")
                }
                guard invocation.has(passwordStdin) else {
                    throw CommandError.usage(
                        "The password of \(email) is missing.", hint: "Pipe it in, with '--password-stdin'.")
                }
                account = .init(email: email, password: try await SecretInput.piped("password", environment))
            } else {
                account = .invented()
            }
            let check = BackendCheck(
                client: Client(
                    baseURL: url, transport: try IssuerTransport.transport(of: invocation, environment.variables),
                    allowingInsecureHTTP: .anyHostWithoutEncryption, redirects: .none, timeout: .seconds(10)),
                url: text, allowsInsecureHTTP: !isLocal, account: account, isNew: invocation[Self.account] == nil,
                provider: provider, scheme: invocation[scheme] ?? "authdemo")
            let (found, settings) = try await check.run()
            let isFine = found.allSatisfy(\.isFine)
            let advice = "\nAuthConfiguration(\n  " + settings.joined(separator: ",\n  ") + "\n)"
            environment.write(
                found.text(environment.style(of: environment.output)) + (isFine ? advice : ""),
                orJSON: [
                    "fine": .bool(isFine), "findings": .array(found.map(\.json)),
                    "settings": .array(settings.map { .string($0) }),
                ], for: invocation)
            return isFine ? .success : .failure
        })
}

/// The requests of AuthPackage's contract in sequence, and the meaning of their responses for an app.
private struct BackendCheck {
    struct Account {
        let email: String
        let password: String

        /// Returns an account with an address that belongs to no user (RFC 2606 §3).
        static func invented() -> Account {
            Account(
                email: "latch-check-\(UInt64.random(in: .min ... .max))@example.com",
                password: "Latch-1!\(Base64URL.encode(RandomSource.system.bytes(12)))")
        }
    }

    let client: Client
    /// The base URL as the user wrote it.
    let url: String
    /// Whether the app has to allow plain http.
    let allowsInsecureHTTP: Bool
    let account: Account
    let isNew: Bool
    let provider: String
    let scheme: String

    /// Runs all checks, even after one has failed, and returns the parameters of the app's `AuthConfiguration`.
    ///
    /// - Throws: `HTTPError` if no server answers at the URL.
    func run() async throws -> (found: [Diagnosis], settings: [String]) {
        _ = try await client.respond(to: client.request(.head, ""))
        var settings = ["baseURL: URL(string: \"\(url)\")!"]
        var found: [Diagnosis] = []
        if isNew { found.append(await check("register", register)) }
        let signedIn = await signIn()
        found.append(signedIn.found)
        found.append(await check("wrong password", wrongPassword))
        if let tokens = signedIn.tokens {
            var newest = tokens
            if tokens.refresh != nil || tokens.cookie != nil {
                let refreshed = await refresh(tokens)
                found.append(refreshed.found)
                newest = refreshed.tokens
            }
            found.append(await check("logout") { try await logout(newest) })
        }
        found.append(await check("forgot password", forgottenPassword))
        found.append(await check("reset password", reset))
        let page = await providerPage()
        found.append(page.found)
        if page.isThere {
            settings.append("redirectScheme: \"\(scheme)\"")
            settings.append("\(provider)Enabled: true")
        }
        if allowsInsecureHTTP { settings.append("allowingInsecureHTTP: .anyHostWithoutEncryption") }
        return (found, settings)
    }

    private func check(_ subject: String, _ body: () async throws -> Diagnosis) async -> Diagnosis {
        do { return try await body() } catch { return .wrong(subject, error) }
    }

    /// A response with its JSON object, and a summary of it for a contract violation.
    private struct Answer {
        let response: HTTPResponse
        let json: JSONObject

        var status: Int { response.status.rawValue }
        var message: String? { (json["message"] ?? json["error"])?.stringValue }

        /// The refresh cookie in the form that a client sends; nil if the response sets none.
        var cookie: String? {
            response.fields.values(of: .setCookie).first { $0.utf8.starts(with: "refreshToken=".utf8) }
                .map { String($0.unicodeScalars.prefix { $0 != ";" }) }
        }

        /// The response in one phrase for a diagnosis; never a token.
        var summary: String { message.map { "\(status), \"\($0)\"" } ?? "\(status)" }

        func text(_ name: String) -> String? { json[name]?.stringValue.flatMap { $0.isEmpty ? nil : $0 } }
    }

    private func post(_ path: String, _ content: JSONObject, cookie: String? = nil) async throws -> Answer {
        var request = try client.request(
            .post, RoutePath(path), fields: [.contentType: "application/json", .accept: "application/json"],
            body: HTTPBody(JSONValue.object(content).serialized()))
        request.fields[.cookie] = cookie
        let response = try await client.respond(to: request)
        return Answer(
            response: response, json: (try? JSONValue(parsing: response.body.bytesWithoutMark))?.objectValue ?? [:])
    }

    // MARK: The account

    private func register() async throws -> Diagnosis {
        let answer = try await post(
            "api/clients/register",
            ["email": .string(account.email), "password": .string(account.password), "name": "Latch"])
        guard answer.response.status.isSuccess, answer.text("id") != nil, answer.text("email") == account.email else {
            return .wrong(
                "register", "POST /api/clients/register answered \(answer.summary).",
                hint: "The contract is 201 with { id, email, name?, roles? }; with '--account' no account is made.")
        }
        return .fine("register", "\(answer.status), the account \(account.email) is there")
    }

    private struct SignedIn {
        let access: String
        var refresh: String?
        var cookie: String?

        /// The content and the cookie of a request with the refresh token; uses the content if both are possible.
        var sent: (content: JSONObject, cookie: String?) {
            refresh.map { (["refreshToken": .string($0)], nil) } ?? ([:], cookie)
        }
    }

    private func signIn() async -> (found: Diagnosis, tokens: SignedIn?) {
        do {
            let answer = try await post(
                "api/auth/clients/login", ["email": .string(account.email), "password": .string(account.password)])
            guard answer.status == 200, let access = answer.text("accessToken") else {
                return (
                    .wrong(
                        "login", "POST /api/auth/clients/login answered \(answer.summary).",
                        hint: "The contract is 200 with { accessToken, refreshToken }."), nil
                )
            }
            let tokens = SignedIn(access: access, refresh: answer.text("refreshToken"), cookie: answer.cookie)
            guard tokens.refresh != nil || tokens.cookie != nil else {
                return (
                    .warning(
                        "login", "200 without a refresh token, in content or cookie",
                        hint: "The user signs in again whenever the access token expires."), tokens
                )
            }
            return (login(tokens), tokens)
        } catch {
            return (.wrong("login", error), nil)
        }
    }

    private func login(_ tokens: SignedIn) -> Diagnosis {
        let place =
            tokens.refresh == nil ? "as a cookie" : tokens.cookie == nil ? "in the content" : "in content and cookie"
        guard let token = try? JWT(unverified: tokens.access) else {
            return .warning(
                "login", "200, refresh token \(place); the access token is not a JWT",
                hint: "'login' returns nil and 'currentUser' is nil; requests work.")
        }
        guard token.claims.expiry != nil else {
            return .warning(
                "login", "200, refresh token \(place); the access token has no expiry ('exp')",
                hint: "It is refreshed when the backend refuses it, and not before.")
        }
        return .fine("login", "200, a JWT with its expiry; refresh token \(place)")
    }

    private func wrongPassword() async throws -> Diagnosis {
        let answer = try await post(
            "api/auth/clients/login", ["email": .string(account.email), "password": "not the password"])
        switch answer.status {
        case 401: return .fine("wrong password", "401: the app receives APIError.unauthorized")
        case 400..<500 where ![404, 405, 415].contains(answer.status):
            let message = answer.message == nil ? "" : ", with the message"
            return .fine(
                "wrong password", "\(answer.summary): the app receives APIError.server(status:message:)\(message)")
        default:
            return .wrong(
                "wrong password", "POST /api/auth/clients/login answered \(answer.summary).",
                hint: "A wrong password is 400 or 401.")
        }
    }

    private func refresh(_ tokens: SignedIn) async -> (found: Diagnosis, tokens: SignedIn) {
        do {
            let (content, cookie) = tokens.sent
            let answer = try await post("api/auth/refresh-token", content, cookie: cookie)
            guard answer.status == 200, answer.text("accessToken") != nil else {
                return (
                    .wrong(
                        "refresh", "POST /api/auth/refresh-token answered \(answer.summary).",
                        hint:
                            "The contract is 200 with { accessToken }, for { refreshToken } in the content or the cookie."
                    ),
                    tokens
                )
            }
            var next = tokens
            if tokens.refresh != nil { next.refresh = answer.text("refreshToken") ?? tokens.refresh }
            next.cookie = answer.cookie ?? tokens.cookie
            let isRotated = tokens.refresh == nil ? next.cookie != tokens.cookie : next.refresh != tokens.refresh
            return (
                .fine(
                    "refresh",
                    isRotated
                        ? "200, with a new refresh token each time"
                        : "200, the refresh token stays the same: the session is as long as that token"), next
            )
        } catch {
            return (.wrong("refresh", error), tokens)
        }
    }

    private func logout(_ tokens: SignedIn) async throws -> Diagnosis {
        let (content, cookie) = tokens.sent
        let answer = try await post("api/auth/logout", content, cookie: cookie)
        guard answer.response.status.isSuccess else {
            return .wrong(
                "logout", "POST /api/auth/logout answered \(answer.summary).",
                hint: "The contract is 200 with { message }.")
        }
        guard tokens.refresh != nil || cookie != nil else {
            return .fine("logout", "\(answer.status); without a refresh token there is nothing to end")
        }
        guard try await post("api/auth/refresh-token", content, cookie: cookie).response.status.isSuccess else {
            return .fine("logout", "\(answer.status), and the refresh token has ended")
        }
        return .warning(
            "logout", "\(answer.status), and the refresh token still works",
            hint: "A copy of it outlives the logout: delete it at the backend.")
    }

    // MARK: Passwords and providers

    private func forgottenPassword() async throws -> Diagnosis {
        let known = try await post("api/auth/forgot-password", ["email": .string(account.email)])
        let unknown = try await post("api/auth/forgot-password", ["email": .string(Account.invented().email)])
        guard known.response.status.isSuccess else {
            return .wrong(
                "forgot password", "POST /api/auth/forgot-password answered \(known.summary).",
                hint: "The contract is 200 with { message }.")
        }
        guard known.status == unknown.status, known.message == unknown.message else {
            return .warning(
                "forgot password", "\(known.summary); for an address without an account \(unknown.summary)",
                hint: "The difference shows which addresses have an account.")
        }
        return .fine("forgot password", "\(known.status), the same for an address without an account")
    }

    private func reset() async throws -> Diagnosis {
        let answer = try await post(
            "api/auth/reset-password", ["token": "not-a-token", "password": .string(account.password)])
        guard answer.response.status.isClientError, answer.status != 404 else {
            return .wrong(
                "reset password", "POST /api/auth/reset-password answered an invented token with \(answer.summary).",
                hint: "A token that was never mailed is 400.")
        }
        return .fine("reset password", "\(answer.status) for an invented token")
    }

    private func providerPage() async -> (found: Diagnosis, isThere: Bool) {
        do {
            let answer = try await client.respond(
                to: client.request(.head, "api/auth/\(provider)?redirect=\("\(scheme)://auth/callback")"))
            let location = answer.fields[.location] ?? ""
            guard answer.status.isRedirection, !location.isEmpty else {
                return (
                    .fine(
                        provider,
                        "no sign-in with it: HEAD /api/auth/\(provider)?redirect=… answered \(answer.status.rawValue)"),
                    false
                )
            }
            let page = URL(encodingOnce: location).flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: false) }
            let host = page?.host ?? "elsewhere"
            guard page?.queryItems?.contains(where: { $0.name == "state" && $0.value?.isEmpty == false }) == true else {
                return (
                    .wrong(
                        provider, "It leads to \(host) without a state.",
                        hint: "The backend must round-trip the redirect by 'state', or the sheet does not close."), true
                )
            }
            return (
                .fine(
                    provider, "leads to \(host) with a state; sign in once to see whether a code or tokens come back"),
                true
            )
        } catch {
            return (.wrong(provider, error), false)
        }
    }
}
