// SPDX-License-Identifier: Apache-2.0

import LatchCore

extension HashFormat {
    static let ofFrameworks = ofDjango + ofWerkzeug + [aspNet]

    /// The hashers of django.contrib.auth.
    private static let ofDjango: [HashFormat] = [
        HashFormat("django-argon2", "argon2$argon2id$…", ["argon2$argon2"]) {
            (text, name) throws(ImportedHashError) in
            let inner = text.dropFirst(6)
            guard let format = ofPHC.first, format.prefixes.contains(where: { inner.begins(with: $0) }) else {
                throw .malformed(name, "the function is not one of argon2")
            }
            return try format.parse(inner)
        },
        HashFormat("django-bcrypt", "bcrypt$$2b$COST$…", ["bcrypt$"]) { (text, name) throws(ImportedHashError) in
            try bcrypt(text.dropFirst(7), as: "bcrypt", name)
        },
        HashFormat("django-bcrypt-sha256", "bcrypt_sha256$$2b$COST$…", ["bcrypt_sha256$"]) {
            (text, name) throws(ImportedHashError) in
            try bcrypt(text.dropFirst(14), as: "bcrypt-sha256", name)
        },
        HashFormat("django-scrypt", "scrypt$N$SALT$R$P$DIGEST", ["scrypt$"]) {
            (text, name) throws(ImportedHashError) in
            let text = HashText(text, format: name)
            try text.requireCount(6)
            return try Content(
                function: "scrypt",
                numbers: [text.log2(text[1]), text.number(text[3], "r"), text.number(text[4], "p")],
                salt: Array(text[2].utf8), digest: text.base64(text[5], "its digest"))
        },
        HashFormat(
            "django-pbkdf2", "pbkdf2_sha256$ITERATIONS$SALT$DIGEST, also pbkdf2_sha1",
            ["pbkdf2_sha256$", "pbkdf2_sha1$"]
        ) { (text, name) throws(ImportedHashError) in
            let text = HashText(text, format: name)
            try text.requireCount(4)
            return try pbkdf2(
                text[0] == "pbkdf2_sha1" ? "pbkdf2-sha1" : "pbkdf2-sha256",
                [text.number(text[1], "the number of iterations")], Array(text[2].utf8),
                text.base64(text[3], "its digest"))
        },
    ]

    /// werkzeug.security.generate_password_hash, of Flask.
    private static let ofWerkzeug: [HashFormat] = [
        HashFormat("werkzeug-scrypt", "scrypt:N:R:P$SALT$HEXDIGEST", ["scrypt:"]) {
            (text, name) throws(ImportedHashError) in
            let text = HashText(text, format: name)
            try text.requireCount(3)
            let cost = HashText(text[0], at: ":", format: name)
            try cost.requireCount(4)
            return try Content(
                function: "scrypt",
                numbers: [cost.log2(cost[1]), cost.number(cost[2], "r"), cost.number(cost[3], "p")],
                salt: Array(text[1].utf8), digest: text.hexadecimal(text[2], "its digest"))
        },
        HashFormat("werkzeug-pbkdf2", "pbkdf2:sha256:ITERATIONS$SALT$HEXDIGEST", ["pbkdf2:"]) {
            (text, name) throws(ImportedHashError) in
            let text = HashText(text, format: name)
            try text.requireCount(3)
            let cost = HashText(text[0], at: ":", format: name)
            try cost.requireCount(3)
            guard ["sha1", "sha256", "sha512"].contains(cost[1]) else {
                throw cost.error("its digest is not supported")
            }
            return try pbkdf2(
                "pbkdf2-\(cost[1])", [cost.number(cost[2], "the number of iterations")], Array(text[1].utf8),
                text.hexadecimal(text[2], "its digest"))
        },
    ]

    /// better-auth's scrypt, whose cost is fixed; the salt is the hexadecimal text itself.
    static let betterAuth = HashFormat("better-auth", "HEXSALT:HEXDIGEST of 32 and 128 digits", []) {
        (text, name) throws(ImportedHashError) in
        let text = HashText(text, at: ":", format: name)
        try text.requireCount(2)
        _ = try text.hexadecimal(text[0], "its salt")
        return try Content(
            function: "scrypt", numbers: [14, 16, 1], salt: Array(text[0].utf8),
            digest: text.hexadecimal(text[1], "its digest"))
    }

    /// Microsoft.AspNetCore.Identity.PasswordHasher: a blob in base64, whose first byte is its version.
    ///
    /// A blob of version 3 begins with four bytes that no other format has, so it needs no prefix.
    private static let aspNet = HashFormat("aspnet", "aspnet$BASE64, of version 3 also BASE64", ["aspnet$", "AQAAAA"]) {
        (text, name) throws(ImportedHashError) in
        let text = HashText(text.begins(with: "aspnet$") ? text.dropFirst(7) : text, format: name)
        try text.requireCount(1)
        let blob = try text.base64(text[0], "it")
        switch blob.first {
        case 0:
            guard blob.count == 49 else { throw text.error("version 2 has 49 bytes") }
            return pbkdf2("pbkdf2-sha1", [1_000], Array(blob[1..<17]), Array(blob[17...]))
        case 1:
            guard blob.count > 13 else { throw text.error("its header is not complete") }
            let numbers = stride(from: 1, to: 13, by: 4).map { start in
                blob[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            }
            let functions: [UInt32: String] = [0: "pbkdf2-sha1", 1: "pbkdf2-sha256", 2: "pbkdf2-sha512"]
            guard let function = functions[numbers[0]] else { throw text.error("its function is unknown") }
            let content = blob[13...]
            guard numbers[2] < content.count else { throw text.error("its salt is not complete") }
            return pbkdf2(
                function, [Int(clamping: numbers[1])], Array(content.prefix(Int(numbers[2]))),
                Array(content.dropFirst(Int(numbers[2]))))
        default: throw text.error("its version is neither 2 nor 3")
        }
    }
}
