// SPDX-License-Identifier: Apache-2.0

/// How another library keeps an account in a `SecretStore`: which secret holds which part of it, and in which spelling.
///
/// A layout is data; ``LegacyMigration`` reads any of them. The names below are those of the five systems whose
/// documents the facades follow.
public struct LegacyLayout: Sendable, Hashable {
    /// What a place holds.
    public enum Part: Sendable, Hashable {
        /// In turn: the access token, the refresh token, the end of the access token, the granted scopes, the person.
        case access, refresh, expiry, scope, user
    }

    /// Since when the seconds of a date that is a number are counted; a text in ISO 8601 is read with either.
    public enum Epoch: Sendable, Hashable {
        /// Since 1970, as `timeIntervalSince1970` gives them.
        case unix
        /// Since 2001, as `JSONEncoder` writes a date unless told otherwise.
        case reference
    }

    /// Where one part is.
    public struct Place: Sendable, Hashable {
        /// The name of the secret.
        public let name: String
        /// The member, where the secret is a JSON object; nil where it is the part itself.
        public let member: String?
        /// What is there.
        public let part: Part

        /// The place of a part.
        public init(_ part: Part, in name: String, member: String? = nil) {
            self.name = name
            self.member = member
            self.part = part
        }
    }

    /// Where the parts are.
    public let places: [Place]
    /// Without any of these there is no account: half a pair proves nobody, and renews nothing.
    public let required: Set<Part>
    /// How dates that are numbers are counted.
    public let epoch: Epoch

    /// A layout of one's own.
    public init(places: [Place], required: Set<Part>, epoch: Epoch = .unix) {
        self.places = places
        self.required = required
        self.epoch = epoch
    }

    /// The names of the secrets, each once, in order.
    public var names: [String] {
        places.reduce(into: []) { names, place in if !names.contains(place.name) { names.append(place.name) } }
    }
}

extension LegacyLayout {
    /// Seed 000: `KeychainManager` keeps two texts.
    public static let axiom = LegacyLayout(
        places: [Place(.access, in: "access_token"), Place(.refresh, in: "refresh_token")],
        required: [.access, .refresh])

    /// Seed 001: `KeychainClient` keeps two texts under its `Keys`.
    public static let jwtAuth = LegacyLayout(
        places: [Place(.access, in: "accessToken"), Place(.refresh, in: "refreshToken")],
        required: [.access, .refresh])

    /// Seed 002: `KeychainTokenStore` keeps one JSON object for each account; the refresh token may be in a cookie.
    public static func authPackage(account: String = "auth.tokens") -> LegacyLayout {
        LegacyLayout(
            places: [
                Place(.access, in: account, member: "accessToken"),
                Place(.refresh, in: account, member: "refreshToken"),
                Place(.expiry, in: account, member: "expiry"),
            ], required: [.access], epoch: .reference)
    }

    /// Seed 003: `KeychainStorage` keeps one JSON object with a bearer token for each `StorageKey`.
    public static func nevod(key: String = "com.nevod.token") -> LegacyLayout {
        LegacyLayout(places: [Place(.access, in: key, member: "value")], required: [.access])
    }

    /// Seed 004: `KeychainWrapper` keeps five texts.
    public static let lazi = LegacyLayout(
        places: [
            Place(.access, in: "lazi.access_token"), Place(.refresh, in: "lazi.refresh_token"),
            Place(.expiry, in: "lazi.token_expiry"), Place(.user, in: "lazi.user_id"),
            Place(.scope, in: "lazi.granted_scopes"),
        ], required: [.access, .refresh])
}
