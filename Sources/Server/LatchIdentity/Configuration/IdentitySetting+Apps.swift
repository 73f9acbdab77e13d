// SPDX-License-Identifier: Apache-2.0

import LatchAuth

/// The settings that say who may have which tokens.
extension IdentitySetting {
    /// A list of scopes; what is no scope-token (RFC 6749 §3.3) is refused, or a typo would take a right away.
    static func scopes(
        _ key: String, _ path: any WritableKeyPath<IdentityConfiguration, Scopes> & Sendable, _ summary: String
    ) -> IdentitySetting {
        IdentitySetting(
            key: key, summary: summary, isSecret: false,
            apply: { value, target throws(IdentityError) in
                target[keyPath: path] = try list(value, of: key)
            },
            read: { text($0[keyPath: path]) })
    }

    /// How an empty list is written: left empty, a setting is not set, and has its default.
    private static let nothing = "none"

    private static func text(_ scopes: Scopes) -> String { scopes.isEmpty ? nothing : scopes.text }

    static let firstAdministrator = IdentitySetting(
        key: "first_administrator", summary: "the address whose account becomes the first administrator",
        isSecret: false,
        apply: { value, target throws(IdentityError) in
            do throws(IdentityError) {
                target.firstAdministrator = value.isEmpty ? nil : try EmailAddress(value).text
            } catch {
                throw .invalidSetting("first_administrator", "an e-mail address")
            }
        },
        read: { $0.firstAdministrator })

    static let apps = IdentitySetting(
        key: "apps", summary: "apps by client_id, such as phone;grants=password,refresh_token;scopes=files:read",
        isSecret: false,
        apply: { value, target throws(IdentityError) in
            let words = value.split(separator: " ").map(String.init)
            let apps = words.compactMap(RegisteredApp.init(word:))
            guard apps.count == words.count, Set(apps.map(\.id)).count == apps.count else {
                throw .invalidSetting(
                    "apps", "words such as phone;confidential;grants=password,refresh_token;scopes=files:read")
            }
            target.apps = apps
        },
        read: { $0.apps.map(\.word).joined(separator: " ") })

    static let appSecrets = IdentitySetting(
        key: "app_secrets", summary: "the SHA-256 of confidential apps' random secrets, ID=HEX", isSecret: true,
        apply: { value, target throws(IdentityError) in
            var digests: [String: String] = [:]
            for word in value.split(separator: " ") {
                let pair = word.split(separator: "=", maxSplits: 1)
                guard pair.count == 2, RegisteredApps.bytes(ofDigest: String(pair[1])) != nil,
                    digests.updateValue(String(pair[1]), forKey: String(pair[0])) == nil
                else { throw .invalidSetting("app_secrets", "words such as ID=64 hexadecimal digits, each ID once") }
            }
            target.appSecretDigests = digests
        },
        read: { $0.appSecretDigests.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ") })

    static let firstPartyGrants = IdentitySetting(
        key: "first_party_grants", summary: "what token requests without client_id may use", isSecret: false,
        apply: { value, target throws(IdentityError) in
            let words = value == nothing ? [] : words(value)
            let grants = words.compactMap(RegisteredApp.Grant.init)
            guard grants.count == words.count else {
                throw .invalidSetting("first_party_grants", "some of password and refresh_token, or none")
            }
            target.firstPartyGrants = Set(grants)
        },
        read: {
            $0.firstPartyGrants.isEmpty ? nothing : $0.firstPartyGrants.map(\.rawValue).sorted().joined(separator: " ")
        })

    static let firstPartyScopes = IdentitySetting(
        key: "first_party_scopes", summary: "what their tokens may hold at most; every scope if not set",
        isSecret: false,
        apply: { value, target throws(IdentityError) in
            target.firstPartyScopes = value.isEmpty ? nil : try list(value, of: "first_party_scopes")
        },
        read: { $0.firstPartyScopes.map(text) })

    private static func list(_ value: String, of key: String) throws(IdentityError) -> Scopes {
        let words = value == nothing ? [] : words(value)
        let scopes = words.compactMap(Scope.init)
        guard scopes.count == words.count else { throw .invalidSetting(key, "scopes such as files:read files:write") }
        return Scopes(scopes)
    }

    private static func words(_ value: String) -> [String] {
        value.split { $0 == " " || $0 == "," }.map(String.init)
    }
}
