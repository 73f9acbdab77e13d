// SPDX-License-Identifier: Apache-2.0

import AuthPackage
import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestTags
import Testing

@Suite struct ProfileTests {
    private static let profile = UserProfile(username: "ada", email: "ada@example.com", phoneNumber: "+44 20")

    @Test(.tags(.screenLogic)) func `A profile is kept in memory or in a secret store`() async throws {
        let secrets = InMemorySecretStore()
        for store in [InMemoryProfileStore(), SecretProfileStore(secrets)] as [any ProfileStore] {
            try await expectNil(store.load())
            try await store.save(Self.profile)
            try await expectEqual(store.load(), Self.profile)
            var changed = Self.profile
            changed.username = "lovelace"
            try await store.save(changed)
            try await expectEqual(store.load(), changed)
        }
        try await expectEqual(SecretProfileStore(secrets).load()?.username, "lovelace")
    }

    @Test(
        .tags(.screenLogic),
        arguments: [("ab", true), (" a ", false), ("", false), ("  ab  ", true), ("é", false), ("名前", true)])
    func `A profile has a name of two characters at least`(name: String, isValid: Bool) {
        expectEqual(ProfileRules.validateUsername(name), isValid)
    }

    @Test(
        .tags(.screenLogic),
        arguments: [
            ("ada@example.com", true), (" ada@example.com ", true), ("ada@example", false), ("@example.com", false),
            ("ada@example..com", false), ("ada@@example.com", false), ("a b@example.com", false), ("ada", false),
        ])
    func `A profile has an address that looks like one`(email: String, isValid: Bool) {
        expectEqual(ProfileRules.validateEmail(email), isValid)
    }
}

@Suite struct URLSchemeTests {
    private static var info: [String: Any] { ["CFBundleURLTypes": [["CFBundleURLSchemes": ["other", "AuthDemo"]]]] }

    @Test(.tags(.screenLogic)) func `A program's own URL scheme is found regardless of case`() throws {
        try HostAppValidation.assertURLSchemePresent(expectedScheme: "authdemo", in: Self.info)
        for scheme in ["auth", "", "authdemo2"] {
            #expect(throws: APIError.invalidURL) {
                try HostAppValidation.assertURLSchemePresent(expectedScheme: scheme, in: Self.info)
            }
        }
        #expect(throws: APIError.invalidURL) {
            try HostAppValidation.assertURLSchemePresent(expectedScheme: "authdemo", in: [:])
        }
    }
}

@Suite struct ServicesTests {
    /// Answers as the backend of the original does, and keeps the requests.
    private final class Backend: Handler {
        let requests = Mutex<[HTTPRequest]>([])

        func respond(to request: HTTPRequest) async throws -> HTTPResponse {
            requests.withLock { $0.append(request) }
            let (status, body): (HTTPStatus, String) =
                switch request.path {
                case "/api/auth/clients/login": (.ok, #"{"accessToken":"a","refreshToken":"r"}"#)
                case "/api/users/invite", "/api/clients/register":
                    (.created, #"{"id":"u2","email":"new@example.com","roles":["client"]}"#)
                default: (.ok, #"{"message":"sent"}"#)
                }
            return HTTPResponse(status: status, fields: [.contentType: "application/json"], body: HTTPBody(body))
        }

        /// The content of the requests to a path, without passwords.
        func content(of path: String) throws -> [JSONObject] {
            try requests.withLock { $0 }.filter { $0.path == path }
                .map { try JSONValue(parsing: $0.body.bytes).objectValue ?? [:] }
        }
    }

    private let backend = Backend()

    private func client() throws -> AuthClient {
        AuthClient(
            config: AuthConfiguration(baseURL: try #require(URL(string: "https://api.example.com"))), transport: backend
        )
    }

    @Test(.tags(.accountRegistration)) func `The services invite a person for the signed-in user`() async throws {
        let client = try client()
        await #expect(throws: APIError.unauthorized) {
            try await RegistrationService(client).inviteUser(email: "new@example.com")
        }
        #expect(try backend.content(of: "/api/users/invite").isEmpty)
        try await LoginService(client).login(email: "ada@example.com", password: "secret")
        let user = try await RegistrationService(client).inviteUser(email: "new@example.com", roles: ["client"])
        expectEqual(user, User(id: "u2", email: "new@example.com", roles: ["client"]))
        let request = backend.requests.withLock { $0.last }
        expectEqual(request?.fields[.authorization], "Bearer a")
        try expectEqual(backend.content(of: "/api/users/invite"), [["email": "new@example.com", "roles": ["client"]]])
    }

    @Test(.tags(.accountRegistration, .passwordReset))
    func `The services are the client's operations under their own names`() async throws {
        let client = try client()
        try await expectEqual(RegistrationService(client).createUser(email: "new@example.com", password: "p").id, "u2")
        try await expectEqual(PasswordResetService(client).requestReset(email: "new@example.com"), "sent")
        try await expectEqual(PasswordResetService(client).reset(token: "t", newPassword: "n"), "sent")
        try await LoginService(client).login(email: "ada@example.com", password: "secret")
        try await expectEqual(TokenService(client).refresh(), "a")
        try await TokenService(client).logout()
        expectNil(client.tokens)
    }
}
