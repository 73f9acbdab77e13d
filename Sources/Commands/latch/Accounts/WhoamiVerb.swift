// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchAccounts
import LatchAuth
import LatchCommand
import LatchCore
import LatchHTTP
import LatchJOSE

/// `latch whoami`: who is signed in, by the issuer's own word.
enum WhoamiVerb {
    private static let json = Option.flag("json", "one JSON object")

    static let verb = Verb(
        name: "whoami", summary: "tells who is signed in, and asks the issuer whether that still holds",
        options: [ClientAccounts.account, json],
        examples: [
            .init(command: "latch whoami", purpose: "who the current account is"),
            .init(command: "latch whoami --account work --json", purpose: "another one, for a script"),
        ],
        body: { invocation, shell in
            let accounts = try ClientAccounts(shell)
            let entry = try await accounts.chosen(invocation)
            let (person, tokens) = try await accounts.with(entry) { session in
                let person = try await Self.person(entry, session)
                return (person, try await session.currentCredential())
            }
            if invocation.has(json) {
                shell.json(.object(Self.facts(entry, person, tokens)))
            } else {
                shell.output.write(Self.text(entry, person, tokens, now: Date()))
            }
            return .success
        })

    /// What the issuer says of the person; what the token says where this issuer has no profile for its scopes.
    private static func person(_ entry: AccountEntry, _ session: Session<Tokens>) async throws -> Account? {
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

    /// The claims of an access token that can be read; most issuers' cannot (RFC 9068 §6).
    private static func claims(of access: String) -> JSONObject? {
        do { return try JWT(unverified: access).claims.members } catch { return nil }
    }

    private static func facts(_ entry: AccountEntry, _ person: Account?, _ tokens: Tokens) -> JSONObject {
        var object = AccountReport.facts(of: entry)
        object["user_id"] = (person?.id ?? entry.userID).map { .string($0) }
        object["email"] = person.map { .string($0.email) }
        object["name"] = person?.name.map { .string($0) }
        object["email_verified"] = person?.isEmailVerified.map { .bool($0) }
        object["scopes"] = .array((tokens.grantedScopes ?? entry.scopes)?.elements.map { .string($0.rawValue) } ?? [])
        object["expires_at"] = AccountReport.date(tokens.expiry)
        return object
    }

    private static func text(_ entry: AccountEntry, _ person: Account?, _ tokens: Tokens, now: Date) -> String {
        let scopes = (tokens.grantedScopes ?? entry.scopes)?.text
        return entry.name.printable + "\n"
            + AccountReport.table([
                ("e-mail", person.map { $0.email + ($0.isEmailVerified == false ? " (not verified)" : "") }),
                ("name", person?.name), ("issuer", entry.issuer), ("user id", person?.id ?? entry.userID),
                ("scopes", scopes?.isEmpty == false ? scopes : nil),
                ("token", tokens.expiry.map { "expires \(AccountReport.text($0, now: now))" }),
            ])
    }
}
