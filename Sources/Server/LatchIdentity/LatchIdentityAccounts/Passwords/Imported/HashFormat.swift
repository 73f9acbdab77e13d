// SPDX-License-Identifier: Apache-2.0

/// A way to write the hash of a password, and the systems that write it.
struct HashFormat: Sendable {
    /// What a text of the format says.
    struct Content {
        var function: String
        var numbers: [Int] = []
        var salt: [UInt8]
        var digest: [UInt8]
        var signerKey: [UInt8] = []
    }

    /// One word for reports.
    let name: String
    /// The form of the text, for the error of an unknown one.
    let form: String
    /// The beginnings that distinguish a text of this format.
    let prefixes: [String]
    let parse: @Sendable (Substring) throws(ImportedHashError) -> Content

    init(
        _ name: String, _ form: String, _ prefixes: [String],
        _ parse: @escaping @Sendable (_ text: Substring, _ name: String) throws(ImportedHashError) -> Content
    ) {
        self.name = name
        self.form = form
        self.prefixes = prefixes
        self.parse = { (text) throws(ImportedHashError) in try parse(text, name) }
    }

    /// The format of a text by its beginning; without one, two pairs of hexadecimal digits are of better-auth.
    static func of(_ text: Substring) -> HashFormat? {
        let format = all.first { $0.prefixes.contains { text.begins(with: $0) } }
        if let format { return format }
        let isBetterAuth = text.utf8.count == 161 && Array(text.utf8)[32] == UInt8(ascii: ":")
        return isBetterAuth ? betterAuth : nil
    }

    /// The names and forms of all formats, for errors.
    static let listing = (all + [betterAuth]).map { "\($0.name) (\($0.form))" }.joined(separator: ", ")

    /// The formats with a distinguishing beginning.
    static let all = ofPHC + ofCrypt + ofFrameworks
}

// MARK: The formats that begin with the name of a function

extension HashFormat {
    static let ofPHC: [HashFormat] = [
        HashFormat(
            "argon2", "$argon2id$v=19$m=…,t=…,p=…$SALT$DIGEST", ["$argon2i$", "$argon2d$", "$argon2id$"], argon2),
        HashFormat("scrypt", "$scrypt$ln=…,r=…,p=…$SALT$DIGEST", ["$scrypt$"]) {
            (text, name) throws(ImportedHashError) in
            let text = HashText(text, format: name)
            try text.requireCount(5)
            return try Content(
                function: "scrypt", numbers: scryptNumbers(text, text[2]), salt: text.base64(text[3], "its salt"),
                digest: text.base64(text[4], "its digest"))
        },
        HashFormat(
            "firebase", "$firescrypt$ln=MEM_COST,r=ROUNDS,p=1$SALT$DIGEST$SEPARATOR$SIGNER_KEY", ["$firescrypt$"]
        ) { (text, name) throws(ImportedHashError) in
            let text = HashText(text, format: name)
            try text.requireCount(7)
            let (salt, separator) = (
                try text.base64(text[3], "its salt"), try text.base64(text[5], "its salt separator")
            )
            return try Content(
                function: "firebase-scrypt", numbers: scryptNumbers(text, text[2]), salt: salt + separator,
                digest: text.base64(text[4], "its digest"), signerKey: text.base64(text[6], "its signer key"))
        },
        HashFormat(
            "pbkdf2", "$pbkdf2-sha256$ITERATIONS$SALT$DIGEST or $pbkdf2-sha512$i=…,l=…$SALT$DIGEST",
            ["$pbkdf2$", "$pbkdf2-sha1$", "$pbkdf2-sha256$", "$pbkdf2-sha512$"], pbkdf2),
    ]

    /// Parses a PHC string; without a version it is version 16.
    @Sendable private static func argon2(_ text: Substring, _ name: String) throws(ImportedHashError) -> Content {
        let whole = HashText(text, format: name)
        let isOld = whole[2].begins(with: "m=")
        try whole.requireCount(isOld ? 5 : 6)
        let version = isOld ? [16] : try whole.numbers(whole[2], named: ["v"])
        let text = whole.dropFirst(isOld ? 2 : 3)
        return try Content(
            function: String(whole[1]), numbers: version + text.numbers(text[0], named: ["m", "t", "p"]),
            salt: text.base64(text[1], "its salt"), digest: text.base64(text[2], "its digest"))
    }

    /// Parses the cost of scrypt: `ln` is the exponent of N in passlib, and N in Ory Kratos.
    private static func scryptNumbers(_ text: HashText, _ field: Substring) throws(ImportedHashError) -> [Int] {
        var numbers = try text.numbers(field, named: ["ln", "r", "p"])
        if numbers[0] > 63 { numbers[0] = try text.log2(Substring(String(numbers[0]))) }
        return numbers
    }

    @Sendable private static func pbkdf2(_ text: Substring, _ name: String) throws(ImportedHashError) -> Content {
        let text = HashText(text, format: name)
        try text.requireCount(5)
        let digest = try text.base64(text[4], "its digest")
        let function = text[1] == "pbkdf2" ? "pbkdf2-sha1" : String(text[1])
        var numbers: [Int]
        if text[2].begins(with: "i=") {
            numbers = try text.numbers(text[2], named: ["i", "l"])
            guard numbers.removeLast() == digest.count else { throw text.error("its digest has not l bytes") }
        } else {
            numbers = [try text.number(text[2], "the number of iterations")]
        }
        return pbkdf2(function, numbers, try text.base64(text[3], "its salt"), digest)
    }

    /// Keeps one block of the digest.
    ///
    /// The other blocks are computed apart from it (RFC 8018 §5.2). They cost the server time, and an attacker none.
    static func pbkdf2(_ function: String, _ numbers: [Int], _ salt: [UInt8], _ digest: [UInt8]) -> Content {
        let block = PasswordFunction.named(function)?.digestByteCounts.upperBound ?? 0
        return Content(function: function, numbers: numbers, salt: salt, digest: Array(digest.prefix(block)))
    }
}

// MARK: The formats of crypt(5) and of directories

extension HashFormat {
    static let ofCrypt: [HashFormat] = [
        HashFormat("bcrypt", "$2b$COST$…, also $2a$ and $2y$", ["$2a$", "$2b$", "$2y$"]) {
            (text, name) throws(ImportedHashError) in
            try bcrypt(text, as: "bcrypt", name)
        },
        HashFormat("wordpress", "$wp$2y$COST$…", ["$wp$2y$"]) { (text, name) throws(ImportedHashError) in
            try bcrypt(text.dropFirst(3), as: "bcrypt-wordpress", name)
        },
        HashFormat("sha-crypt", "$6$rounds=…$SALT$DIGEST, also $5$", ["$5$", "$6$"]) {
            (text, name) throws(ImportedHashError) in
            let whole = HashText(text, format: name)
            let hasRounds = whole[2].begins(with: "rounds=")
            try whole.requireCount(hasRounds ? 5 : 4)
            let rounds = hasRounds ? try whole.numbers(whole[2], named: ["rounds"]) : [5_000]
            let text = whole.dropFirst(hasRounds ? 3 : 2)
            return Content(
                function: whole[1] == "5" ? "sha256-crypt" : "sha512-crypt", numbers: rounds,
                salt: Array(text[0].utf8), digest: try crypt(text, text[1]))
        },
        HashFormat("md5-crypt", "$1$SALT$DIGEST", ["$1$"]) { (text, name) throws(ImportedHashError) in
            let text = HashText(text, format: name)
            try text.requireCount(4)
            return Content(function: "md5-crypt", salt: Array(text[2].utf8), digest: try crypt(text, text[3]))
        },
        HashFormat("yescrypt", "$y$COST$SALT$DIGEST", ["$y$"]) { (text, name) throws(ImportedHashError) in
            let text = HashText(text, format: name)
            try text.requireCount(5)
            // The flavor and two numbers less one, as crypt_gensalt(3) writes them.
            let cost = text[2].utf8.map { CryptAlphabet.value(of: $0) }
            guard cost.count == 3, text[2].utf8.first == UInt8(ascii: "j"), let log2 = cost[1], let block = cost[2]
            else {
                throw text.error("its cost is not a j and two digits")
            }
            return Content(
                function: "yescrypt", numbers: [log2 + 1, block + 1], salt: Array(text[3].utf8),
                digest: try crypt(text, text[4]))
        },
        HashFormat("phpass", "$P$…, also $H$", ["$P$", "$H$"]) { (text, name) throws(ImportedHashError) in
            let bytes = Array(text.utf8)
            guard bytes.count == 34, let log2 = CryptAlphabet.value(of: bytes[3]) else {
                throw .malformed(name, "it has not 34 characters")
            }
            return Content(
                function: "phpass", numbers: [log2], salt: Array(bytes[4..<12]),
                digest: try crypt(HashText(text, format: name), text.suffix(22)))
        },
        HashFormat(
            "ldap", "{SSHA}…, also {SHA}, {SSHA256} and {SSHA512}", ["{SHA}", "{SSHA}", "{SSHA256}", "{SSHA512}"], ldap),
    ]

    /// Checks the digits of a digest.
    private static func crypt(_ text: HashText, _ digest: Substring) throws(ImportedHashError) -> [UInt8] {
        let bytes = Array(digest.utf8)
        guard CryptAlphabet.contains(bytes) else { throw text.error("its digest has a foreign character") }
        return bytes
    }

    /// Parses `$2b$12$` and 53 digits: the salt has 22.
    ///
    /// The last digit of the salt has four bits that say nothing, and that some systems set.
    static func bcrypt(
        _ text: Substring, as function: String, _ name: String
    ) throws(ImportedHashError) -> Content {
        let text = HashText(text, format: name)
        try text.requireCount(4)
        guard ["2a", "2b", "2y"].contains(text[1]) else { throw text.error("it is not $2a$, $2b$ or $2y$") }
        guard text[2].utf8.count == 2, text[3].utf8.count == 53 else { throw text.error("it has not 60 characters") }
        let cost = try text.number(text[2].utf8.first == UInt8(ascii: "0") ? text[2].dropFirst() : text[2], "its cost")
        return Content(
            function: function, numbers: [cost], salt: Array(text[3].utf8.prefix(22)),
            digest: try crypt(text, text[3].suffix(31)))
    }

    /// Parses base64 of the digest and, after it, the salt.
    @Sendable private static func ldap(_ text: Substring, _ name: String) throws(ImportedHashError) -> Content {
        let parts = HashText(text.dropFirst(), at: "}", format: name)
        try parts.requireCount(2)
        let (scheme, bytes) = (parts[0], try parts.base64(parts[1], "it"))
        let (function, count) =
            switch scheme {
            case "SSHA256": ("ssha256", 32)
            case "SSHA512": ("ssha512", 64)
            default: ("ssha1", 20)
            }
        guard scheme == "SHA" ? bytes.count == count : bytes.count > count else {
            throw parts.error("it has not the length of \(scheme)")
        }
        return Content(
            function: function, salt: Array(bytes.dropFirst(count)), digest: Array(bytes.prefix(count)))
    }
}
