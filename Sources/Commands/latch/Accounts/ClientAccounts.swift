// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE
import LatchOAuth

/// The transport for requests to issuers.
enum IssuerTransport {
    /// The option that replaces the system's certificate authorities, for an issuer with a private one.
    static let authorities = Option.value(
        "cacert", "FILE", "the PEM file of certificate authorities to trust (SSL_CERT_FILE, or the system's)")

    /// Returns the file of authorities that all commands trust instead of the system's; nil for the system's.
    static func authorityFile(_ variables: [String: String]) -> String? {
        variables["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// The user's accounts on this device, shared by all processes of the user.
struct ClientAccounts: Sendable {
    /// The option that selects an account other than the current one.
    static let account = Option.value(
        "account", "NAME", short: "a", "which account (LATCH_ACCOUNT, or the current one)")

    /// The name under which the secret store keeps this command's secrets.
    static let service = "latch"

    let list: AccountList
    /// The transport for requests to issuers.
    let transport: any Handler
    /// The client secret, which is not stored; nil for a client without one.
    let clientSecret: ClientSecret?
    /// The name of the account that the call selects; nil for the current account.
    private let selected: String?

    /// - Parameter readsOption: Whether ``account`` selects the account; otherwise only LATCH_ACCOUNT does.
    /// - Throws: `CommandError.failed` if LATCH_HOME is not an absolute path.
    init(_ invocation: Invocation, _ environment: Environment, readsOption: Bool = true) throws(CommandError) {
        // The library ignores a relative path, because it would mean another home in each working directory.
        if let home = environment.variables["LATCH_HOME"], !home.isEmpty,
            home.utf8.first != 0x2F || home.utf8.contains(where: { $0 < 0x20 })
        {
            throw .failed(
                "LATCH_HOME is not an absolute path.", hint: "Write it from the root: LATCH_HOME=\"$PWD/latch\".")
        }
        selected = (readsOption ? invocation[Self.account] : nil) ?? environment.value(of: "LATCH_ACCOUNT")
        let transport = try IssuerTransport.transport(of: invocation, environment.variables)
        self.transport = transport
        let secret = ClientSecret(environment)
        clientSecret = secret
        let endings = environment.endings
        list = AccountList(service: Self.service) { entry, store in
            let session =
                if let client = try Self.client(entry.issuer, entry.clientID, secret, transport) {
                    Session(client: client, store: store)
                } else {
                    Session(tokenEndpoint: try Self.endpoint(of: entry.issuer, transport), store: store)
                }
            endings.add { await session.settled(within: $0, orUnstored: true) }
            return session
        }
    }

    /// Returns the token endpoint of an issuer without registrations; it also revokes tokens.
    func endpoint(of issuer: String) throws(CommandError) -> TokenEndpoint { try Self.endpoint(of: issuer, transport) }

    /// Returns the client of an account's issuer; nil for an issuer without registrations.
    func authorizationClient(of entry: AccountEntry) throws(CommandError) -> AuthorizationClient? {
        try Self.client(entry.issuer, entry.clientID, clientSecret, transport)
    }

    private static func client(
        _ issuer: String, _ clientID: String?, _ secret: ClientSecret?, _ transport: any Handler
    ) throws(CommandError) -> AuthorizationClient? {
        guard let clientID else { return nil }
        let issuer = try IssuerURL(issuer)
        let own = secret?.text(of: clientID, at: issuer)
        return AuthorizationClient(
            .known(issuer: issuer.exact, clientID: clientID, secret: own)
                ?? OAuthConfiguration(issuer: issuer.exact, clientID: clientID, secret: own),
            transport: transport, timeout: .seconds(60))
    }

    /// Revokes tokens that are no longer stored on this device.
    func revoke(_ tokens: Tokens, of entry: AccountEntry) async throws {
        let endpoint =
            if let client = try authorizationClient(of: entry) { try await client.tokenEndpoint() } else {
                try endpoint(of: entry.issuer)
            }
        try await endpoint.revoke(tokens)
    }

    private static func endpoint(
        of issuer: String, _ transport: any Handler
    ) throws(CommandError) -> TokenEndpoint {
        TokenEndpoint(
            server: .latchwork(at: try IssuerURL(issuer).url), transport: transport, timeout: .seconds(60))
    }

    /// Returns a client whose requests to the issuer carry the session's credential.
    ///
    /// - Parameter origins: Additional origins that receive the credential.
    func client(
        of issuer: IssuerURL, _ session: Session<Tokens>, allowing origins: [HTTPOrigin] = [],
        redirects: RedirectPolicy = RedirectPolicy()
    ) -> Client {
        Client(
            baseURL: issuer.url, transport: transport,
            interceptors: ([issuer.origin] + origins).map { SessionInterceptor(session, for: .origin($0)) },
            redirects: redirects)
    }

    /// Returns the account that the call selects.
    ///
    /// - Throws: `CommandError.failed` if the list is empty, or has no account with that name.
    func chosen() async throws -> AccountEntry {
        let content = try await list.content()
        if let selected { return try content.entry(called: selected) }
        if let current = content.current { return current }
        guard content.entries.isEmpty else {
            throw CommandError.failed("No account is the current one.", hint: "Choose one: latch accounts use NAME")
        }
        throw CommandError.failed("No account is signed in.", hint: "Sign in: latch login --issuer URL")
    }

    /// Runs `body` with the account's session; if the session has ended, the error says how to sign in again.
    func with<Result>(_ entry: AccountEntry, _ body: (Session<Tokens>) async throws -> Result) async throws -> Result {
        let session = try await list.session(for: entry.id)
        let way = entry.isClient == true ? " --client-credentials" : entry.clientID == nil ? "" : " --browser"
        let account = entry.name.isPlainWord ? " --account \(entry.name)" : ""
        let isOnPage = entry.isClient != true && entry.clientID != nil
        let hint = "Sign in again: latch login\(way)\(account)" + (isOnPage ? ", or with --device" : "")
        do {
            return try await body(session)
        } catch AuthError.missingToken {
            throw CommandError.failed("'\(entry.name)' is signed out.", hint: hint)
        } catch AuthError.reauthenticationRequired {
            throw CommandError.failed("The issuer has ended the session of '\(entry.name)'.", hint: hint)
        } catch let error as AuthError where error == .stepUpRequired && isOnPage {
            // The session in the browser may be too weak, so the page receives the server's requirements.
            let claims = error.requirement?.claims.map { claims in
                " --claims \(Base64URL.encode(JSONValue.object(claims).serialized()))"
            }
            guard let claims else { throw error }
            throw CommandError.failed(
                error.message, hint: "Authenticate as it requires: latch login --browser\(account)\(claims)")
        } catch let error as OAuthError where error == .invalidTarget {
            guard error.status != nil else { throw error }
            throw CommandError.failed(
                "\(entry.issuer) issues no tokens for this resource.",
                hint: "Compare it with those that the issuer knows.")
        }
    }
}

/// The secret of one client at one issuer: LATCH_CLIENT_SECRET.
///
/// LATCH_CLIENT_ID and LATCH_ISSUER name its client and issuer. No other issuer receives it.
struct ClientSecret: Sendable {
    private let text: String
    private let clientID: String?
    private let issuer: String?

    init?(_ environment: Environment) {
        guard let text = environment.value(of: "LATCH_CLIENT_SECRET") else { return nil }
        self.text = text
        (clientID, issuer) = (environment.value(of: "LATCH_CLIENT_ID"), environment.value(of: "LATCH_ISSUER"))
    }

    /// Returns the secret if it belongs to a client.
    ///
    /// - Parameter isNamed: Whether the call itself has named the client and its issuer, for variables that are not
    ///   set.
    func text(of clientID: String, at issuer: IssuerURL, isNamed: Bool = false) -> String? {
        let isOwn = self.clientID.map { $0 == clientID } ?? isNamed
        let isThere = self.issuer.map { Self.withoutSlash($0) == issuer.text } ?? isNamed
        return isOwn && isThere ? text : nil
    }

    private static func withoutSlash(_ text: String) -> String { text.hasSuffix("/") ? String(text.dropLast()) : text }
}

extension AccountList.Content {
    /// Returns the account with that name, or the only one with that user name.
    ///
    /// - Throws: `CommandError.failed` with a suggestion.
    func entry(called name: String) throws(CommandError) -> AccountEntry {
        if let entry = entry(named: name) { return entry }
        let others = entries.filter { $0.username == name }
        if others.count == 1, let only = others.first { return only }
        let suggestion = Suggestion.sentence(for: name, among: entries.map(\.name)) { "'\($0)'" }
        throw .failed("There is no account '\(name)'.", hint: suggestion + "'latch accounts' lists them.")
    }
}

extension AccountList.Content {
    /// Returns the account with a name or user name, at the issuer of the call if it names one; nil if not found.
    func entry(named name: String?, at issuer: String?) throws -> AccountEntry? {
        guard let name else { return nil }
        let issuer = try issuer.map { text throws(CommandError) in try IssuerURL(text).text }
        let candidates = try entries.filter { entry in try issuer == nil || IssuerURL(entry.issuer).text == issuer }
        return candidates.first { $0.name == name } ?? candidates.first { $0.username == name }
    }

    /// Returns the issuer of the option, the account or the environment, or the only issuer in the list.
    ///
    /// - Parameter name: The name of the subcommand in errors.
    func issuer(
        _ option: String?, of known: AccountEntry?, _ environment: Environment, for name: String
    ) throws(CommandError) -> IssuerURL {
        let only = Set(entries.map(\.issuer))
        let found =
            option ?? known?.issuer ?? environment.value(of: "LATCH_ISSUER") ?? (only.count == 1 ? only.first : nil)
        guard let found else { throw .usage("'latch \(name)' needs an issuer.", hint: "Write '--issuer URL'.") }
        return try IssuerURL(found)
    }
}

extension String {
    /// Whether the text can be pasted into a shell unchanged, even if it comes from an issuer.
    var isPlainWord: Bool {
        !isEmpty
            && utf8.allSatisfy {
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 || "0123456789@._+-".utf8.contains($0)
            }
    }
}

/// The normalized URL of an issuer.
struct IssuerURL: Sendable, Hashable {
    /// The URL as text, without a trailing slash.
    let text: String
    /// The URL as it was given, because issuer identifiers are compared character by character (RFC 8414 §2).
    let exact: URL
    let url: URL
    /// The origin to which the issuer's tokens may be sent.
    let origin: HTTPOrigin

    /// - Throws: `CommandError.failed` if this is not an absolute http or https URL without query and fragment.
    init(_ text: String) throws(CommandError) {
        var trimmed = text
        while trimmed.hasSuffix("/") { trimmed.removeLast() }
        guard let url = URL(encodingOnce: trimmed), let exact = URL(encodingOnce: text), let origin = HTTPOrigin(url),
            !trimmed.contains(where: { "?#".contains($0) })
        else {
            throw .failed("'\(text)' is not the URL of an issuer.", hint: "Write it as https://id.example.com.")
        }
        self.text = trimmed
        self.url = url
        self.exact = exact
        self.origin = origin
    }
}

/// The printed forms of accounts.
enum AccountReport {
    /// Returns the JSON members of an account of the list.
    static func facts(of entry: AccountEntry) -> JSONObject {
        var object: JSONObject = ["account": .string(entry.name), "issuer": .string(entry.issuer)]
        object["username"] = entry.username.map { .string($0) }
        object["user_id"] = entry.userID.map { .string($0) }
        object["scopes"] = .array((entry.scopes?.elements ?? []).map { .string($0.rawValue) })
        return object
    }

    /// Returns a date in ISO 8601; null if it is unknown.
    static func date(_ date: Date?) -> JSONValue { date.map { .string($0.formatted(.iso8601)) } ?? .null }

    /// Returns a date in ISO 8601 with its distance from now.
    static func text(_ date: Date) -> String {
        "\(date.formatted(.iso8601)), \(RelativeTime.text(date.timeIntervalSinceNow))"
    }

    /// Returns a heading and an indented table of two columns; omits rows without a value.
    static func text(_ heading: String, _ rows: [(String, String?)]) -> String {
        heading.printable + "\n"
            + TextTable.text(rows.compactMap { name, value in value.map { [name, $0] } }, indentation: "  ")
    }
}
