// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchIdentityStorage
import LatchJOSE

extension SettingFormat where Value == String {
    /// The URL of a mail server, as far as this platform can check it.
    static var mailServer: Self {
        Self(
            parse: { text throws(SettingProblem) in
                try IdentityConfiguration.checkMailServer(text)
                return text
            }, text: { $0 })
    }

    /// An address to listen on.
    package static var address: Self {
        Self(
            parse: { text throws(SettingProblem) in
                _ = try ListenAddress(text)
                return text
            }, text: { $0 })
    }

    /// A key of 256 bits.
    package static var storeKey: Self {
        Self(expected: StoreKey.expected, parse: { Hex.decode($0, count: 32) == nil ? nil : $0 }, text: { $0 })
    }

    /// An address, which cannot carry a second header field into an email (RFC 5322 §2.2).
    package static var email: Self {
        Self(expected: "an email address", parse: { try? EmailAddress($0).text }, text: { $0 })
    }

    /// An address, with or without a name before it.
    static var mailbox: Self {
        Self(
            expected: "an email address, or a name and one such as Acme <no-reply@example.com>",
            parse: { Mailbox($0)?.text }, text: { $0 })
    }

    /// One line of text for users.
    package static func line(_ maximum: Int) -> Self {
        Self(
            expected: "one line of 1 to \(maximum) characters",
            parse: { text in
                let trimmed = String(text.trimmingSpace())
                return (1...maximum).contains(trimmed.unicodeScalars.count) && trimmed.isPlain ? trimmed : nil
            }, text: { $0 })
    }

    /// A language that the catalog of texts has.
    package static var language: Self {
        let languages = IdentityConfiguration.supportedLanguages
        return Self(
            expected: languages.joined(separator: " or "), parse: { languages.contains($0) ? $0 : nil }, text: { $0 })
    }

    /// A URL without query and fragment (RFC 8414 §2), since links in emails begin with it.
    package static var url: Self {
        Self(
            expected: "a URL such as https://id.example.com, without query and fragment",
            parse: { PublicURL.isValid($0) ? $0 : nil }, text: { $0 })
    }
}

extension SettingFormat where Value == [String] {
    /// Domains of email addresses, each once, or `none`.
    package static var domains: Self {
        Self(
            expected: "domains such as example.com mail.example, or none",
            parse: { text in
                let names = parseAll(listWords(text)) {
                    (try? EmailAddress("a@\($0)")) == nil ? nil : $0.lowercasedASCII()
                }
                return names.flatMap { Set($0).count == $0.count ? $0 : nil }
            }, text: { $0.isEmpty ? emptyList : $0.joined(separator: " ") })
    }

    /// Origins as browsers send them (RFC 6454 §6.2); `*` and `null` would let every site in.
    package static var origins: Self {
        Self(
            expected: "origins such as https://app.example.com, separated by spaces",
            parse: { parseAll(words($0)) { PublicURL.isOrigin($0) ? $0 : nil } }, text: { $0.joined(separator: " ") })
    }
}

extension SettingFormat where Value == String {
    package static var appURL: Self {
        Self(
            expected: "a URL such as notes://open or https://app.example.com, without query and fragment",
            parse: { AppRedirect.isValid($0) ? $0 : nil }, text: { $0 })
    }

    /// The URL of a service that this server asks.
    static var serviceURL: Self {
        Self(
            expected: "an https URL, or an http URL of this machine",
            parse: { PublicURL.isValid($0) && (AppRedirect.isSecure($0) || AppRedirect.isLoopback($0)) ? $0 : nil },
            text: { $0 })
    }

    /// A domain name.
    package static var domain: Self {
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
    package static var passkeyOrigins: Self {
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
    package static var appleAppIDs: Self {
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
    package static var androidApps: Self {
        Self(
            expected:
                "apps such as com.example.notes=AB:CD:…, with the SHA-256 fingerprint of 32 bytes, separated by spaces",
            parse: { parseAll(words($0)) { AndroidApp($0) == nil ? nil : $0 } }, text: { $0.joined(separator: " ") })
    }

    /// URLs of apps, exact.
    package static var redirects: Self {
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
    package static var roles: Self {
        Self(
            expected: "words such as client editor, no administrative roles, or none",
            parse: { parseAll(listWords($0)) { AccountService.isWord($0) && !Role.isWord($0) ? $0 : nil } },
            text: { $0.isEmpty ? emptyList : $0.joined(separator: " ") })
    }
}

extension SettingFormat where Value == [String] {
    /// Names of attributes, each once, or `none`.
    package static var attributeNames: Self {
        Self(
            expected: "up to 20 names such as company newsletter, not those of accounts, or none",
            parse: { text in
                let names = parseAll(listWords(text)) { AccountAttribute.isName($0) ? $0 : nil }
                return names.flatMap { $0.count <= 20 && Set($0).count == $0.count ? $0 : nil }
            }, text: { $0.isEmpty ? emptyList : $0.joined(separator: " ") })
    }
}

extension SettingFormat where Value == [String] {
    /// Beginnings of phone numbers, or `none`.
    package static var phonePrefixes: Self {
        Self(
            expected: "beginnings of phone numbers such as +49 +43, or none",
            parse: { text in
                parseAll(listWords(text)) { word in
                    let digits = word.utf8.dropFirst()
                    return word.utf8.first == UInt8(ascii: "+") && (1...10).contains(digits.count)
                        && digits.allSatisfy({ (0x30...0x39).contains($0) }) ? word : nil
                }
            }, text: { $0.isEmpty ? emptyList : $0.joined(separator: " ") })
    }
}

extension SettingFormat where Value == [AccountAttribute] {
    package static var attributes: Self {
        Self(
            parse: { text throws(SettingProblem) in
                var attributes: [AccountAttribute] = []
                for (index, word) in text.unicodeScalars.split(separator: " ").enumerated() {
                    do throws(OAuthClient.WordError) {
                        attributes.append(try AccountAttribute(parsing: String(word)))
                    } catch {
                        throw .unusable("in word \(index + 1) \(error.reason)")
                    }
                }
                guard Set(attributes.map(\.name)).count == attributes.count else {
                    throw .unusable("two attributes have the same name")
                }
                return attributes
            }, text: { $0.map(\.word).joined(separator: " ") }, tables: AccountAttribute.tables)
    }
}

extension SettingFormat where Value == Set<OAuthClient.GrantType> {
    /// Supported grant types, or `none`.
    package static var grants: Self {
        Self(
            expected: "some of \(OAuthClient.GrantType.supported.map(\.rawValue).joined(separator: " and ")), or none",
            parse: { parseAll(listWords($0), OAuthClient.GrantType.init(rawValue:)).map { Set($0) } },
            text: { $0.isEmpty ? emptyList : $0.map(\.rawValue).sorted().joined(separator: " ") })
    }
}

extension SettingFormat where Value == IdentityConfiguration.ClientCertificateSource {
    static var certificateSource: Self {
        Self(expected: "none, tls or proxy", parse: { Value(rawValue: $0) }, text: { $0.rawValue })
    }
}

extension SettingFormat where Value == IdentityConfiguration.SignUpAccess {
    static var signUpAccess: Self {
        Self(expected: "open, domains, invitation or closed", parse: { Value(rawValue: $0) }, text: { $0.rawValue })
    }
}

extension SettingFormat where Value == Set<SignInWay> {
    static var signInWays: Self {
        Self(
            expected: "words such as passkey code, of password, passkey, code and provider",
            parse: { Value(words: words($0)) }, text: { $0.words.joined(separator: " ") })
    }
}

extension SettingFormat where Value == IdentityConfiguration.RegistrationAccess {
    static var registration: Self {
        Self(expected: "off, token or open", parse: { Value(rawValue: $0) }, text: { $0.rawValue })
    }
}

extension SettingFormat where Value == SignatureAlgorithm {
    static var signingAlgorithm: Self {
        Self(
            expected: SignatureAlgorithm.ofSigningKeys.map(\.rawValue).joined(separator: ", "),
            parse: { text in SignatureAlgorithm.ofSigningKeys.first { $0.rawValue == text } }, text: { $0.rawValue })
    }
}

extension SettingFormat where Value == [OAuthClient] {
    package static var clients: Self {
        Self(
            expected: "words such as phone;confidential;grants=password,refresh_token;scopes=files:read",
            parse: { text in
                let clients = parseAll(text.unicodeScalars.split(separator: " ")) { OAuthClient(word: String($0)) }
                return clients.flatMap { Set($0.map(\.id)).count == $0.count ? $0 : nil }
            }, text: { $0.map(\.word).joined(separator: " ") },
            problem: { text in
                for (index, word) in text.unicodeScalars.split(separator: " ").enumerated() {
                    do throws(OAuthClient.WordError) { _ = try OAuthClient(parsing: String(word)) } catch {
                        return .unusable("in word \(index + 1) \(error.reason)")
                    }
                }
                return .unusable("two clients have the same id")
            }, tables: OAuthClient.tables)
    }
}

extension SettingFormat where Value == [ResourceServer] {
    package static var resources: Self {
        Self(
            parse: { text throws(SettingProblem) in
                var servers: [ResourceServer] = []
                for (index, word) in text.unicodeScalars.split(separator: " ").enumerated() {
                    do throws(OAuthClient.WordError) {
                        servers.append(try ResourceServer(parsing: String(word)))
                    } catch {
                        throw .unusable("in word \(index + 1) \(error.reason)")
                    }
                }
                return servers
            }, text: { $0.map(\.word).joined(separator: " ") }, tables: ResourceServer.tables)
    }
}

extension SettingFormat where Value == [UpstreamProvider] {
    package static var upstreams: Self {
        Self(
            expected: "words such as google;client_id=ID or staff;issuer=https://sso.example.com;client_id=ID",
            parse: { text in
                let providers = parseAll(text.unicodeScalars.split(separator: " ")) {
                    UpstreamProvider(word: String($0))
                }
                return providers.flatMap { Set($0.map(\.name)).count == $0.count ? $0 : nil }
            }, text: { $0.map(\.word).joined(separator: " ") }, tables: UpstreamProvider.tables)
    }
}

extension SettingFormat where Value == [Hook] {
    package static var hooks: Self {
        Self(
            expected: "words such as gate;on=sign_up;url=https://app.example.com/gate",
            parse: { text in
                let hooks = parseAll(text.unicodeScalars.split(separator: " ")) { Hook(word: String($0)) }
                return hooks.flatMap { Set($0.map(\.name)).count == $0.count ? $0 : nil }
            }, text: { $0.map(\.word).joined(separator: " ") }, tables: Hook.tables)
    }
}

extension SettingFormat where Value == [String: String] {
    /// Secrets by name; a secret may hold any character but a space.
    package static var secrets: Self {
        Self(
            expected: "words such as NAME=SECRET, each NAME once", parse: { pairs($0) { !$0.isEmpty } },
            text: { $0.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ") })
    }

    package static var digests: Self {
        Self(
            expected: "words such as ID=64 hexadecimal digits, each ID once, with '+' before a second digest",
            parse: { pairs($0) { VerifiableClient.secretDigests(in: $0) != nil } },
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
