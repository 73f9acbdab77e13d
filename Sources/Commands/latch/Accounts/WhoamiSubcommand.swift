// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchAuth
import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE
import LatchOAuth

/// `latch whoami`: prints the signed-in user, as the issuer reports it.
enum WhoamiSubcommand {
    static let subcommand = Subcommand(
        name: "whoami", summary: "shows the signed-in user, as the issuer reports it",
        options: [ClientAccounts.account, IssuerTransport.authorities, .json("one JSON object")],
        examples: [
            "latch whoami": "show the current account",
            "latch whoami --account work --json": "another one, for a script",
        ],
        body: { invocation, environment in
            let accounts = try ClientAccounts(invocation, environment)
            let entry = try await accounts.chosen()
            let (user, tokens): (Account?, Tokens) = try await accounts.with(entry) { session in
                if let client = try accounts.authorizationClient(of: entry) {
                    return (try await userInfo(client, session), try await session.currentCredential())
                }
                let client = accounts.client(of: try IssuerURL(entry.issuer), session)
                return (try await profile(client, session), try await session.currentCredential())
            }
            environment.write(
                text(entry, user, tokens), orJSON: .object(facts(entry, user, tokens)), for: invocation)
            return .success
        })

    /// Returns an OpenID provider's claims about the user: the current ones, or those of the sign-in.
    private static func userInfo(_ client: AuthorizationClient, _ session: Session<Tokens>) async throws -> Account? {
        let tokens = try await session.credential()
        guard let idToken = tokens.idToken else { return nil }
        var claims = try JWT(unverified: idToken).claims.members
        do {
            // Current claims replace those of the sign-in.
            for (name, value) in try await client.userInfo(of: tokens).members { claims[name] = value }
        } catch OAuthError.missingEndpoint {
            // The claims of the sign-in remain.
        }
        return Account(claims)
    }

    /// Returns the user's profile from the issuer, or from the token if the scopes permit no profile request.
    private static func profile(_ client: Client, _ session: Session<Tokens>) async throws -> Account? {
        let response = try await client.respond(to: client.request(.get, "user/profile"))
        switch response.status {
        case .unauthorized: throw AuthError.reauthenticationRequired
        case .forbidden, .notFound:
            let access = try await session.currentCredential().access
            return claims(of: access).flatMap { Account($0) }
        default:
            try response.requireSuccess()
            return try JSONValue(parsing: response.body.bytesWithoutMark).objectValue.flatMap { Account($0) }
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

    private static func text(_ entry: AccountEntry, _ user: Account?, _ tokens: Tokens) -> String {
        let scopes = (tokens.grantedScopes ?? entry.scopes)?.text
        return AccountReport.text(
            entry.name,
            [
                ("email", user.map { $0.email + ($0.isEmailVerified == false ? " (not verified)" : "") }),
                ("name", user?.name), ("issuer", entry.issuer), ("user id", user?.id ?? entry.userID),
                ("scopes", scopes?.isEmpty == false ? scopes : nil),
                ("token", tokens.expiry.map { "expires \(AccountReport.text($0))" }),
            ])
    }
}
