// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchIdentity

/// The exports of servers and frameworks that operators run themselves.
extension ImportSource {
    static let ofFrameworks = [betterAuth, django, keycloak, pocketBase]

    /// The table `user` of better-auth, with the table `account` as the second file.
    private static let betterAuth = ImportSource(
        name: "better-auth", secondFileKey: { $0.id("userId", "user_id") }
    ) { (object, context) throws(CommandError) in
        guard let id = object.id("id") else { return nil }
        guard !object.isTrue("twoFactorEnabled", "two_factor_enabled") || context.skipsFactors else {
            throw .lostFactor("better-auth encrypts the secret of the authenticator app.")
        }
        var record: JSONObject = ["foreign_id": .string(id)]
        record.set("email", object.filled("email"))
        record["email_verified"] = object["emailVerified"] ?? object["email_verified"]
        record.set("username", object.filled("username"))
        record.set("name", object.filled("name"))
        record["created_at"] = object["createdAt"] ?? object["created_at"]
        let end = (object["banExpires"] ?? object["ban_expires"]).flatMap(ImportDate.date(of:)) ?? .distantFuture
        if object.isTrue("banned"), end > context.now { record["status"] = "banned" }
        var links: [JSONValue] = []
        for account in context.secondFile[id] ?? [] {
            guard let provider = account.filled("providerId", "provider_id") else { continue }
            if provider == "credential" {
                record.set("password_hash", account.filled("password"))
            } else if let subject = account.filled("accountId", "account_id") {
                links.append(["provider": .string(provider), "subject": .string(subject)])
            }
        }
        if !links.isEmpty { record["links"] = .array(links) }
        return record
    }

    /// The output of `manage.py dumpdata auth.user`, also with the project's user model; the second file is of allauth.
    private static let django = ImportSource(
        name: "django", secondFileKey: { $0["fields"]?.objectValue?.id("user") }
    ) { (object, context) throws(CommandError) in
        guard let fields = object["fields"]?.objectValue ?? (object["password"] == nil ? nil : object),
            let hash = fields["password"]?.stringValue
        else { return nil }
        var record = JSONObject()
        let id = object.id("pk", "id")
        record.set("foreign_id", id)
        record.set("email", fields.filled("email"))
        let username = fields.filled("username")
        record.set("username", username == fields.filled("email") ? nil : username)
        let parts = [fields.filled("first_name"), fields.filled("last_name")].compactMap(\.self)
        record.set("name", fields.filled("name") ?? (parts.isEmpty ? nil : parts.joined(separator: " ")))
        record.set("created_at", fields.filled("date_joined"))
        // Django marks an account without a password by an exclamation mark.
        if hash.utf8.first != UInt8(ascii: "!") { record.set("password_hash", hash) }
        if fields["is_active"] == false { record["status"] = "disabled" }
        try addAllauth(context.secondFile[id ?? ""] ?? [], to: &record, context)
        return record
    }

    /// Adds what django-allauth knows of a user: proved addresses, links to providers, second factors.
    private static func addAllauth(
        _ objects: [JSONObject], to record: inout JSONObject, _ context: Context
    ) throws(CommandError) {
        let email = record.filled("email")?.lowercasedASCII()
        var links: [JSONValue] = []
        for object in objects {
            guard let fields = object["fields"]?.objectValue else { continue }
            switch (object.filled("model"), fields.filled("type")) {
            case ("account.emailaddress", _):
                if fields["verified"] == true, fields.filled("email")?.lowercasedASCII() == email {
                    record["email_verified"] = true
                }
            case ("socialaccount.socialaccount", _):
                guard let provider = fields.filled("provider"), let subject = fields.filled("uid") else { continue }
                links.append(["provider": .string(provider), "subject": .string(subject)])
            case ("mfa.authenticator", "recovery_codes"): continue
            case ("mfa.authenticator", _) where context.skipsFactors: continue
            case ("mfa.authenticator", "totp"): record.set("totp_secret", fields.nested("data")?.filled("secret"))
            case ("mfa.authenticator", _): throw .lostFactor("The account has a security key.")
            default: continue
            }
        }
        if !links.isEmpty { record["links"] = .array(links) }
    }

    /// The users of a realm's export.
    private static let keycloak = ImportSource(
        name: "keycloak", listMembers: ["users"]
    ) { (object, context) throws(CommandError) in
        // Service accounts are clients.
        guard object.filled("serviceAccountClientId") == nil else { return nil }
        var record: JSONObject = ["email_verified": object["emailVerified"] ?? false]
        record.set("foreign_id", object.filled("id"))
        record.set("email", object.filled("email"))
        let username = object.filled("username")
        record.set("username", username == object.filled("email") ? nil : username)
        let parts = [object.filled("firstName"), object.filled("lastName")].compactMap(\.self)
        record.set("name", parts.isEmpty ? nil : parts.joined(separator: " "))
        record["created_at"] = object.milliseconds("createdTimestamp")
        if object["enabled"] == false { record["status"] = "disabled" }
        for credential in object["credentials"]?.arrayValue ?? [] {
            guard let credential = credential.objectValue, let type = credential.filled("type"),
                type != "recovery-authn-codes"
            else { continue }
            // Until version 7, the parameters were members of the credential.
            let old = credential.filled("hashedSaltedValue")
                .map { ["value": JSONValue.string($0), "salt": credential["salt"] ?? ""] as JSONObject }
            let secret = credential.nested("secretData") ?? old
            let data = credential.nested("credentialData") ?? credential
            switch type {
            case "password":
                do throws(CommandError) {
                    record["password_hash"] = .string(try KeycloakHash.text(secret, data))
                } catch {
                    guard context.skipsHashes else { throw error }
                }
            case "otp" where record["totp_secret"] == nil && !context.skipsFactors,
                "totp" where record["totp_secret"] == nil && !context.skipsFactors:
                guard let secret, let text = try KeycloakHash.secret(secret, data) else {
                    throw .lostFactor("The codes of the authenticator app are not those of the time.")
                }
                record["totp_secret"] = .string(text)
            case _ where context.skipsFactors: continue
            default: throw .lostFactor("The account has more second factors, of the type '\(type)' too.")
            }
        }
        let links = (object["federatedIdentities"]?.arrayValue ?? []).compactMap { identity -> JSONValue? in
            guard let identity = identity.objectValue, let provider = identity.filled("identityProvider"),
                let subject = identity.filled("userId")
            else { return nil }
            return ["provider": .string(provider), "subject": .string(subject)]
        }
        if !links.isEmpty { record["links"] = .array(links) }
        return record
    }

    /// The rows of PocketBase's table `users`, with the table `_externalAuths` as the second file.
    private static let pocketBase = ImportSource(
        name: "pocketbase", secondFileKey: { $0.filled("recordRef", "recordId") }
    ) { (object, context) throws(CommandError) in
        guard let id = object.filled("id") else { return nil }
        var record: JSONObject = ["foreign_id": .string(id), "email_verified": object["verified"] ?? false]
        record.set("email", object.filled("email"))
        record.set("username", object.filled("username"))
        record.set("name", object.filled("name"))
        record.set("created_at", object.filled("created"))
        record.set("password_hash", object.filled("password", "passwordHash"))
        let links = (context.secondFile[id] ?? []).compactMap { link -> JSONValue? in
            guard let provider = link.filled("provider"), let subject = link.filled("providerId") else { return nil }
            return ["provider": .string(provider), "subject": .string(subject)]
        }
        if !links.isEmpty { record["links"] = .array(links) }
        return record
    }
}

extension CommandError {
    /// The error of an account that would need its password only, after an import.
    fileprivate static func lostFactor(_ why: String) -> CommandError {
        .failed(why, hint: "--skip-factors imports the account without its second factor.")
    }
}

/// The credentials of Keycloak, whose parameters are beside the hash.
private enum KeycloakHash {
    /// Returns the hash with its parameters.
    static func text(_ secret: JSONObject?, _ data: JSONObject) throws(CommandError) -> String {
        guard let secret, let hash = secret.filled("value"), let algorithm = data.filled("algorithm") else {
            throw .failed(
                "The password is not hashed as in an export of Keycloak.",
                hint: "Export the realm by kc.sh, or import the account without the password: --skip-hashes")
        }
        // Extensions with other algorithms store the hash as crypt(3) writes it.
        if hash.utf8.first == UInt8(ascii: "$") { return hash }
        let salt = secret.filled("salt") ?? ""
        let iterations = data["hashIterations"]?.intValue ?? 0
        let extra = data.nested("additionalParameters")
        func parameter(_ name: String) -> String { extra?[name]?.arrayValue?.first?.stringValue ?? "" }
        switch algorithm {
        case "argon2":
            let version = parameter("version") == "1.0" ? "16" : "19"
            return "$argon2\(parameter("type"))$v=\(version)$m=\(parameter("memory")),t=\(iterations),"
                + "p=\(parameter("parallelism"))$\(unpadded(salt))$\(unpadded(hash))"
        case "pbkdf2", "pbkdf2-sha1", "pbkdf2-sha256", "pbkdf2-sha512":
            let function = algorithm == "pbkdf2" ? "pbkdf2-sha1" : algorithm
            return "$\(function)$\(iterations)$\(unpadded(salt))$\(unpadded(hash))"
        default:
            throw .failed(
                "The algorithm '\(algorithm)' of a password is not one of Keycloak's own.",
                hint: "Known are argon2, pbkdf2, pbkdf2-sha256 and pbkdf2-sha512.")
        }
    }

    /// Returns the secret of an authenticator app in Base32; nil for codes of another form.
    static func secret(_ secret: JSONObject, _ data: JSONObject) throws(CommandError) -> String? {
        guard let value = secret.filled("value"), data.filled("subType") ?? "totp" == "totp" else { return nil }
        guard data["digits"]?.intValue ?? 6 == 6, data["period"]?.intValue ?? 30 == 30,
            data.filled("algorithm") ?? "HmacSHA1" == "HmacSHA1"
        else {
            throw .lostFactor("The codes of the authenticator app are not six digits, every 30 seconds, with SHA-1.")
        }
        return data.filled("secretEncoding") == "BASE32" ? value : Base32.encode(Array(value.utf8))
    }

    private static func unpadded(_ text: String) -> String {
        String(decoding: text.utf8.filter { $0 != UInt8(ascii: "=") }, as: UTF8.self)
    }
}
