// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore

/// One setting of the server: its name in a file and in the environment, and how its text is read.
public struct IdentitySetting: Sendable {
    /// The name in a configuration file.
    public let key: String
    /// What it is for, in one line.
    public let summary: String
    /// Whether its value must not be shown.
    public let isSecret: Bool
    /// Reads a text into a configuration; what it throws names the key and what it may be, never the text.
    let apply: @Sendable (String, inout IdentityConfiguration) throws(IdentityError) -> Void
    /// Writes the value as `apply` reads it, so that what is printed can be used as a file again.
    let read: @Sendable (IdentityConfiguration) -> String?

    /// The name in the environment: `LATCH_` and the key in capitals.
    public var environmentName: String { "LATCH_" + key.uppercased() }

    /// The value in a configuration as text, redacted where it is a secret, empty where there is none.
    public func shown(in configuration: IdentityConfiguration) -> String {
        let text = read(configuration) ?? ""
        return isSecret && !text.isEmpty ? "(redacted)" : text
    }

    /// Every setting there is.
    public static let all: [IdentitySetting] = [
        .issuer("issuer", \.issuer, "the public URL of the server"),
        .text("audience", \.audience, "the audience of access tokens; the issuer if not set"),
        .seconds("access_token_lifetime", \.accessTokenLifetime, 1...86_400, "seconds an access token is valid"),
        .seconds(
            "refresh_token_lifetime", \.refreshTokenLifetime, 1...31_536_000, "seconds a device stays signed in at most"
        ),
        .seconds("replay_window", \.replayWindow, 0...3600, "seconds in which a lost renewal is answered again"),
        .seconds(
            "keyed_replay_window", \.keyedReplayWindow, 0...604_800, "the same for repeats with an Idempotency-Key"),
        .seconds(
            "verification_lifetime", \.verificationLifetime, 60...2_592_000, "seconds a verification link is valid"),
        .seconds("reset_lifetime", \.resetLifetime, 60...86_400, "seconds a password reset link is valid"),
        .flag("require_verified_email", \.requireVerifiedEmail, "whether a login needs a verified address"),
        .firstAdministrator,
        .number("argon2_memory_kib", \.argon2MemoryKiB, 8...1_048_576, "memory of a password hash in KiB"),
        .number("argon2_passes", \.argon2Passes, 1...16, "passes of a password hash"),
        .number("password_queue_limit", \.passwordQueueLimit, 1...100_000, "password hashes that may wait"),
        .number("login_limit_per_minute", \.loginLimitPerMinute, 1...1_000_000, "wrong passwords per minute"),
        .origins("allowed_origins", \.allowedOrigins, "origins that may use the refresh cookie, separated by spaces"),
        .text("mail_directory", \.mailDirectory, "a folder that takes mails as files, for development"),
        .text("smtp_url", \.smtpURL, "the mail server", isSecret: true),
        .sender("mail_sender", \.mailSender, "the sender of mails"),
        .text("token_pepper", \.tokenPepper, "a secret kept outside of the store", isSecret: true),
        .scopes("scopes", \.scopes, "every scope that the server knows, separated by spaces"),
        .scopes("default_scopes", \.defaultScopes, "what a login gets that asks for no scope"),
        .apps, .appSecrets, .firstPartyGrants,
        .firstPartyScopes,
        .number("token_limit_per_minute", \.tokenLimitPerMinute, 1...10_000_000, "token requests of one network"),
        .number("renewal_limit_per_minute", \.renewalLimitPerMinute, 1...10_000_000, "renewals of one account"),
        .flag("sample_resource", \.hasSampleResource, "whether /widgets, /projects and /files are there"),
        .flag("user_service", \.hasUserService, "whether the calls of userservice.v1 are there"),
        .text("admin_listen", \.adminListen, "where the administration listens, HOST:PORT"),
    ]
}

extension IdentitySetting {
    /// A property of the configuration that a setting writes.
    private typealias Path<Value> = any WritableKeyPath<IdentityConfiguration, Value> & Sendable

    /// Text as it stands; empty is the same as not set, since neither a shell nor a file can spell "nothing" otherwise.
    private static func text(
        _ key: String, _ path: Path<String?>, _ summary: String, isSecret: Bool = false
    ) -> IdentitySetting {
        IdentitySetting(
            key: key, summary: summary, isSecret: isSecret,
            apply: { value, target throws(IdentityError) in target[keyPath: path] = value.isEmpty ? nil : value },
            read: { $0[keyPath: path] })
    }

    /// An address that cannot carry a second header field into a mail (RFC 5322 §2.2).
    private static func sender(_ key: String, _ path: Path<String>, _ summary: String) -> IdentitySetting {
        IdentitySetting(
            key: key, summary: summary, isSecret: false,
            apply: { value, target throws(IdentityError) in
                do throws(IdentityError) {
                    target[keyPath: path] = try EmailAddress(value).text
                } catch {
                    throw .invalidSetting(key, "an e-mail address")
                }
            },
            read: { $0[keyPath: path] })
    }

    /// RFC 8414 §2: a URL without query and fragment; mails carry links that begin with it.
    private static func issuer(_ key: String, _ path: Path<String?>, _ summary: String) -> IdentitySetting {
        IdentitySetting(
            key: key, summary: summary, isSecret: false,
            apply: { value, target throws(IdentityError) in
                guard value.isEmpty || PublicURL.isOne(value) else {
                    throw .invalidSetting(key, "a URL such as https://id.example.com, without query and fragment")
                }
                target[keyPath: path] = value.isEmpty ? nil : value
            },
            read: { $0[keyPath: path] })
    }

    /// Origins as browsers send them (RFC 6454 §6.2); `*` and `null` are nobody's and would let everybody in.
    private static func origins(_ key: String, _ path: Path<[String]>, _ summary: String) -> IdentitySetting {
        IdentitySetting(
            key: key, summary: summary, isSecret: false,
            apply: { value, target throws(IdentityError) in
                let origins = value.split { $0 == " " || $0 == "," }.map(String.init)
                guard origins.allSatisfy(PublicURL.isOrigin) else {
                    throw .invalidSetting(key, "origins such as https://app.example.com, separated by spaces")
                }
                target[keyPath: path] = origins
            },
            read: { $0[keyPath: path].joined(separator: " ") })
    }

    /// A count, whose bounds are those within which the server has been tried.
    ///
    /// What is refused is told by its key and the range, and never by its text.
    private static func number(
        _ key: String, _ path: Path<Int>, _ range: ClosedRange<Int>, _ summary: String
    ) -> IdentitySetting {
        IdentitySetting(
            key: key, summary: summary, isSecret: false,
            apply: { value, target throws(IdentityError) in
                target[keyPath: path] = try whole(value, of: key, in: range)
            },
            read: { String($0[keyPath: path]) })
    }

    /// A time in whole seconds, which every tool writes in the same way.
    ///
    /// A suffix such as "15m" is refused and not guessed at; a fraction of a second is refused as well.
    private static func seconds(
        _ key: String, _ path: Path<Duration>, _ range: ClosedRange<Int>, _ summary: String
    ) -> IdentitySetting {
        IdentitySetting(
            key: key, summary: summary, isSecret: false,
            apply: { value, target throws(IdentityError) in
                target[keyPath: path] = .seconds(try whole(value, of: key, in: range))
            },
            read: { String($0[keyPath: path].components.seconds) })
    }

    /// The spellings that shells and files use; anything else is refused, since a misspelt "true" must not mean
    /// "false".
    private static func flag(_ key: String, _ path: Path<Bool>, _ summary: String) -> IdentitySetting {
        IdentitySetting(
            key: key, summary: summary, isSecret: false,
            apply: { value, target throws(IdentityError) in
                switch value.lowercased() {
                case "true", "yes", "1", "on": target[keyPath: path] = true
                case "false", "no", "0", "off": target[keyPath: path] = false
                default: throw .invalidSetting(key, "true or false")
                }
            },
            read: { String($0[keyPath: path]) })
    }

    /// Decimal digits within a range; a number too large for 64 bits is out of the range as well.
    private static func whole(
        _ value: String, of key: String, in range: ClosedRange<Int>
    ) throws(IdentityError) -> Int {
        guard let number = Int(value), range.contains(number) else {
            throw .invalidSetting(key, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
