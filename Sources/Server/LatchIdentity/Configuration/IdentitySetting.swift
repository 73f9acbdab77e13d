// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore

/// A setting of the server: its key in a configuration file, its place in the configuration, and its format.
///
/// The default value is that of the property in ``IdentityConfiguration``.
package struct IdentitySetting: Sendable {
    /// The key in a configuration file.
    package let key: String
    /// A description in one line.
    package let summary: String
    /// Whether the value must not be shown.
    package let isSecret: Bool
    /// Parses a text into a configuration; an error names the key and the expected value, never the text.
    let apply: @Sendable (String, inout IdentityConfiguration) throws(IdentityError) -> Void
    /// Formats the value so that `apply` can parse it.
    private let read: @Sendable (IdentityConfiguration) -> String

    /// Creates a setting for a property.
    private init<Value>(
        _ key: String, _ path: any WritableKeyPath<IdentityConfiguration, Value> & Sendable,
        _ format: SettingFormat<Value>, _ summary: String, isSecret: Bool = false
    ) {
        self.key = key
        self.summary = summary
        self.isSecret = isSecret
        apply = { text, configuration throws(IdentityError) in
            guard let value = format.parse(text) else {
                if let problem = format.problem(text) { throw .unusableSetting(key, problem) }
                throw .invalidSetting(key, format.expected)
            }
            configuration[keyPath: path] = value
        }
        read = { format.text($0[keyPath: path]) }
    }

    /// Returns the value as text, redacted if it is a secret, empty if there is none.
    package func shown(in configuration: IdentityConfiguration) -> String {
        let text = read(configuration)
        return isSecret && !text.isEmpty ? "(redacted)" : text
    }

    /// All settings.
    package static let all: [IdentitySetting] = [
        .init("issuer", \.issuer, .optional(.url), "the public URL of the server"),
        .init("audience", \.audience, .optional(.text), "the audience of access tokens; the issuer if not set"),
        .init("access_token_lifetime", \.accessTokenLifetime, .seconds(1...86_400), "seconds an access token is valid"),
        .init(
            "refresh_token_lifetime", \.refreshTokenLifetime, .seconds(1...31_536_000),
            "seconds a device stays signed in at most"),
        .init(
            "replay_window", \.replayWindow, .seconds(0...3600), "seconds in which a lost refresh response is repeated"),
        .init(
            "keyed_replay_window", \.keyedReplayWindow, .seconds(0...604_800),
            "the same for repeats with an Idempotency-Key"),
        .init(
            "verification_lifetime", \.verificationLifetime, .seconds(60...2_592_000),
            "seconds a verification link is valid"),
        .init("reset_lifetime", \.resetLifetime, .seconds(60...86_400), "seconds a password reset link is valid"),
        .init("require_verified_email", \.requireVerifiedEmail, .flag, "whether a login needs a verified address"),
        .init("require_owner_proof", \.requireOwnerProof, .flag, "whether a mailed link alone verifies no address"),
        .init(
            "recent_authentication", \.recentAuthentication, .seconds(60...86_400),
            "seconds for which a login suffices to change an address, a password or a second factor"),
        .init(
            "first_administrator", \.firstAdministrator, .optional(.email),
            "the address whose account becomes the first administrator"),
        .init(
            "invitation_roles", \.invitationRoles, .roles,
            "the roles of apps that administrators may give with an invitation besides their own"),
        .init(
            "signup_attributes", \.signUpAttributes, .attributes,
            "the names of the apps' own fields at a registration, such as company newsletter"),
        .init(
            "terms_version", \.termsVersion, .optional(.line(64)),
            "the version of the terms that a registration must accept, such as 2026-01"),
        .init("argon2_memory_kib", \.argon2MemoryKiB, .number(8...1_048_576), "memory of a password hash in KiB"),
        .init("argon2_passes", \.argon2Passes, .number(1...16), "passes of a password hash"),
        .init(
            "password_queue_limit", \.passwordQueueLimit, .number(1...100_000),
            "password hashes of a kind that may wait"),
        .init("login_limit_per_minute", \.loginLimitPerMinute, .number(1...1_000_000), "wrong passwords per minute"),
        .init(
            "signup_limit_per_hour", \.signUpLimitPerHour, .number(1...1_000_000), "sign-ups of one network per hour"),
        .init(
            "mail_limit_per_hour", \.mailLimitPerHour, .number(1...1_000_000), "mails that one network may request"),
        .init("nodes", \.nodes, .number(1...1000), "servers that share the limits of rates, each with an equal part"),
        .init(
            "allowed_origins", \.allowedOrigins, .origins,
            "origins that may use the refresh cookie, separated by spaces"),
        .init(
            "hsts_max_age", \.hstsMaxAge, .seconds(0...315_360_000),
            "seconds for which browsers keep to https for this host; 0 does not ask them"),
        .init(
            "mail_directory", \.mailDirectory, .optional(.text), "a folder that takes mails as files, for development"),
        .init("smtp_url", \.smtpURL, .optional(.text), "the mail server", isSecret: true),
        .init("mail_sender", \.mailSender, .mailbox, "the sender of mails, such as Acme <no-reply@example.com>"),
        .init(
            "mail_hello_name", \.mailHelloName, .optional(.domain),
            "the name of this machine for the mail server; by default the host of the issuer"),
        .init("service_name", \.serviceName, .line(60), "the name of the service on pages and in mails"),
        .init(
            "default_language", \.defaultLanguage, .language,
            "the language of pages and mails, unless users prefer another"),
        .init("token_pepper", \.tokenPepper, .optional(.text), "a secret kept outside of the store", isSecret: true),
        .init(
            "store_key", \.storeKey, .optional(.storeKey), "the key that encrypts the keys in the store",
            isSecret: true),
        .init(
            "signing_key_lifetime", \.signingKeyLifetime, .seconds(3600...315_360_000),
            "seconds until a signing key is replaced"),
        .init(
            "audit_retention", \.auditRetention, .seconds(86_400...3_153_600_000),
            "seconds an entry of the audit log is kept"),
        .init("scopes", \.scopes, .scopes, "all scopes of the server, separated by spaces"),
        .init("default_scopes", \.defaultScopes, .scopes, "the scopes of a login that requests none"),
        .init(
            "clients", \.clients, .clients,
            "OAuth clients by id, such as phone;grants=password,refresh_token;scopes=files:read"),
        .init(
            "client_secrets", \.clientSecretDigests, .digests,
            "the SHA-256 of confidential clients' random secrets, ID=HEX", isSecret: true),
        .init("first_party_grants", \.firstPartyGrants, .grants, "the grants of token requests without client_id"),
        .init(
            "first_party_scopes", \.firstPartyScopes, .optional(.scopes),
            "the scopes that their tokens may have at most; every scope if not set"),
        .init(
            "token_limit_per_minute", \.tokenLimitPerMinute, .number(1...10_000_000), "token requests of one network"),
        .init(
            "request_limit_per_minute", \.requestLimitPerMinute, .number(1...10_000_000),
            "other requests of one network"),
        .init(
            "refresh_limit_per_minute", \.refreshLimitPerMinute, .number(1...10_000_000),
            "refreshes of one account, a hundredth of them of one device"),
        .init(
            "upstreams", \.upstreams, .upstreams,
            "identity providers to sign in through, such as google;client_id=ID;email_domains=gmail.com"),
        .init(
            "upstream_secrets", \.upstreamSecrets, .secrets, "the client secrets at these providers, NAME=SECRET",
            isSecret: true),
        .init(
            "sign_in_redirects", \.signInRedirects, .redirects,
            "the apps' URLs to return to after such a sign-in, such as notes://auth/callback"),
        .init(
            "token_redirects", \.tokenRedirects, .redirects,
            "those that get tokens in the URL, for old clients; prefer sign_in_redirects"),
        .init(
            "browser_tokens", \.answersBrowsersWithTokens, .flag,
            "show a browser that names no app the tokens of such a sign-in, as JSON"),
        .init(
            "apple_app_ids", \.appleAppIDs, .appleAppIDs,
            "Apple apps that open the links of mails, such as TEAMID1234.com.example.notes"),
        .init(
            "android_apps", \.androidApps, .androidApps,
            "Android apps that share the passkeys, such as com.example.notes=AB:CD:… (SHA-256 of the certificate)"),
        .init(
            "app_url", \.appURL, .optional(.appURL),
            "the app's URL that pages lead back to at their end, such as notes://open"),
        .init(
            "passkey_domain", \.passkeyDomain, .optional(.domain),
            "the domain of passkeys, the host of the issuer or one above it"),
        .init(
            "passkey_origins", \.passkeyOrigins, .passkeyOrigins,
            "further origins of pages and apps that use the passkeys, separated by spaces"),
        .init("user_service", \.hasUserService, .flag, "whether the server has the RPCs of userservice.v1"),
        .init("admin_listen", \.adminListen, .optional(.text), "the address for administration, HOST:PORT"),
    ]
}

/// The text format of a setting's value.
private struct SettingFormat<Value>: Sendable {
    /// The expected value, for the error message.
    let expected: String
    /// Parses a text; nil if it is not valid.
    let parse: @Sendable (String) -> Value?
    /// Formats a value so that `parse` accepts it.
    let text: @Sendable (Value) -> String
    /// Describes the part of a text that cannot be parsed; nil if ``expected`` says enough.
    var problem: @Sendable (String) -> String? = { _ in nil }

    /// Returns a format in which empty text is nil, since neither a shell nor a file can express nil otherwise.
    static func optional<Wrapped>(_ format: SettingFormat<Wrapped>) -> Self where Value == Wrapped? {
        Self(
            expected: format.expected, parse: { $0.isEmpty ? .some(nil) : format.parse($0).map { .some($0) } },
            text: { $0.map(format.text) ?? "" })
    }
}

extension SettingFormat where Value == String {
    static var text: Self { Self(expected: "text", parse: { $0 }, text: { $0 }) }

    /// A key of 256 bits.
    static var storeKey: Self {
        Self(expected: StoreKey.expected, parse: { Hex.decode($0, count: 32) == nil ? nil : $0 }, text: { $0 })
    }

    /// An address, which cannot carry a second header field into a mail (RFC 5322 §2.2).
    static var email: Self {
        Self(expected: "an e-mail address", parse: { try? EmailAddress($0).text }, text: { $0 })
    }

    /// An address, with or without a name before it.
    static var mailbox: Self {
        Self(
            expected: "an e-mail address, or a name and one such as Acme <no-reply@example.com>",
            parse: { Mailbox($0)?.text }, text: { $0 })
    }

    /// One line of text for users.
    static func line(_ maximum: Int) -> Self {
        Self(
            expected: "one line of 1 to \(maximum) characters",
            parse: { text in
                let trimmed = String(text.trimmingSpace())
                return (1...maximum).contains(trimmed.unicodeScalars.count) && trimmed.isPlain ? trimmed : nil
            }, text: { $0 })
    }

    /// A language that the catalog of texts has.
    static var language: Self {
        let languages = IdentityConfiguration.supportedLanguages
        return Self(
            expected: languages.joined(separator: " or "), parse: { languages.contains($0) ? $0 : nil }, text: { $0 })
    }

    /// A URL without query and fragment (RFC 8414 §2), since links in mails begin with it.
    static var url: Self {
        Self(
            expected: "a URL such as https://id.example.com, without query and fragment",
            parse: { PublicURL.isValid($0) ? $0 : nil }, text: { $0 })
    }
}

extension SettingFormat where Value == Int {
    /// A whole number within the bounds for which the server has been tested.
    static func number(_ range: ClosedRange<Int>) -> Self {
        Self(
            expected: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            parse: { Int($0).flatMap { range.contains($0) ? $0 : nil } }, text: { String($0) })
    }
}

extension SettingFormat where Value == Duration {
    /// A time in whole seconds; suffixes such as "15m" are rejected.
    static func seconds(_ range: ClosedRange<Int64>) -> Self {
        Self(
            expected: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            parse: { Int64($0).flatMap { range.contains($0) ? .seconds($0) : nil } },
            text: { String($0.components.seconds) })
    }
}

extension SettingFormat where Value == Bool {
    /// The spellings of shells and files; anything else is rejected, since a misspelt "true" must not mean "false".
    static var flag: Self {
        let values = [
            "true": true, "yes": true, "1": true, "on": true, "false": false, "no": false, "0": false, "off": false,
        ]
        return Self(expected: "true or false", parse: { values[$0.lowercasedASCII()] }, text: { String($0) })
    }
}

extension SettingFormat where Value == [String] {
    /// Origins as browsers send them (RFC 6454 §6.2); `*` and `null` would let every site in.
    static var origins: Self {
        Self(
            expected: "origins such as https://app.example.com, separated by spaces",
            parse: { parseAll(words($0)) { PublicURL.isOrigin($0) ? $0 : nil } }, text: { $0.joined(separator: " ") })
    }
}

extension SettingFormat where Value == String {
    static var appURL: Self {
        Self(
            expected: "a URL such as notes://open or https://app.example.com, without query and fragment",
            parse: { AppRedirect.isValid($0) ? $0 : nil }, text: { $0 })
    }

    /// A domain name.
    static var domain: Self {
        Self(
            expected: "a domain such as example.com",
            parse: { text in
                let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
                return labels.allSatisfy { !$0.isEmpty } && text.isWord(maximum: 253, also: "-.") ? text : nil
            }, text: { $0 })
    }
}

extension SettingFormat where Value == [String] {
    /// Origins as clients state them in the data that passkeys sign; those of Android apps name the key of the app.
    static var passkeyOrigins: Self {
        let android = "android:apk-key-hash:"
        return Self(
            expected: "origins such as https://app.example.com or \(android)HASH, separated by spaces",
            parse: {
                parseAll(words($0)) { word in
                    guard word.utf8.starts(with: android.utf8) else { return PublicURL.isOrigin(word) ? word : nil }
                    let hash = String(Substring(word.utf8.dropFirst(android.utf8.count)))
                    return hash.utf8.count == 43 && hash.isWord(maximum: 43, also: "-_") ? word : nil
                }
            }, text: { $0.joined(separator: " ") })
    }

    /// App IDs of Apple's: ten characters of the team, a dot, and the bundle identifier.
    static var appleAppIDs: Self {
        Self(
            expected: "app IDs such as TEAMID1234.com.example.notes, separated by spaces",
            parse: { parseAll(words($0)) { isAppleAppID($0) ? $0 : nil } }, text: { $0.joined(separator: " ") })
    }

    private static func isAppleAppID(_ text: String) -> Bool {
        let (team, bundle) = (text.utf8.prefix(10), text.utf8.dropFirst(10))
        return team.count == 10 && team.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
            && bundle.first == UInt8(ascii: ".") && bundle.count > 1
            && (String(Substring(bundle.dropFirst()))).isWord(maximum: 155, also: "-.")
    }

    /// Packages of Android, each with the SHA-256 fingerprint of its signer, as keytool prints it.
    static var androidApps: Self {
        Self(
            expected:
                "apps such as com.example.notes=AB:CD:…, with the SHA-256 fingerprint of 32 bytes, separated by spaces",
            parse: { parseAll(words($0)) { AndroidApp($0) == nil ? nil : $0 } }, text: { $0.joined(separator: " ") })
    }

    /// URLs of apps, exact.
    static var redirects: Self {
        Self(
            expected:
                "URLs such as notes://auth/callback or https://app.example.com/callback, without query and fragment",
            parse: { parseAll(words($0)) { AppRedirect.isValid($0) ? $0 : nil } }, text: { $0.joined(separator: " ") })
    }
}

extension SettingFormat where Value == Scopes {
    /// Scope tokens (RFC 6749 §3.3), or `none`.
    static var scopes: Self {
        Self(
            expected: "scopes such as files:read files:write",
            parse: { parseAll(listWords($0), Scope.init(rawValue:)).map(Scopes.init) },
            text: { $0.isEmpty ? emptyList : $0.text })
    }
}

extension SettingFormat where Value == [String] {
    /// Role words, or `none`.
    static var roles: Self {
        Self(
            expected: "words such as client editor, no administrative roles, or none",
            parse: { parseAll(listWords($0)) { AccountService.isWord($0) && !Role.isWord($0) ? $0 : nil } },
            text: { $0.isEmpty ? emptyList : $0.joined(separator: " ") })
    }
}

extension SettingFormat where Value == [String] {
    /// Names of attributes, each once, or `none`.
    static var attributes: Self {
        Self(
            expected:
                "up to \(Registration.maximumCount) names such as company newsletter, not those of accounts, or none",
            parse: { text in
                let names = parseAll(listWords(text)) { Registration.isName($0) ? $0 : nil }
                return names.flatMap {
                    $0.count <= Registration.maximumCount && Set($0).count == $0.count ? $0 : nil
                }
            }, text: { $0.isEmpty ? emptyList : $0.joined(separator: " ") })
    }
}

extension SettingFormat where Value == Set<OAuthClient.GrantType> {
    /// Supported grant types, or `none`.
    static var grants: Self {
        Self(
            expected: "some of \(OAuthClient.GrantType.supported.map(\.rawValue).joined(separator: " and ")), or none",
            parse: { parseAll(listWords($0), OAuthClient.GrantType.init(rawValue:)).map { Set($0) } },
            text: { $0.isEmpty ? emptyList : $0.map(\.rawValue).sorted().joined(separator: " ") })
    }
}

extension SettingFormat where Value == [OAuthClient] {
    static var clients: Self {
        Self(
            expected: "words such as phone;confidential;grants=password,refresh_token;scopes=files:read",
            parse: { text in
                let clients = parseAll(text.unicodeScalars.split(separator: " ")) { OAuthClient(word: String($0)) }
                return clients.flatMap { Set($0.map(\.id)).count == $0.count ? $0 : nil }
            }, text: { $0.map(\.word).joined(separator: " ") },
            problem: { text in
                for (index, word) in text.unicodeScalars.split(separator: " ").enumerated() {
                    do throws(OAuthClient.WordError) { _ = try OAuthClient(parsing: String(word)) } catch {
                        return "in word \(index + 1) \(error.reason)"
                    }
                }
                return "two clients have the same id"
            })
    }
}

extension SettingFormat where Value == [UpstreamProvider] {
    static var upstreams: Self {
        Self(
            expected: "words such as google;client_id=ID or staff;issuer=https://sso.example.com;client_id=ID",
            parse: { text in
                let providers = parseAll(text.unicodeScalars.split(separator: " ")) {
                    UpstreamProvider(word: String($0))
                }
                return providers.flatMap { Set($0.map(\.name)).count == $0.count ? $0 : nil }
            }, text: { $0.map(\.word).joined(separator: " ") })
    }
}

extension SettingFormat where Value == [String: String] {
    /// Secrets by name; a secret may hold any character but a space.
    static var secrets: Self {
        Self(
            expected: "words such as NAME=SECRET, each NAME once", parse: { pairs($0) { !$0.isEmpty } },
            text: { $0.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ") })
    }

    static var digests: Self {
        Self(
            expected: "words such as ID=64 hexadecimal digits, each ID once",
            parse: { pairs($0) { Hex.decode($0, count: 32) != nil } },
            text: { $0.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ") })
    }

    /// Parses words `NAME=VALUE`, each name once; nil if one of them is not valid.
    private static func pairs(_ text: String, _ isValid: (String) -> Bool) -> [String: String]? {
        let pairs = parseAll(text.unicodeScalars.split(separator: " ")) { word -> (String, String)? in
            let pair = word.split(separator: "=", maxSplits: 1).map { String($0) }
            return pair.count == 2 && isValid(pair[1]) ? (pair[0], pair[1]) : nil
        }
        guard let pairs, Set(pairs.map(\.0)).count == pairs.count else { return nil }
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}

/// The text of an empty list; empty text means that the setting is not set.
private let emptyList = "none"

private func words(_ text: String) -> [String] {
    text.unicodeScalars.split { $0 == " " || $0 == "," }.map { String($0) }
}

private func listWords(_ text: String) -> [String] { text == emptyList ? [] : words(text) }

/// Parses all words; nil if one of them is not valid.
private func parseAll<Word, Value>(_ words: [Word], _ parse: (Word) -> Value?) -> [Value]? {
    let values = words.compactMap(parse)
    return values.count == words.count ? values : nil
}
