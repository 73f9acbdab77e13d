// SPDX-License-Identifier: Apache-2.0

import Testing

/// A password hash of another system, with its format and its password.
struct ImportedHashVector: Sendable, CustomTestStringConvertible {
    let format: String
    let hash: String
    let password: String

    init(_ format: String, _ hash: String, _ password: String) {
        (self.format, self.hash, self.password) = (format, hash, password)
    }

    var testDescription: String { "\(format) \(hash.prefix(24))" }

    private typealias Vector = ImportedHashVector

    /// Published vectors where there are any.
    static let all: [ImportedHashVector] = [
        // RFC 7914 §12, as werkzeug writes them.
        Vector(
            "werkzeug-scrypt",
            "scrypt:1024:8:16$NaCl$fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622e"
                + "af30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640",
            "password"),
        Vector(
            "werkzeug-scrypt",
            "scrypt:16384:8:1$SodiumChloride$7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6"
                + "545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887",
            "pleaseletmein"),
        // RFC 6070, and RFC 7914 §11 for SHA-256.
        Vector("werkzeug-pbkdf2", "pbkdf2:sha1:1$salt$0c60c80f961f0e71f3a9b524af6012062fe037a6", "password"),
        Vector("werkzeug-pbkdf2", "pbkdf2:sha1:4096$salt$4b007901b765489abead49d926f721d065a429c1", "password"),
        Vector(
            "werkzeug-pbkdf2",
            "pbkdf2:sha256:1$salt$55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49c"
                + "a9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783",
            "passwd"),
        Vector(
            "werkzeug-pbkdf2",
            "pbkdf2:sha256:80000$NaCl$4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab5"
                + "6a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d",
            "Password"),
        // crypt_blowfish's own tests; the third has bits in the last digit of its salt that say nothing.
        Vector("bcrypt", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"),
        Vector("bcrypt", "$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"),
        Vector("bcrypt", "$2b$05$CCCCCCCCCCCCCCCCCCCCCCE5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"),
        // Ulrich Drepper's SHA-crypt.txt.
        Vector("sha-crypt", "$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5", "Hello world!"),
        Vector(
            "sha-crypt",
            "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFC"
                + "oEOfaS35inz1",
            "Hello world!"),
        // phpass's own test, and Firebase's.
        Vector("phpass", "$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0", "test12345"),
        Vector(
            "firebase",
            "$firescrypt$ln=14,r=8,p=1$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAy"
                + "ZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==$Bw==$jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC"
                + "8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
            "user1password"),
        // The tests of ASP.NET Core Identity, and Django's.
        Vector("aspnet", "aspnet$AAABAgMEBQYHCAkKCwwNDg+ukCEMDf0yyQ29NYubggHIVY0sdEUfdyeM+E1LtH1uJg==", "my password"),
        Vector(
            "aspnet", "AQAAAAEAACcQAAAAEAABAgMEBQYHCAkKCwwNDg+yWU7rLgUwPZb1Itsmra7cbxw2EFpwpVFIEtP+JIuUEw==",
            "my password"),
        Vector(
            "aspnet",
            "aspnet$AQAAAAEAACcQAAAAEAABAgMEBQYHCAkKCwwNDg+yWU7rLgUwPZb1Itsmra7cbxw2EFpwpVFIEtP+JIuUE"
                + "w==",
            "my password"),
        Vector("django-pbkdf2", "pbkdf2_sha256$20000$seasalt$oBSd886ysm3AqYun62DOdin8YcfbU1z9cksZSuLP9r0=", "lètmein"),
        // By hashlib, bcrypt, argon2-cffi, passlib and crypt(3).
        Vector(
            "argon2", "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "password"),
        Vector(
            "argon2", "$argon2i$v=16$m=256,t=2,p=1$c29tZXNhbHQ$/U3YPXYsSb3q9XxHvc0MLxur+GP960kN9j7emXX8zwY",
            "password"),
        Vector("argon2", "$argon2i$m=256,t=2,p=1$c29tZXNhbHQ$/U3YPXYsSb3q9XxHvc0MLxur+GP960kN9j7emXX8zwY", "password"),
        Vector(
            "django-argon2",
            "argon2$argon2id$v=19$m=256,t=2,p=8$c29tZXNhbHQ$q0lxHMjyze2lxxc1fxFqVWHDCFjt31qQuTa9KvHhi"
                + "/I",
            "password"),
        Vector("wordpress", "$wp$2y$05$abcdefghijklmnopqrstuuR6sgsEAAi94Xz2M.OVUvhfskotZyLSO", "pässword"),
        Vector(
            "django-bcrypt-sha256", "bcrypt_sha256$$2b$05$abcdefghijklmnopqrstuuI9lzFE7QbllssCRi/6Jv/Og3IzLLjdG",
            "pässword"),
        Vector("django-bcrypt", "bcrypt$$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"),
        Vector(
            "django-scrypt",
            "scrypt$1024$NaCl$8$16$/bq+HJ00cgB4VucZDQHp/nxq18vII3gw53N2Y0s3MWIurzDZLiKjiG/xCSedmDDaxy"
                + "evuUqD7m2DYMvfoswGQA==",
            "password"),
        Vector(
            "scrypt",
            "$scrypt$ln=10,r=8,p=16$TmFDbA$/bq+HJ00cgB4VucZDQHp/nxq18vII3gw53N2Y0s3MWIurzDZLiKjiG/xCS"
                + "edmDDaxyevuUqD7m2DYMvfoswGQA",
            "password"),
        Vector(
            "scrypt",
            "$scrypt$ln=1024,r=8,p=16$TmFDbA==$/bq+HJ00cgB4VucZDQHp/nxq18vII3gw53N2Y0s3MWIurzDZLiKjiG"
                + "/xCSedmDDaxyevuUqD7m2DYMvfoswGQA==",
            "password"),
        Vector(
            "better-auth",
            "00112233445566778899aabbccddeeff:9a098760abf0e95230464650e1160ecd37c82de7f9aea0c41eee704"
                + "c90daaac45ce13ec6c244f429e4e4ba505cde11131ed35ef08e55b31c226a2ba87069e3ae",
            "password"),
        Vector(
            "pbkdf2",
            "$pbkdf2-sha512$i=1000,l=64$c2FsdHNhbHRzYWx0c2FsdA$715rqIr5dXOVPpBhqqsugl037zT5bWJTWYmZtI"
                + "cK8hBnisKpwfY7kokvwjDrNHqHhF50Pb7MD6HvkJwiDQw4ww",
            "password"),
        Vector(
            "pbkdf2", "$pbkdf2-sha256$1000$..//.3NhbHRzYWx0$.ADEJMhj00rGKGeqnHs5r/g7z7nM3RQF5DKkugT3F8g",
            "password"),
        Vector("md5-crypt", "$1$saltsalt$QgbQ7EUpcKNQTLgSVL4qr/", "pässword"),
        Vector("yescrypt", "$y$j9T$F5Jx5fExrKuPp53xLKQ..1$uDe9DzkRaoLcpK3XsX1COmq9ojeDZPPU7hopiHbrFR8", "pässword"),
        Vector("ldap", "{SSHA}kDJH43m4r76VNznhYS+DfYAWbO9zYWx0", "pässword"),
        Vector("ldap", "{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=", "password"),
    ]
}
