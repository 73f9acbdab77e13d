// SPDX-License-Identifier: Apache-2.0

import LatchCrypto

/// The apps of a configuration, and what their secrets must be.
struct RegisteredApps: Sendable {
    /// Stands for requests that name no app, which is how the clients of the seeds ask.
    let firstParty: RegisteredApp
    private let apps: [String: RegisteredApp]
    /// SHA-256 of the secrets of confidential apps.
    private let digests: [String: [UInt8]]

    /// - Throws: `IdentityError.invalidSetting` where an app is registered twice, a confidential one has no secret, or a
    ///   secret belongs to no confidential one: each of them would open what was meant to be closed.
    init(_ configuration: IdentityConfiguration) throws(IdentityError) {
        firstParty = RegisteredApp(
            id: RegisteredApp.firstPartyID, grants: configuration.firstPartyGrants,
            scopes: configuration.firstPartyScopes)
        var apps: [String: RegisteredApp] = [:]
        for app in configuration.apps {
            guard RegisteredApp.isID(app.id), app.id != firstParty.id, apps.updateValue(app, forKey: app.id) == nil
            else { throw .invalidSetting("apps", "a list of apps with different ids, none of them \(firstParty.id)") }
        }
        digests = configuration.appSecretDigests.compactMapValues(Self.bytes(ofDigest:))
        let confidential = Set(apps.values.filter(\.isConfidential).map(\.id))
        guard confidential == Set(digests.keys), digests.count == configuration.appSecretDigests.count else {
            throw .invalidSetting("app_secrets", "one ID=SHA256 for each confidential app, and for no other")
        }
        self.apps = apps
    }

    /// The app of an id; the server's own for nil.
    ///
    /// Nil where there is none of that id, or no more.
    subscript(id: String?) -> RegisteredApp? {
        guard let id, id != firstParty.id else { return firstParty }
        return apps[id]
    }

    /// The app, if it is what it says to be.
    ///
    /// - Parameters:
    ///   - id: Nil for a request that names none.
    ///   - secret: Nil where none was sent.
    /// - Returns: Nil for an unknown app, a wrong secret, and a public app with a secret, which has none to prove
    ///   anything with (attack J4).
    func authenticated(id: String?, secret: String?) -> RegisteredApp? {
        let app = self[id]
        guard let app, app.isConfidential, let expected = digests[app.id] else {
            return secret == nil && app?.isConfidential == false ? app : nil
        }
        // SHA-256 without a salt is enough for a secret of 256 random bits, and costs nothing that could be used against
        // the server.
        let digest = Array(SHA256.hash(data: Array((secret ?? "").utf8)))
        return constantTimeEquals(digest, expected) ? app : nil
    }

    /// The 32 bytes of a digest in hexadecimal.
    static func bytes(ofDigest text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == 64, text.utf8.count == 64 else { return nil }
        return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
