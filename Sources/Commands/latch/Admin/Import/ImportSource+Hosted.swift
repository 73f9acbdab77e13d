// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchIdentity

/// The exports of hosted services.
extension ImportSource {
    static let hosted = [auth0, cognito, firebase, supabase]

    /// The export of Auth0's users, with the hashes that its support sends as the second file; or the hashes alone.
    private static let auth0 = ImportSource(
        name: "auth0", secondFileKey: { auth0ID($0) },
        passwordHint: "Auth0's support sends the hashes: --with FILE"
    ) { (object, context) throws(CommandError) in
        guard let id = auth0ID(object) else { return nil }
        let hashes = context.secondFile[id]?.first ?? object
        var record: JSONObject = ["foreign_id": .string(id)]
        record["email_verified"] = object["email_verified"] ?? object["Email Verified"] ?? false
        record.set("email", object.filled("email", "Email"))
        record.set("username", object.filled("username", "Username"))
        // The name of a user without a name is the address.
        let name = object.filled("name", "Name")
        record.set("name", name == object.filled("email", "Email") ? nil : name)
        record.set("created_at", object.filled("created_at", "Created At"))
        record.set("password_hash", hashes.filled("passwordHash", "password_hash"))
        if object.isTrue("blocked") { record["status"] = "suspended" }
        let providers = ["google-oauth2": "google", "windowslive": "microsoft", "waad": "microsoft"]
        let links = auth0Identities(object).compactMap { identity -> JSONValue? in
            guard let provider = identity.filled("provider"), !["auth0", "email", "sms"].contains(provider),
                let subject = identity.id("user_id")
            else { return nil }
            return ["provider": .string(providers[provider] ?? provider), "subject": .string(subject)]
        }
        if !links.isEmpty { record["links"] = .array(links) }
        return record
    }

    /// The identifier of a user; exports of Auth0's extension call it `Id`.
    private static func auth0ID(_ object: JSONObject) -> String? {
        object.filled("user_id", "Id") ?? object.nested("_id")?.filled("$oid").map { "auth0|\($0)" }
    }

    /// The identities of a user; in CSV each member has a column, such as `identities[0].provider`.
    private static func auth0Identities(_ object: JSONObject) -> [JSONObject] {
        if let list = object["identities"]?.arrayValue { return list.compactMap(\.objectValue) }
        return (0..<20).map { index in
            var identity = JSONObject()
            for member in ["provider", "user_id"] { identity[member] = object["identities[\(index)].\(member)"] }
            return identity
        }
    }

    /// The response of `aws cognito-idp list-users`, or CSV with the columns of Cognito's imports, both without hashes.
    private static let cognito = ImportSource(
        name: "cognito", listMembers: ["Users"]
    ) { (object, _) throws(CommandError) in
        var values = object
        for attribute in object["Attributes"]?.arrayValue ?? [] {
            if let name = attribute["Name"]?.stringValue { values[name] = attribute["Value"] }
        }
        var record: JSONObject = ["email_verified": .bool(values.isTrue("email_verified"))]
        record.set("foreign_id", values.filled("sub", "Username", "cognito:username"))
        record.set("email", values.filled("email"))
        record.set("username", values.filled("preferred_username"))
        let parts = [values.filled("given_name"), values.filled("family_name")].compactMap(\.self)
        record.set("name", values.filled("name") ?? (parts.isEmpty ? nil : parts.joined(separator: " ")))
        record["created_at"] = object["UserCreateDate"]
        if object["Enabled"] == false { record["status"] = "suspended" }
        let links = values.list("identities").compactMap { identity -> JSONValue? in
            guard let provider = identity["providerName"]?.stringValue?.lowercasedASCII(),
                let subject = identity["userId"]?.stringValue
            else { return nil }
            let names = ["signinwithapple": "apple", "loginwithamazon": "amazon"]
            return ["provider": .string(names[provider] ?? provider), "subject": .string(subject)]
        }
        if !links.isEmpty { record["links"] = .array(links) }
        return record
    }

    /// What Firebase exports instead of a hash to a user who may not read the hash parameters.
    private static let redactedHash = "UkVEQUNURUQ="

    /// The file of `firebase auth:export`, whose hashes need the project's parameters.
    private static let firebase = ImportSource(
        name: "firebase", listMembers: ["users"]
    ) { (object, context) throws(CommandError) in
        var record: JSONObject = ["email_verified": object["emailVerified"] ?? false]
        record.set("foreign_id", object.filled("localId"))
        record.set("email", object.filled("email"))
        record.set("name", object.filled("displayName"))
        record["created_at"] = object.milliseconds("createdAt")
        if object.isTrue("disabled") { record["status"] = "suspended" }
        if let hash = object.filled("passwordHash"), !(context.skipsHashes && hash == redactedHash) {
            guard hash != redactedHash else {
                throw .failed(
                    "Firebase has not exported the hash.",
                    hint: "Export again with the role Firebase Authentication Admin, or skip it: --skip-hashes")
            }
            guard let configuration = context.hashConfiguration else {
                throw .failed(
                    "The hashes of Firebase need the parameters of the project.",
                    hint:
                        "Copy them from Authentication › Users › Password hash parameters to a file: --hash-config FILE"
                )
            }
            record["password_hash"] = .string(configuration.text(salt: object.filled("salt") ?? "", hash: hash))
        }
        let links = (object["providerUserInfo"]?.arrayValue ?? []).compactMap { info -> JSONValue? in
            guard let info = info.objectValue, let provider = info.filled("providerId"),
                let subject = info.filled("rawId"),
                provider != "password", provider != "phone"
            else { return nil }
            let name = provider.utf8.split(separator: UInt8(ascii: ".")).first.map { String(Substring($0)) } ?? provider
            return ["provider": .string(name), "subject": .string(subject)]
        }
        if !links.isEmpty { record["links"] = .array(links) }
        return record
    }

    /// The rows of Supabase's table `auth.users`.
    private static let supabase = ImportSource(
        name: "supabase", secondFileKey: { $0.filled("user_id", "id") }
    ) { (object, context) throws(CommandError) in
        guard let id = object.filled("id"), object.filled("deleted_at") == nil else { return nil }
        var record: JSONObject = ["foreign_id": .string(id)]
        record.set("email", object.filled("email"))
        record["email_verified"] = .bool(object.filled("email_confirmed_at") != nil)
        let profile = object.nested("raw_user_meta_data")
        record.set("name", profile?.filled("full_name", "name", "display_name"))
        record.set("created_at", object.filled("created_at"))
        record.set("password_hash", object.filled("encrypted_password"))
        // What is not a date, such as 'infinity', is a ban without an end.
        if let text = object.filled("banned_until"), ImportDate.date(text) ?? .distantFuture > context.now {
            record["status"] = "banned"
        }
        let links = (context.secondFile[id] ?? []).compactMap { identity -> JSONValue? in
            guard let provider = identity.filled("provider"), provider != "email", provider != "phone",
                let subject = identity.filled("provider_id")
            else { return nil }
            return ["provider": .string(provider), "subject": .string(subject)]
        }
        if !links.isEmpty { record["links"] = .array(links) }
        return record
    }
}

/// The parameters of Firebase's scrypt, as its console shows them.
struct FirebaseHashConfiguration: Sendable {
    private let signerKey: String
    private let saltSeparator: String
    private let rounds: Int
    private let memoryCost: Int

    /// Parses the text of the console, `hash_config { algorithm: SCRYPT, base64_signer_key: …, … }`.
    init(_ text: String) throws(CommandError) {
        var values: [String: String] = [:]
        for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x2C || $0 == 0x7B || $0 == 0x7D }) {
            let pair = line.split(separator: UInt8(ascii: ":"), maxSplits: 1)
            guard pair.count == 2 else { continue }
            let (name, value) = (Self.word(pair[0]), Self.word(pair[1]))
            values[name] = value
        }
        guard let key = values["base64_signer_key"], let separator = values["base64_salt_separator"],
            let rounds = values["rounds"].flatMap({ Int($0) }), let cost = values["mem_cost"].flatMap({ Int($0) })
        else {
            throw .failed(
                "The hash parameters are not those of Firebase.",
                hint: "The file must have base64_signer_key, base64_salt_separator, rounds and mem_cost.")
        }
        (signerKey, saltSeparator, self.rounds, memoryCost) = (key, separator, rounds, cost)
    }

    /// Returns a hash with its parameters.
    func text(salt: String, hash: String) -> String {
        let parts = ["ln=\(memoryCost),r=\(rounds),p=1"] + [salt, hash, saltSeparator, signerKey].map(Self.standard)
        return "$firescrypt$" + parts.joined(separator: "$")
    }

    private static func word(_ bytes: Substring.UTF8View.SubSequence) -> String {
        String(decoding: bytes.filter { ![0x20, 0x09, 0x0D, 0x22, 0x27].contains($0) }, as: UTF8.self)
    }

    /// Returns Base64 with the standard alphabet; the exports of some versions have that of URLs.
    private static func standard(_ text: String) -> String {
        String(
            decoding: text.utf8.map {
                $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0
            },
            as: UTF8.self)
    }
}
