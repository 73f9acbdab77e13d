// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import Testing

@testable import LatchIdentity

/// Every setting with values that it takes and values that it refuses.
@Suite struct SettingValueTests {
    /// Key, texts that are taken, texts that are refused.
    static let table: [(key: String, good: [String], bad: [String])] = [
        (
            "issuer",
            [
                "", "https://id.example.com", "HTTP://127.0.0.1:8080/", "https://id.example.com/tenant",
                "http://[::1]:8080",
            ],
            [
                "id.example.com", "https://", "https:///path", "https://:8080", "ftp://id.example.com", "https://a b",
                "https://a?x=1", "https://a#b", "https://user@a", "javascript:alert(1)", "https://a\r\nBcc: b",
                #"https://a"><script>"#, "https://ümlaut.example",
            ]
        ),
        ("audience", ["", "api", "https://api.example.com"], []),
        ("access_token_lifetime", ["1", "86400"], ["0", "86401", "", "1.5", "60s", "0x10", " 60"]),
        ("access_token_algorithm", ["ES256", "RS256", "EdDSA"], ["", "es256", "none", "HS256", "PS256"]),
        ("refresh_token_lifetime", ["1", "31536000"], ["0", "31536001", "-1"]),
        ("replay_window", ["0", "3600"], ["-1", "3601", "none"]),
        ("keyed_replay_window", ["0", "604800"], ["-1", "604801"]),
        ("verification_lifetime", ["60", "2592000"], ["59", "2592001"]),
        ("reset_lifetime", ["60", "86400"], ["59", "86401"]),
        (
            "require_verified_email", ["true", "FALSE", "yes", "no", "on", "off", "1", "0"],
            ["", "ja", "2", "truee", " true"]
        ),
        ("signup", ["open", "domains", "invitation", "closed"], ["", "on", "Open"]),
        (
            "signup_domains", ["none", "example.com", "a.example B.example"],
            ["@a.example", "a b@c", "*.a.example", "a.b a.b"]
        ),
        ("terms_url", ["", "https://example.com/terms"], ["example.com/terms", "javascript:x", "ftp://example.com"]),
        ("privacy_url", ["", "https://example.com/privacy"], ["/privacy", "data:text/html,x"]),
        (
            "support_url", ["", "https://example.com/help", "mailto:help@example.com"],
            [
                "help@example.com", "mailto:", "mailto:a@b.example?bcc=x@y.example", "javascript:x",
                "mailto:a b@c.example",
            ]
        ),
        ("logo_file", [""], ["/nowhere/logo.png", "/", "/dev/zero"]),
        ("favicon_file", [""], ["/nowhere/icon.ico"]),
        ("mail_templates", [""], ["/nowhere", "/dev/null", "/dev"]),
        (
            "accent_color", ["", "#2456c9", "#000000", "#767676"],
            ["2456c9", "#fff", "red", "#ffcc00", "#777777", "#2456c9;"]
        ),
        ("background_color", ["", "#ffffff", "#ffcc00"], ["white", "#12345", "#1234567"]),
        ("recent_authentication", ["60", "86400"], ["59", "86401", "15m"]),
        ("deletion_delay", ["3600", "31536000"], ["3599", "31536001", "30d"]),
        ("factor_recovery_delay", ["", "172800", "31536000"], ["172799", "31536001", "7d"]),
        ("signing_key_lifetime", ["3600", "315360000"], ["3599", "315360001", "90d"]),
        ("audit_retention", ["86400", "3153600000"], ["86399", "3153600001"]),
        ("hsts_max_age", ["0", "315360000"], ["-1", "315360001", "1y"]),
        ("argon2_memory_kib", ["8", "1048576"], ["7", "1048577", "9223372036854775808"]),
        ("argon2_passes", ["1", "16"], ["0", "17"]),
        ("password_queue_limit", ["1", "100000"], ["0", "100001"]),
        ("login_limit_per_minute", ["1", "1000000"], ["0", "1000001"]),
        ("signup_limit_per_hour", ["1", "1000000"], ["0", "1000001"]),
        ("guest_limit_per_hour", ["1", "1000000"], ["0", "1000001"]),
        ("text_limit_per_hour", ["1", "1000000"], ["0", "1000001"]),
        ("phone_prefixes", ["none", "+49", "+1 +49 +43"], ["49", "+", "+49x", "+12345678901"]),
        ("guest_lifetime", ["3600", "31536000"], ["3599", "31536001", "30d"]),
        ("mail_limit_per_hour", ["1", "1000000"], ["0", "1000001"]),
        ("nodes", ["1", "1000"], ["0", "1001", "all"]),
        (
            "allowed_origins", ["", "https://a.example", "https://a.example/ http://localhost:3000,https://b.example"],
            ["*", "null", "a.example", "https://a.example/app", "https://a.example *", "https://*.a.example"]
        ),
        ("mail_directory", ["", "mails"], []),
        (
            "smtp_url", ["", "smtp://localhost", "smtps://ada:p%40ss@mail.example.com"],
            ["localhost", "https://user:x@example.com", "smtp://user:x@example.com/path", "smtp://x@", "smtp://%4:x@a"]
        ),
        (
            "mail_sender",
            [
                "a@example.com", "A <a@example.com>", #""Acme, Inc." <a@example.com>"#, "Zoë & Co <a@example.com>",
                #""a\"b" <a@example.com>"#, "<a@example.com>",
            ],
            [
                "", "a", "a@", "@b", "a@b\nc", "A <a@example.com> b", "Acme, Inc. <a@example.com>", "A <a>", "A <a@b",
                "A\r\nBcc: b@c.d <a@b.c>", #""A <a@b.c>"#, "A <a@b.c>, B <b@b.c>", "A\u{202E} <a@b.c>",
            ]
        ),
        (
            "mail_hello_name", ["", "mx.example.com", "vm"],
            ["mx_1.example.com", "mx..example.com", "[192.0.2.1]", "a b"]
        ),
        ("service_name", ["Acme", "Zoë & <Co>"], ["", " ", "a\nb", String(repeating: "x", count: 61)]),
        ("default_language", ["en", "de", "fr", "es"], ["", "nl", "EN", "de-CH"]),
        ("invitation_roles", ["none", "client", "client editor"], ["ä", "a\"b", "client admin"]),
        (
            "attributes",
            [
                "", "department", "department;values=Sales,R%26D%20Lab;scope=work;claim=https://example.com/department",
                "seats;type=number plan;type=text-list;maximum=4096;write=user",
                "note;type=json;maximum=1;read=administrator",
                "source;read=administrator;write=registration",
            ],
            [
                "2nd", "__proto__", "roles", "a a", "a;type=object", "a;type=", "a;values=", "a;values=b,b",
                "a;values=b%0Ac", "a;type=number;values=1", "a;maximum=0", "a;maximum=4097", "a;type=boolean;maximum=5",
                "a;read=owner", "a;write=user;read=administrator", "a;scope=work;read=administrator", "a;scope=openid",
                "a;scope=profile", "a;scope=work:admin", "a;scope=a,b", "a;claim=b", "a;scope=work;claim=sub",
                "a;scope=work;claim=email", "a;scope=work;claim=groups", "a;scope=work;claim=__proto__",
                "groups;scope=work",
                "a;secret=x", "a;type=text;type=json",
            ]
        ),
        (
            "signup_attributes", ["none", "company", "company newsletter_2"],
            ["2nd", "a-b", "email", "roles", "company company", (1...21).map { "a\($0)" }.joined(separator: " ")]
        ),
        ("terms_version", ["", "2026-01", "v 2"], [" ", "a\nb", String(repeating: "x", count: 65)]),
        ("first_administrator", ["", "ada@example.com"], ["ada", "a@", "a@b\nc"]),
        ("token_pepper", ["", "any text"], []),
        (
            "store_key", ["", String(repeating: "0a", count: 32), String(repeating: "Fe", count: 32)],
            ["0a", String(repeating: "0g", count: 32), String(repeating: "0a", count: 33)]
        ),
        ("scopes", ["none", "files:read", "files:read,files:write"], [#"a"b"#, "a b\u{1}", "ü"]),
        ("default_scopes", ["none", "files:read files:write"], [#"a\b"#]),
        (
            "resources", ["", "https://tools.example.com/mcp https://a.example;scopes=a:b,c"],
            [
                "tools", "https://a.example#b", "https://a.example;name=b", "https://a.example;scopes=ü",
                "https://a.example;scopes=openid",
            ]
        ),
        (
            "clients",
            [
                "", "phone",
                "phone;grants=password,refresh_token web;confidential;grants=refresh_token;scopes=files:read",
                "a;scopes=", "a;grants=",
            ],
            [
                "a a", "first-party", ";grants=password", "a;grants=implicit", "a;scopes=ü", "a;secret=x",
                "a;confidential=1",
                "a;", "a b;c", "ä",
            ]
        ),
        (
            "client_secrets",
            [
                "", "web=" + String(repeating: "0a", count: 32),
                "web=" + String(repeating: "0a", count: 32) + "+" + String(repeating: "0b", count: 32),
            ],
            [
                "web", "web=", "web=abc", "=" + String(repeating: "0a", count: 32),
                "web=" + String(repeating: "0g", count: 32),
            ]
        ),
        ("first_party_grants", ["none", "password", "password refresh_token"], ["implicit", "Password"]),
        ("first_party_scopes", ["", "none", "files:read"], [#"""#]),
        ("client_certificates", ["none", "tls", "proxy"], ["", "on", "TLS"]),
        (
            "mtls_url", ["", "https://mtls.example.com", "https://mtls.example.com/id"],
            ["mtls.example.com", "https://a?b"]
        ),
        ("registration", ["off", "token", "open"], ["", "on", "Open"]),
        ("registration_scopes", ["", "none", "files:read openid"], [#"""#]),
        ("registration_limit", ["1", "1000000"], ["0", "1000001"]),
        ("client_metadata_documents", ["true", "off"], ["maybe"]),
        ("token_limit_per_minute", ["1", "10000000"], ["0", "10000001"]),
        ("guests", ["true", "off"], ["", "maybe"]),
        ("sign_in_codes", ["true", "off"], ["", "email"]),
        (
            "sign_in_ways", ["", "password", "passkey code", "password passkey code provider"],
            ["passwords", "passkey passkey", "none", "provider:google"]
        ),
        ("sign_in_notices", ["true", "off"], ["", "never"]),
        ("require_owner_proof", ["true", "off"], ["maybe"]),
        ("request_limit_per_minute", ["1", "10000000"], ["0", "10000001"]),
        ("refresh_limit_per_minute", ["1", "10000000"], ["0", "10000001"]),
        (
            "upstreams",
            [
                "", "google;client_id=a", "staff;issuer=https://sso.example.com/x;client_id=b;secret_file=/s.txt",
                "microsoft;client_id=c;tenant=common;tenants=9188040d-6c67-4c5b-b112-36a304b66dad",
                "g2;kind=google;client_id=d;tenants=example.com;email_domains=example.com,gmail.com;scopes=openid,email",
                "apple;client_id=e;team_id=T;key_id=K github;client_id=f facebook;client_id=g",
            ],
            [
                "google", "google;client_id=", "google;client_id=a google;client_id=b", "Google;client_id=a",
                "links;client_id=a", "exchange;client_id=a", "x/y;client_id=a", "google;client_id=a;client_id=b",
                "google;client_id=a;secret=b", "google;client_id=a;kind=other", "x;client_id=a;issuer=javascript:1",
                "x;client_id=a;issuer=https://a?b", "google;client_id=a;email_domains=a@b", "ä;client_id=a",
            ]
        ),
        ("upstream_secrets", ["", "google=a", "google=a=b= staff=%:;ü"], ["google", "google=", "=a", "a=b a=c"]),
        (
            "hooks",
            [
                "", "gate;on=sign_up;url=https://app.example.com/gate?v=1",
                "a;on=token;url=http://127.0.0.1:9000/x;if_down=continue;secret_file=/s.txt;timeout=10",
                "b;on=events;url=https://b.example.com;events=account.*,device.signedIn c;on=events;url=https://c.example.com;events=*",
            ],
            [
                "gate", "gate;on=sign_up", "gate;url=https://a.example.com", "Gate;on=mail;url=https://a.example.com",
                "gate;on=other;url=https://a.example.com", "gate;on=mail;url=http://a.example.com",
                "gate;on=mail;url=https://u@a.example.com", "gate;on=mail;url=https://a.example.com/#x",
                "gate;on=mail;url=https://a.example.com;timeout=11",
                "gate;on=mail;url=https://a.example.com;if_down=no",
                "a;on=mail;url=https://a.example.com a;on=token;url=https://a.example.com",
                "a;on=events;url=https://a.example.com;events=", "a;on=events;url=https://a.example.com;events=x**",
            ]
        ),
        (
            "breached_passwords_url", ["", "https://api.pwnedpasswords.com/range", "http://127.0.0.1:90/range"],
            ["range", "https://a@b", "ftp://a.b", "http://a.example.com"]
        ),
        ("hook_secrets", ["", "gate=whsec_a crm=b"], ["gate", "gate=", "a=b a=c"]),
        ("sign_in_redirects", Self.redirects, Self.badRedirects),
        ("token_redirects", Self.redirects, Self.badRedirects),
        (
            "apple_app_ids", ["", "TEAMID1234.com.example.notes ABCDEFGHIJ.org.example.a-b"],
            ["com.example.notes", "TEAMID1234", "TEAMID1234.", "teamid1234.com.example", "TEAMID1234.a/b"]
        ),
        (
            "android_apps",
            ["", "com.example.notes=\(Self.fingerprint) com.example.a_b=\(Self.fingerprint.lowercased())"],
            [
                "com.example.notes", "=\(Self.fingerprint)", "com.example.notes=AB:CD",
                "com.example.notes=\(Self.fingerprint):00", "com/example=\(Self.fingerprint)",
                "com.example.notes=\(Self.fingerprint.replacing(":", with: ""))",
            ]
        ),
        ("app_url", ["", "notes://open", "https://app.example.com"], ["notes", "javascript://x", "notes://open?a=b"]),
        (
            "passkey_domain", ["", "example.com", "localhost"],
            ["https://example.com", "example.com/", ".com", "a..b", "a b"]
        ),
        (
            "passkey_origins",
            ["", "https://app.example.com android:apk-key-hash:" + String(repeating: "a", count: 43)],
            ["*", "null", "android:apk-key-hash:aa", "https://app.example.com/path"]
        ),
        ("browser_tokens", ["true", "off"], ["maybe"]),
        ("user_service", ["true", "false"], ["", "maybe"]),
        ("admin_listen", ["", "127.0.0.1:9000", "[::1]:0"], ["9000", ":9000", "::1:9000", "a:65536"]),
    ]

    private static let fingerprint = Array(repeating: "AB", count: 32).joined(separator: ":")
    private static let redirects = [
        "", "notes://auth/callback", "com.example.notes://cb https://app.example.com/cb", "http://127.0.0.1:8123/cb",
        "com.example.notes:/cb https://app.example.com/cb?x=1",
    ]
    private static let badRedirects = [
        "javascript://x", "data://x", "JAVASCRIPT://x", "notes:cb", "notes://", "http://app.example.com/cb",
        "notes:/", "https://app.example.com/cb?a=b&state=x", "https://app.example.com/cb?x=1#y",
        "https://app.example.com/cb#x",
        "https://user@app.example.com/cb", "://x",
        "file:///etc/passwd", "notes://a\"b", "*", "notes://auth/*?",
    ]

    @Test func `The value of a setting is tried here for every setting`() {
        expectEqual(Set(Self.table.map(\.key)), Set(IdentityConfiguration.settings.map(\.key)))
    }

    @Test(arguments: table.indices)
    func `The value of a setting is accepted if it fits, and shown in a readable form`(index: Int) throws {
        let (key, good, _) = Self.table[index]
        let setting = try #require(IdentityConfiguration.settings.first { $0.key == key })
        for text in good {
            let configuration = try IdentityConfiguration(values: [key: text])
            let shown = setting.shown(in: configuration)
            if setting.isSecret {
                expectEqual(shown, text.isEmpty ? "" : "(redacted)")
            } else {
                try expectEqual(IdentityConfiguration(values: [key: shown]), configuration, "\(key) = \(text)")
            }
        }
    }

    @Test(arguments: table.indices)
    func `The value of a setting is refused if it does not fit, by the setting's name only`(index: Int) {
        let (key, _, bad) = Self.table[index]
        for text in bad {
            let error = #expect(throws: IdentityError.self, "\(key) = \(text)") {
                try IdentityConfiguration(values: [key: text])
            }
            expectEqual(error?.code, IdentityError.invalidSetting.code)
            expectEqual(error?.message.hasPrefix("The setting '\(key)' "), true)
        }
    }

    @Test func `The value of a setting is not in the error, for it can be a secret under the wrong name`() {
        for (key, _, bad) in Self.table where !bad.isEmpty {
            let error = #expect(throws: (any Error).self) {
                try IdentityConfiguration(values: [key: "hunter2 \u{1}"])
            }
            #expect(!"\(error.map(String.init(describing:)) ?? "")".contains("hunter2"), "\(key)")
        }
    }

    @Test func `The value of a setting of the mailer decides where mail goes`() throws {
        #expect(try IdentityConfiguration(values: [:]).mailer() is UnconfiguredMailer)
        #expect(try IdentityConfiguration(values: ["mail_directory": "mails"]).mailer() is FileMailer)
        #expect(try IdentityConfiguration(values: ["smtp_url": "smtp://localhost"]).mailer() is SMTPMailer)
        let both = try IdentityConfiguration(values: ["mail_directory": "mails", "smtp_url": "smtp://localhost"])
        #expect(try both.mailer() is FileMailer)
        for url in ["https://user:hunter2@example.com", "smtp://user:hunter2@example.com/path", "smtp://hunter2@"] {
            let error = #expect(throws: IdentityError.self) {
                try IdentityConfiguration(values: ["smtp_url": url]).mailer()
            }
            expectEqual(error?.message.contains("smtp_url"), true)
            expectEqual(error.map { "\($0)".contains("hunter2") }, false)
        }
    }
}
