// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchFoundation
package import LatchIdentityStorage
import LatchJOSE
import LatchWebAuthn

/// The reader and the writer of an account as one JSON object, the format of imports and exports.
///
/// Its members are those of Documentation/Moving.md.
package struct AccountRecordCoder: Sendable {
    let cipher: TOTPSecretCipher
    let random: RandomSource
    /// The issuer of each configured provider by its name; nil for one whose users have different issuers.
    let issuers: [String: String?]
    /// The domain of the passkeys; nil if the public URL does not permit them.
    let relyingPartyID: String?
    let attributes: AttributeRules

    package init(
        cipher: TOTPSecretCipher, random: RandomSource, issuers: [String: String?], relyingPartyID: String?,
        attributes: AttributeRules
    ) {
        self.cipher = cipher
        self.random = random
        self.issuers = issuers
        self.relyingPartyID = relyingPartyID
        self.attributes = attributes
    }

    /// Returns the account of a record, with a new ID.
    ///
    /// - Throws: `IdentityError.invalidInput` with the member, `.invalidEmail` or `.invalidUsername`.
    func account(_ json: JSONValue, at now: Date) throws(IdentityError) -> ImportedAccount {
        guard let object = json.objectValue else { throw .invalidRecord("record", "is not a JSON object") }
        var members = RecordMembers(object)
        let email = try EmailAddress(try members.required("email"))
        let created = try members.date("created_at", upTo: now) ?? now
        let isVerified = try members.flag("email_verified") ?? false
        var account = Account(
            id: random.newID(at: now), email: email, passwordChangedAt: now,
            emailVerifiedAt: isVerified ? created : nil,
            // Who verified the address there also chose the password there.
            ownerProvedAt: isVerified ? created : nil, createdAt: created)
        account.username = try members.text("username").map { text throws(IdentityError) in try Username(choosing: text)
        }
        account.name = try AccountService.validated(name: try members.text("name"))
        let (roles, permissions) = (try members.words("roles"), try members.words("permissions"))
        try AccountService.requireWords(roles + permissions)
        account.roles = AccountService.completed(roles)
        account.permissions = permissions
        if let status = try members.text("status") {
            guard let known = Account.Status(rawValue: status), Account.Status.settable.contains(known) else {
                throw .invalidRecord(
                    "status", "is none of \(Account.Status.settable.map(\.rawValue).joined(separator: ", "))")
            }
            account.status = known
        }
        account.passwordHash = try members.text("password_hash").map(Self.hash)
        account.foreignID = try members.text("foreign_id").map { text throws(IdentityError) in
            guard text.utf8.count <= 200, text.isPlain else {
                throw .invalidRecord("foreign_id", "is longer than 200 bytes or contains control characters")
            }
            return text
        }
        account.phone = try members.text("phone").map { text throws(IdentityError) in
            do throws(IdentityError) { return try PhoneNumber(text) } catch {
                throw .invalidRecord("phone", "needs + and 7 to 15 digits")
            }
        }
        if try members.flag("phone_verified") == true, account.phone != nil { account.phoneVerifiedAt = created }
        account.attributes = try attributes.imported(members.object("attributes") ?? [:])
        account.acceptedTerms = try terms(&members, at: now)
        var imported = ImportedAccount(account)
        imported.factor = try factor(&members, of: account, at: now)
        imported.links = try links(&members)
        imported.passkeys = try passkeys(&members, of: account)
        try members.requireRead()
        return imported
    }

    /// Returns the text to store of a hash.
    ///
    /// - Throws: `IdentityError.invalidRecord` for a hash that is not readable, or too costly.
    private static func hash(_ text: String) throws(IdentityError) -> String {
        if let stored = ImportedPasswordHash(stored: text) { return stored.stored }
        do throws(ImportedHashError) { return try ImportedPasswordHash(parsing: text).stored } catch {
            throw .invalidRecord("password_hash", "").with(message: error.message, hint: error.hint)
        }
    }

    private func terms(_ members: inout RecordMembers, at now: Date) throws(IdentityError) -> AcceptedTerms? {
        guard let object = try members.object("accepted_terms") else { return nil }
        var terms = RecordMembers(object, in: "accepted_terms")
        let version = try terms.required("version")
        guard (1...64).contains(version.utf8.count), version.isPlain else {
            throw .invalidRecord("accepted_terms", "must have a version of 1 to 64 bytes without control characters")
        }
        let accepted = try terms.date("at", upTo: now) ?? now
        try terms.requireRead()
        return AcceptedTerms(version: version, acceptedAt: accepted)
    }

    private func factor(
        _ members: inout RecordMembers, of account: Account, at now: Date
    ) throws(IdentityError) -> SecondFactor? {
        guard let text = try members.text("totp_secret") else { return nil }
        guard let secret = Base32.decode(text), (10...64).contains(secret.count) else {
            throw .invalidRecord(
                "totp_secret", "is not a secret of 10 to 64 bytes in Base32",
                hint: "It must be for codes of six digits, every 30 seconds, with SHA-1, as in most apps.")
        }
        return SecondFactor(
            accountID: account.id, sealedSecret: try cipher.seal(secret, of: account.id), isConfirmed: true,
            createdAt: now)
    }

    private func links(_ members: inout RecordMembers) throws(IdentityError) -> [UpstreamIdentity] {
        let objects = try members.objects("links")
        guard objects.count <= 20 else { throw .invalidRecord("links", "are more than 20") }
        return try objects.map { object throws(IdentityError) in
            var link = RecordMembers(object, in: "links")
            let provider = try link.required("provider")
            guard let known = issuers[provider] else {
                throw .invalidRecord(
                    "links", "name a provider that the server does not have",
                    hint: issuers.isEmpty
                        ? "Configure it first: see [[upstreams]] in the settings."
                        : "It has \(issuers.keys.sorted().joined(separator: ", ")).")
            }
            // Providers report addresses that no account here could have.
            let reported = try link.text("email")
            let email = reported.flatMap { try? EmailAddress($0) }
            let given = try link.text("issuer")
            let issuer = if let given { given } else { try Self.issuer(known, of: provider) }
            let identity = UpstreamIdentity(
                issuer: issuer, subject: try link.required("subject"), provider: provider,
                email: email)
            for (name, text) in [("issuer", identity.issuer), ("subject", identity.subject)] {
                guard text.utf8.count <= 255, text.isPlain else {
                    throw .invalidRecord("links", "have a \(name) of more than 255 bytes or with control characters")
                }
            }
            try link.requireRead()
            return identity
        }
    }

    /// Returns the issuer of a provider; that of Microsoft differs by the user's directory.
    private static func issuer(_ known: String?, of provider: String) throws(IdentityError) -> String {
        guard let known else {
            throw .invalidRecord(
                "links", "to \(provider) need an 'issuer'",
                hint: "It is that of the user's directory. Or leave the links out.")
        }
        return known
    }

    /// Returns the words that a registration would store.
    private static func transports(_ words: [String]) -> String {
        words.filter { $0.isWord(maximum: 32, also: "-") }.prefix(8).joined(separator: " ")
    }

    private static func domain(_ text: String?) throws(IdentityError) -> String? {
        guard let text else { return nil }
        guard text.isWord(maximum: 253, also: "-.") else {
            throw .invalidRecord("passkeys", "have a relying_party that is not a domain")
        }
        return text
    }

    private func passkeys(_ members: inout RecordMembers, of account: Account) throws(IdentityError) -> [Passkey] {
        let objects = try members.objects("passkeys")
        guard objects.count <= Passkey.maximumCount else {
            throw .invalidRecord("passkeys", "are more than \(Passkey.maximumCount)")
        }
        return try objects.map { object throws(IdentityError) in
            var passkey = RecordMembers(object, in: "passkeys")
            let id = try passkey.bytes("id", 1...1023)
            let key = try passkey.bytes("public_key", 1...2048)
            do { _ = try COSEKey(key) } catch {
                throw .invalidRecord("passkeys", "have a public_key that is not a COSE key of ES256, RS256 or EdDSA")
            }
            let isEligible = try passkey.flag("backup_eligible") ?? false
            let count = try passkey.number("sign_count") ?? 0
            guard let counter = UInt32(exactly: count) else {
                throw .invalidRecord("passkeys", "have a sign_count out of range")
            }
            let name = try AccountService.validated(name: try passkey.text("name"))
            let made = Passkey(
                id: id, accountID: account.id,
                relyingPartyID: try Self.domain(passkey.text("relying_party")) ?? relyingPartyID,
                publicKey: key, counter: counter, isBackupEligible: isEligible,
                isBackedUp: try passkey.flag("backed_up") ?? isEligible,
                aaguid: try passkey.optionalBytes("aaguid", 16...16) ?? [UInt8](repeating: 0, count: 16),
                transports: Self.transports(try passkey.words("transports")),
                name: name ?? "Passkey",
                createdAt: try passkey.date("created_at", upTo: account.passwordChangedAt) ?? account.createdAt,
                userHandle: try passkey.optionalBytes("user_handle", 1...64))
            try passkey.requireRead()
            return made
        }
    }
}

extension AccountRecordCoder {
    /// Returns the record of an account, from which another server makes an account with the same ways to sign in.
    ///
    /// It contains secrets: the hash of the password and the secret of the authenticator app.
    ///
    /// - Throws: `IdentityError.factorUnreadable` if the secret was stored with another pepper.
    package func json(_ imported: ImportedAccount) throws(IdentityError) -> JSONObject {
        let account = imported.account
        var json: JSONObject = [
            "foreign_id": .string(account.foreignID ?? account.id), "email": .optional(account.email?.text),
            "email_verified": .bool(account.isOwnersAddress), "created_at": .date(account.createdAt),
        ]
        json["username"] = account.username.map { .string($0.text) }
        json["name"] = account.name.map { .string($0) }
        json["phone"] = account.phone.map { .string($0.text) }
        json["phone_verified"] = account.phone.map { _ in .bool(account.phoneVerifiedAt != nil) }
        if !account.roles.isEmpty { json["roles"] = .array(account.roles.map { .string($0) }) }
        if !account.permissions.isEmpty {
            json["permissions"] = .array(account.permissions.map { .string($0) })
        }
        if account.status != .active { json["status"] = .string(account.status.rawValue) }
        json["password_hash"] = account.passwordHash.map { .string($0) }
        if let factor = imported.factor, factor.isConfirmed {
            json["totp_secret"] = .string(Base32.encode(try cipher.open(factor.sealedSecret, of: account.id)))
        }
        if !imported.links.isEmpty {
            json["links"] = .array(
                imported.links.map { link in
                    var json: JSONObject = [
                        "provider": .string(link.provider), "issuer": .string(link.issuer),
                        "subject": .string(link.subject),
                    ]
                    json["email"] = link.email.map { .string($0.text) }
                    return .object(json)
                })
        }
        if !imported.passkeys.isEmpty { json["passkeys"] = .array(imported.passkeys.map { .object(Self.json($0)) }) }
        if !account.attributes.isEmpty { json["attributes"] = .object(JSONObject(sorting: account.attributes)) }
        json["accepted_terms"] = account.acceptedTerms.map {
            ["version": .string($0.version), "at": .date($0.acceptedAt)]
        }
        return json
    }

    private static func json(_ passkey: Passkey) -> JSONObject {
        var json: JSONObject = [
            "id": .string(Base64URL.encode(passkey.id)), "public_key": .string(Base64URL.encode(passkey.publicKey)),
            "user_handle": .string(Base64URL.encode(passkey.userHandle ?? Passkey.userHandle(of: passkey.accountID))),
            "sign_count": .integer(Int64(passkey.counter)), "backup_eligible": .bool(passkey.isBackupEligible),
            "backed_up": .bool(passkey.isBackedUp), "aaguid": .string(Base64URL.encode(passkey.aaguid)),
            "name": .string(passkey.name), "created_at": .date(passkey.createdAt),
        ]
        json["relying_party"] = passkey.relyingPartyID.map { .string($0) }
        if !passkey.transports.isEmpty { json["transports"] = .string(passkey.transports) }
        return json
    }
}
