// SPDX-License-Identifier: Apache-2.0

/// Forms of exports that systems have had in other versions, with other databases or by other tools.
extension ImportTests {
    static let variants = [
        Export(
            system: "keycloak",
            files: [
                "export": #"""
                [{"realm": "example", "users": [
                {"id": "1f0c", "createdTimestamp": 1500000000000, "username": "ada", "enabled": true,
                 "emailVerified": true, "firstName": "Ada", "lastName": "Lovelace", "email": "ada@example.com",
                 "credentials": [{"type": "password", "salt": "MDEyMzQ1Njc4OWFiY2RlZg==", "hashIterations": 2000,
                 "hashedSaltedValue": "3mgstO7RrruaZAKnWUST+xlE1TX2ZzOyL0fYHKSaNEnIm+kZxefd8R2nHbloFcVLkcRoHBxXxAsemUvDdu846Q==",
                 "counter": 0, "algorithm": "pbkdf2-sha512", "digits": 0, "period": 0, "config": {}}]}]},
                {"realm": "other", "users": [
                {"id": "2f0c", "username": "bob", "enabled": true, "email": "bob@example.com",
                 "credentials": [{"type": "password", "value": "secret"}]}]}]
                """#
            ],
            report: """
                Imported 1 account; 0 already in the store, 1 refused.
                record 2 (bob@example.com): The password is not hashed as in an export of Keycloak.
                hint: Export the realm by kc.sh, or import the account without the password: --skip-hashes
                """, form: "several realms of version 7"),
        Export(
            system: "keycloak",
            files: [
                "export": #"""
                {"realm": "example", "users": [
                {"id": "1f0c", "username": "ada", "enabled": true, "firstName": "Ada", "lastName": "Lovelace",
                 "email": "ada@example.com", "credentials": [{"type": "password",
                 "secretData": "{\"value\":\"$2b$04$abcdefghijklmnopqrstuu7EJV7kdjBBQxyb0HjTh9KS7.Lah/6CG\",\"salt\":\"\"}",
                 "credentialData": "{\"hashIterations\":4,\"algorithm\":\"bcrypt\"}"}]}]}
                """#
            ], report: "Imported 1 account; 0 already in the store, 0 refused.", form: "an extension's bcrypt"),
        Export(
            system: "auth0",
            files: [
                "export": """
                Id,Name,Email,Email Verified,Created At,identities[0].provider,identities[0].user_id
                auth0|5f7c8ec7c33c6c004bbafe82,Ada Lovelace,ada@example.com,true,2020-10-06T15:08:23.000Z,auth0,5f7c
                google-oauth2|1234,Bob,bob@example.com,true,2020-10-06T15:08:23.000Z,google-oauth2,1234

                """,
                "second": """
                {"_id":{"$oid":"5f7c8ec7c33c6c004bbafe82"},"email":"ada@example.com",\
                "passwordHash":"$2b$04$abcdefghijklmnopqrstuu7EJV7kdjBBQxyb0HjTh9KS7.Lah/6CG"}

                """,
            ], options: ["--with", "second"],
            report: """
                Imported 1 account; 0 already in the store, 1 refused.
                1 record without a password.
                record 2 (bob@example.com): 'links' name a provider that the server does not have.
                hint: Configure it first: see [[upstreams]] in the settings.
                """, form: "CSV of the extension"),
        Export(
            system: "firebase",
            files: [
                "export": """
                {"users": [{"localId": "uid-1", "email": "ada@example.com", "displayName": "Ada Lovelace",
                "passwordHash": "UkVEQUNURUQ=", "createdAt": "1600000000000", "providerUserInfo": []}]}
                """
            ], options: ["--skip-hashes"],
            report: """
                Imported 1 account; 0 already in the store, 0 refused.
                1 record without a password.
                """, hasPassword: false, form: "hashes that were left out"),
        Export(
            system: "cognito",
            files: [
                "export": """
                name,given_name,family_name,preferred_username,email,email_verified,cognito:mfa_enabled,cognito:username
                ,Ada,Lovelace,,ada@example.com,TRUE,FALSE,ada

                """
            ],
            report: """
                Imported 1 account; 0 already in the store, 0 refused.
                1 record without a password.
                """, hasPassword: false, form: "CSV"),
        Export(
            system: "cognito",
            files: [
                "export": #"""
                {"Users": [{"Username": "google_123", "UserCreateDate": 1689980857.949, "Enabled": true, "Attributes": [
                {"Name": "sub", "Value": "7d8ca528"}, {"Name": "name", "Value": "Ada Lovelace"},
                {"Name": "email", "Value": "ada@example.com"}, {"Name": "identities",
                 "Value": "[{\"userId\":\"123\",\"providerName\":\"Google\",\"providerType\":\"Google\"}]"}]}]}
                """#
            ], options: ["--skip-links"],
            report: """
                Imported 1 account; 0 already in the store, 0 refused.
                1 record without a password.
                """, hasPassword: false, form: "a user of Google"),
        Export(
            system: "django",
            files: [
                "export": """
                [{"model": "accounts.user", "pk": "0b7e9a4e-6f3b-4a53-9d6c-3c1f8f0a0001", "fields": {
                "password": "pbkdf2_sha256$1000$c2VhLXNhbHQ$n0UscbBqD6xiWPW+l3yMzdob0aOiJwAzM1A6D4nmmBY=",
                "name": "Ada Lovelace", "email": "ada@example.com", "is_active": true,
                "date_joined": "2022-03-04T05:06:07.890"}}]
                """,
                "second": """
                [{"model": "account.emailaddress", "pk": 1, "fields": {"email": "Ada@example.com", "verified": true,
                "primary": true, "user": "0b7e9a4e-6f3b-4a53-9d6c-3c1f8f0a0001"}},
                {"model": "mfa.authenticator", "pk": 2, "fields": {"type": "recovery_codes", "data": {},
                "user": "0b7e9a4e-6f3b-4a53-9d6c-3c1f8f0a0001"}}]
                """,
            ], options: ["--with", "second"], report: "Imported 1 account; 0 already in the store, 0 refused.",
            form: "allauth, without time zones"),
        Export(
            system: "better-auth",
            files: [
                "export": """
                [{"id": "u1", "name": "Ada Lovelace", "email": "ada@example.com", "emailVerified": 1, "username": "ada",
                "displayUsername": "Ada", "createdAt": 1735787045000, "banned": 1, "banExpires": 1735787045000},
                {"id": "u2", "name": "Bob", "email": "bob@example.com", "emailVerified": 0,
                "createdAt": "2025-01-02 03:04:05.123"}]
                """,
                "second": """
                [{"id": "a1", "accountId": "u1", "providerId": "credential", "userId": "u1",
                "password": "00112233445566778899aabbccddeeff:f5b22309b28fe412c82a4b2cab57498b8f8a42c849af16cb908974048f61c13933421858db3a8f111430bdc493c7cef90f61f904061c77206e3820a2e8b11bc2"}]
                """,
            ], options: ["--with", "second"],
            report: """
                Imported 2 accounts; 0 already in the store, 0 refused.
                1 record without a password.
                """, form: "milliseconds of SQLite"),
        Export(
            system: "supabase",
            files: [
                "export": """
                [{"id": "0b7e9a4e", "email": "ada@example.com", "encrypted_password": null, "created_at":
                "2023-05-01T09:59:00.5+00:00", "email_confirmed_at": "2023-05-01 10:00:00.123456+00",
                "raw_user_meta_data": {"name": "Ada Lovelace"}, "banned_until": null, "deleted_at": null},
                {"id": "1b7e9a4e", "email": null, "encrypted_password": null, "is_anonymous": true}]
                """
            ],
            report: """
                Imported 1 account; 0 already in the store, 1 refused.
                2 records without a password.
                record 2 (1b7e9a4e): 'email' is missing.
                """, hasPassword: false, form: "JSON, an anonymous user"),
        Export(
            system: "pocketbase",
            files: [
                "export": """
                [{"id":"y1h8x0x2c3v4b5n","username":"users12345","email":"ada@example.com","verified":0,
                "name":"Ada Lovelace","created":"2022-08-01 10:00:00.000Z",
                "passwordHash":"$2y$04$ABCDEFGHIJKLMNOPQRSTUuHzrfeaHESIafIgIn5rRlQxo3XhcNIeq"}]
                """,
                "second": """
                [{"recordId":"y1h8x0x2c3v4b5n","provider":"google","providerId":"1234"}]
                """,
            ], options: ["--with", "second", "--skip-links"],
            report: "Imported 1 account; 0 already in the store, 0 refused.", form: "before 0.23"),
    ]
}
