// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchAuth
import LatchCommand
import LatchCore
import LatchHTTP
import LatchJOSE
import PortableFoundation

/// `latch whoami`: prints the signed-in user as the issuer knows them.
enum WhoamiSubcommand {
    private static let json = Option.flag("json", "one JSON object")

    static let subcommand = Subcommand(
        name: "whoami", summary: "tells who is signed in, and asks the issuer whether that still holds",
        options: [ClientAccounts.account, json],
        examples: [
            .init(command: "latch whoami", purpose: "who the current account is"),
            .init(command: "latch whoami --account work --json", purpose: "another one, for a script"),
        ],
        body: { invocation, environment in
            let accounts = try ClientAccounts(environment)
            let entry = try await accounts.chosen(invocation)
            let (user, tokens) = try await accounts.with(entry) { session in
                let user = try await Self.profile(entry, session)
                return (user, try await session.currentCredential())
            }
            if invocation.has(json) {
                environment.json(.object(Self.facts(entry, user, tokens)))
            } else {
                environment.output.write(Self.text(entry, user, tokens, now: Date()))
            }
            return .success
        })

    /// Returns the user's profile from the issuer, or from the token where the scopes permit no profile.
    private static func profile(_ entry: AccountEntry, _ session: Session<Tokens>) async throws -> Account? {
        let issuer = try IssuerURL(entry.issuer)
        let client = Client(
            baseURL: issuer.url, interceptors: [SessionInterceptor(session, for: .origin(issuer.origin))])
        let response = try await client.respond(to: client.request(.get, "user/profile"))
        switch response.status {
        case .unauthorized: throw AuthError.reauthenticationRequired
        case .forbidden, .notFound:
            let access = try await session.currentCredential().access
            return claims(of: access).flatMap { Account($0) }
        default:
            try response.requireSuccess()
            return try JSONValue(parsing: response.body.bytes).objectValue.flatMap { Account($0) }
        }
    }

    /// Returns the claims of an access token that is a JWT; other issuers' tokens are opaque (RFC 9068 §6).
    private static func claims(of access: String) -> JSONObject? {
        do { return try JWT(unverified: access).claims.members } catch { return nil }
    }

    private static func facts(_ entry: AccountEntry, _ user: Account?, _ tokens: Tokens) -> JSONObject {
        var object = AccountReport.facts(of: entry)
        object["user_id"] = (user?.id ?? entry.userID).map { .string($0) }
        object["email"] = user.map { .string($0.email) }
        object["name"] = user?.name.map { .string($0) }
        object["email_verified"] = user?.isEmailVerified.map { .bool($0) }
        object["scopes"] = .array((tokens.grantedScopes ?? entry.scopes)?.elements.map { .string($0.rawValue) } ?? [])
        object["expires_at"] = AccountReport.date(tokens.expiry)
        return object
    }

    private static func text(_ entry: AccountEntry, _ user: Account?, _ tokens: Tokens, now: Date) -> String {
        let scopes = (tokens.grantedScopes ?? entry.scopes)?.text
        return entry.name.printable + "\n"
            + AccountReport.table([
                ("e-mail", user.map { $0.email + ($0.isEmailVerified == false ? " (not verified)" : "") }),
                ("name", user?.name), ("issuer", entry.issuer), ("user id", user?.id ?? entry.userID),
                ("scopes", scopes?.isEmpty == false ? scopes : nil),
                ("token", tokens.expiry.map { "expires \(AccountReport.text($0, now: now))" }),
            ])
    }
}
