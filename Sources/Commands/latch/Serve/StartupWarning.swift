// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchIdentity
import LatchServer

/// A warning about settings that are valid but probably unintended.
struct StartupWarning: Sendable {
    let message: String
    let hint: String
    /// Lines to copy into a file, where there are some.
    var lines: [String] = []
}

extension StartupWarning {
    /// Creates the warning about a key file that other users may read; nil if they may not.
    ///
    /// It is only a warning, because containers mount secrets with different permissions. A missing file is an error
    /// elsewhere.
    init?(exposing key: String, in path: String) {
        guard !path.isEmpty, FileStatus(of: path)?.isReadableByOthers == true else { return nil }
        message = "Other users of this machine can read the \(key) in \(path)."
        hint = "chmod 600 '\(path)'"
    }

    /// Creates the warning about a database that does not respond yet.
    private init(awaiting failure: IdentityError) {
        message = "\(failure.message) Retrying for 15 seconds."
        hint = failure.hint ?? "Check that the database runs."
    }

    /// Runs `body`, which opens a store, and reports once if it has waited for the database for two seconds.
    static func awaitingDatabase<Result>(
        by report: @escaping @Sendable (StartupWarning) -> Void, _ body: () async throws -> Result
    ) async throws -> Result {
        try await StoreOutages.announcingWait(by: { report(StartupWarning(awaiting: $0)) }, body)
    }
}

extension Environment {
    /// Writes a warning to standard error.
    @Sendable func warn(_ warning: StartupWarning) {
        warn(warning.message, hint: warning.hint, copying: warning.lines)
    }
}

extension Settings {
    private var identity: IdentityConfiguration { configuration.identity }

    /// The minimum size in bytes of a pepper that is hard to guess.
    private static let leastPepper = 16

    /// Returns the warnings for a server that listens on an address.
    func warnings(listeningOn address: ListenAddress, isEncrypted: Bool) -> [StartupWarning] {
        var warnings: [StartupWarning] = []
        if identity.mailDirectory == nil, identity.smtpURL == nil, identity.mailHook == nil, !isForFirstTry {
            warnings.append(
                StartupWarning(
                    message: "No email can be sent, so users cannot verify an address or reset a password.",
                    hint: "Set smtp_url, a hook on mail, or mail_directory to have emails written as files."))
        }
        if hasLocalSender {
            warnings.append(
                StartupWarning(
                    message: "mail_sender is at localhost, which most mail servers refuse.",
                    hint: "Set mail_sender to an address of your domain, such as no-reply@example.com."))
        }
        if !isEncrypted, hasSecureIssuer, configuration.server.trustedProxies.ranges.isEmpty {
            warnings.append(
                StartupWarning(
                    message:
                        "No proxy is trusted, so all clients behind the one that terminates TLS share its address and its limits.",
                    hint: "Set trusted_proxies to the proxy's address, such as 127.0.0.1."))
        }
        warnings +=
            secretWarnings(listeningOn: address) + issuerWarnings + scopeWarnings + clientWarnings + formWarnings
        // This is not an error, because a proxy may terminate TLS. An http issuer has its own warning about this.
        if !isEncrypted, !address.isLoopback, !hasInsecureIssuer {
            warnings.append(
                StartupWarning(
                    message:
                        "Passwords and tokens cross the network unencrypted: other machines reach \(address.host).",
                    hint: "Set tls_certificate and tls_key, or listen on 127.0.0.1 behind a proxy that terminates TLS."
                ))
        }
        return warnings
    }

    /// Tells the administrators of a server its settings and the warnings about them, and returns the warnings.
    func noted(in notes: OperatorNotes, listeningOn address: ListenAddress) -> [StartupWarning] {
        let warnings = warnings(listeningOn: address, isEncrypted: configuration.tlsCertificate != nil)
        notes.replace(
            settings: all.map { effective in
                OperatorNotes.Setting(
                    key: effective.setting.key, value: effective.shown, source: "\(effective.source)",
                    isStandard: effective.source == .standard)
            },
            warnings: warnings.map { OperatorNotes.Warning(message: $0.message, hint: $0.hint) })
        return warnings
    }

    /// Whether emails have a sender at localhost but are sent to another machine.
    private var hasLocalSender: Bool {
        let sender = identity.mailSender.lowercasedASCII()
        guard identity.mailDirectory == nil, let url = identity.smtpURL,
            let separator = url.utf8.firstRange(of: "://".utf8),
            sender.utf8.reversed().starts(with: "localhost".utf8.reversed())
                || sender.utf8.reversed().starts(with: "localhost>".utf8.reversed())
        else { return false }
        let host = url.utf8[separator.upperBound...].split(separator: UInt8(ascii: "@")).last
        do throws(HTTPError) {
            return try !HTTPOrigin.split("http://\(host.map { String(Substring($0)) } ?? "")").origin.isLoopback
        } catch {
            // The mailer reports that the URL cannot be used.
            return false
        }
    }

    /// Returns the warnings about keys that are missing, weak or readable.
    private func secretWarnings(listeningOn address: ListenAddress) -> [StartupWarning] {
        var warnings: [StartupWarning] = []
        let isForOthers = !address.isLoopback || hasSecureIssuer
        if identity.storeKey == nil, configuration.storeKeyFile == nil, isForOthers {
            warnings.append(
                StartupWarning(
                    message:
                        "The signing keys are unencrypted in the store: a copy of its file can issue tokens for every account.",
                    hint: "Set store_key_file, or LATCH_STORE_KEY, to a key that 'openssl rand -hex 32' has made."))
        }
        if let file = configuration.storeKeyFile, let exposed = StartupWarning(exposing: "store key", in: file) {
            warnings.append(exposed)
        }
        let pepper = identity.tokenPepper?.utf8.count ?? 0
        if pepper < Self.leastPepper, pepper > 0 || isForOthers {
            warnings.append(
                StartupWarning(
                    message: pepper == 0
                        ? "token_pepper is not set: the store and its key are enough to make refresh tokens of every user."
                        : "token_pepper has less than \(Self.leastPepper) bytes, and can be guessed.",
                    hint: "Set it to the output of 'openssl rand -hex 32' before the first sign-up. "
                        + "A later change needs 'latch admin keys accept-pepper', which signs all users out."))
        }
        return warnings
    }

    /// The warning about scopes that clients are registered for but no user can have.
    private var scopeWarnings: [StartupWarning] {
        let unknown = identity.unknownClientScopes
        guard !unknown.isEmpty else { return [] }
        return [
            StartupWarning(
                message: "Clients request scopes that 'scopes' does not list: \(unknown.text).",
                hint:
                    "Add them to 'scopes', before the first table, or remove them from 'clients' and 'first_party_scopes'."
            )
        ]
    }

    /// The warnings of words in a file, for which tables are written now, with these tables.
    private var formWarnings: [StartupWarning] {
        all.filter(\.isOfWords).map { effective in
            let (key, tables) = (effective.setting.key, effective.setting.tables(configuration))
            let form =
                effective.source.isJSON
                ? "\"\(key)\": "
                    + String(decoding: JSONValue.array(tables.map { .object($0) }).serialized(), as: UTF8.self)
                : Settings.toml(tables, named: key)
            return StartupWarning(
                message:
                    "\(effective.source): '\(key)' uses the old one-line form, which the next version will reject.",
                hint: effective.source.isJSON
                    ? "Replace the member by the new form."
                    : "Remove them, and write the new form at the end of the file.",
                lines: form.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        }
    }

    /// The warnings about clients whose stolen codes can be put into another browser (RFC 9700 §4.5).
    private var clientWarnings: [StartupWarning] {
        identity.clients.filter {
            $0.grants.contains(.authorizationCode) && !$0.requiresPKCE && !$0.requiresNonce
        }.map {
            StartupWarning(
                message: "The client '\($0.id)' needs neither PKCE nor a nonce, so a stolen code can be injected.",
                hint: "Set require_nonce = true for it, or remove require_pkce = false.")
        }
    }

    /// The warnings of a public URL that limits what clients can use.
    private var issuerWarnings: [StartupWarning] {
        var warnings: [StartupWarning] = []
        if identity.passkeyDomain != nil, identity.issuer == nil {
            warnings.append(
                StartupWarning(
                    message: "Passkeys are off: without issuer, passkey_domain does not match the server's address.",
                    hint: "Set issuer to a URL whose host is that domain or a subdomain of it."))
        }
        // This is not an error, because it may be intended in a development network.
        if hasInsecureIssuer {
            warnings.append(
                StartupWarning(
                    message: "The issuer is http: passwords and tokens cross the network unencrypted.",
                    hint: "Set issuer to an https URL, and serve https or use a proxy that does."))
        }
        return warnings
    }

    /// Whether clients reach the server by https, which a proxy may terminate.
    private var hasSecureIssuer: Bool { identity.issuer?.hasPrefix("https://") == true }

    /// Whether clients on other machines reach the server by http.
    private var hasInsecureIssuer: Bool {
        guard let origin = identity.issuer.flatMap({ URL(encodingOnce: $0) }).flatMap(HTTPOrigin.init) else {
            return false
        }
        return origin.scheme == "http" && !origin.isLoopback
    }
}
