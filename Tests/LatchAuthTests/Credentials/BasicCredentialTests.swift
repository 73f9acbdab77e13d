// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchHTTP
import TestTags
import Testing

@Suite struct BasicCredentialTests {
    /// RFC 7617 §2 and §2.1 have these two.
    @Test(
        .tags(.tokenTypes),
        arguments: [
            ("Aladdin", "open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("test", "123£", "dGVzdDoxMjPCow=="),
            ("", "", "Og=="), ("user", "a:b:c", "dXNlcjphOmI6Yw=="),
        ])
    func `A user and a password go into the Authorization field in UTF-8`(
        user: String, password: String, expected: String
    ) async throws {
        let request = try await HTTPRequest.example()
            .authorized(by: BasicCredential(user: user, password: password))
        expectEqual(request.fields.values(of: .authorization), ["Basic \(expected)"])
    }

    @Test(arguments: [("a:b", "c"), (":", ""), ("a\u{0}", "b"), ("a", "b\n"), ("a", "b\u{7F}"), ("a\u{85}", "b")])
    func `A user and a password are refused if the server could not separate them`(user: String, password: String) {
        #expect(throws: AuthError.invalidCredential) { try BasicCredential(user: user, password: password) }
    }

    @Test func `A user and a password are refused by their colon although an accent follows it`() {
        #expect(throws: AuthError.invalidCredential) { try BasicCredential(user: "a:\u{301}b", password: "c") }
    }

    @Test func `A user and a password are equal only to the same ones`() throws {
        let credential = try BasicCredential(user: "a", password: "b")
        try expectEqual(credential, BasicCredential(user: "a", password: "b"))
        try expectNotEqual(credential, BasicCredential(user: "a", password: "c"))
        try expectNotEqual(credential, BasicCredential(user: "b", password: "b"))
    }
}
