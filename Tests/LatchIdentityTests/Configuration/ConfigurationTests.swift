// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct ConfigurationTests {
    private func failure(_ values: [String: String]) -> IdentityError? {
        do throws(IdentityError) {
            _ = try IdentityConfiguration(values: values)
            return nil
        } catch {
            return error
        }
    }

    @Test func `The settings have the defaults of the contract`() {
        let configuration = IdentityConfiguration()
        expectEqual(configuration.accessTokenLifetime, .seconds(900))
        expectEqual(configuration.refreshTokenLifetime, .seconds(2_592_000))
        expectEqual(configuration.replayWindow, .seconds(30))
        #expect(!configuration.requireVerifiedEmail)
        #expect(configuration.scopes == [] && configuration.defaultScopes == [])
        expectEqual(configuration.argon2MemoryKiB, 19_456)
        expectEqual(configuration.argon2Passes, 2)
    }

    @Test func `The settings are read from text by their names`() throws {
        let configuration = try IdentityConfiguration(values: [
            "access_token_lifetime": "60", "refresh_token_lifetime": "3600", "replay_window": "0",
            "require_verified_email": "TRUE", "argon2_memory_kib": "1024", "argon2_passes": "3",
            "login_limit_per_minute": "5", "mail_directory": "/var/mail", "smtp_url": "smtp://localhost",
            "admin_listen": "127.0.0.1:9000", "issuer": "https://id.example.com",
            "allowed_origins": "https://a.example, https://b.example", "mail_sender": "id@example.com",
        ])
        expectEqual(configuration.accessTokenLifetime, .seconds(60))
        expectEqual(configuration.replayWindow, .zero)
        #expect(configuration.requireVerifiedEmail)
        expectEqual(configuration.argon2MemoryKiB, 1024)
        expectEqual(configuration.mailDirectory, "/var/mail")
        expectEqual(configuration.adminListen, "127.0.0.1:9000")
        expectEqual(configuration.allowedOrigins, ["https://a.example", "https://b.example"])
        expectEqual(configuration.mailSender, "id@example.com")
    }

    @Test(arguments: [
        ("access_token_lifetime", "soon"), ("access_token_lifetime", "0"), ("access_token_lifetime", "-5"),
        ("access_token_lifetime", "99999999999999999999"), ("require_verified_email", "maybe"),
        ("argon2_memory_kib", "4294967296"), ("argon2_passes", "1.5"), ("mail_sender", "nobody"),
        ("mail_sender", "a@example.com\r\nBcc: b@example.com"),
    ])
    func `The settings with impossible values are refused by name, with the allowed values`(key: String, value: String)
    {
        let error = failure([key: value])
        expectEqual(error?.code, IdentityError.invalidSetting.code)
        expectEqual(error?.message.contains(key), true)
        #expect(error?.hint != nil)
    }

    @Test func `The settings with unknown names are refused with the intended name`() {
        let error = failure(["access_token_lifetme": "60"])
        expectEqual(error?.message.contains("access_token_lifetme"), true)
        expectEqual(error?.hint?.contains("access_token_lifetime"), true)
    }

    @Test func `The settings have unique keys and a summary`() {
        expectEqual(Set(IdentityConfiguration.settings.map(\.key)).count, IdentityConfiguration.settings.count)
        #expect(IdentityConfiguration.settings.allSatisfy { !$0.summary.isEmpty })
    }

    @Test(.tags(.silentTokens)) func `The settings never show a secret, not even in an error`() throws {
        let configuration = try IdentityConfiguration(values: [
            "smtp_url": "smtps://user:hunter2@mail.example.com", "token_pepper": "hunter3",
        ])
        var dumped = ""
        dump(configuration, to: &dumped)
        let shown = "\(configuration) \(String(reflecting: configuration)) \(dumped)"
        #expect(!shown.contains("hunter"))
        #expect(shown.contains("smtp_url = (redacted)"))
        #expect(shown.contains("access_token_lifetime = 900"))
    }

    @Test func `The settings come back from their own text`() throws {
        var configuration = IdentityConfiguration()
        configuration.issuer = "https://id.example.com"
        configuration.replayWindow = .seconds(5)
        let shown = IdentityConfiguration.settings.filter { !$0.isSecret }.map { ($0.key, $0.shown(in: configuration)) }
        try expectEqual(IdentityConfiguration(values: Dictionary(uniqueKeysWithValues: shown)), configuration)
    }
}
