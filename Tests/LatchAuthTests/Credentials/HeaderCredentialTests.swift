// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchHTTP
import TestTags
import Testing

@Suite struct HeaderCredentialTests {
    @Test(.tags(.multiFieldTokens)) func `A credential of several fields sets each of them`() async throws {
        let credential = try HeaderCredential([
            "X-Client-ID": "client123", "X-Client-Secret": "secret456", "X-Session-Token": "session789",
        ])
        let request = try await HTTPRequest.example(fields: [.accept: "*/*"]).authorized(by: credential)
        expectEqual(request.fields["x-client-id"], "client123")
        expectEqual(request.fields["x-client-secret"], "secret456")
        expectEqual(request.fields["x-session-token"], "session789")
        expectEqual(request.fields.count, 4)
        expectEqual(request.credentialFields, ["X-Client-ID", "X-Client-Secret", "X-Session-Token"])
    }

    @Test(.tags(.multiFieldTokens))
    func `A credential of several fields takes the place of lines in any case`() async throws {
        let credential = try HeaderCredential(["X-Token": "new"] as HTTPFields)
        let request = try await HTTPRequest.example(fields: ["x-token": "old", .accept: "*/*", "X-TOKEN": "older"])
            .authorized(by: credential).authorized(by: credential)
        expectEqual(request.fields.values(of: "x-token"), ["new"])
        expectEqual(request.fields.map(\.name.rawName), ["X-Token", "Accept"])
    }

    @Test(.tags(.multiFieldTokens))
    func `A credential of several fields is refused if two names differ only in case`() {
        #expect(throws: AuthError.invalidCredential) { try HeaderCredential(["X-Token": "a", "x-token": "b"]) }
        #expect(throws: AuthError.invalidCredential) {
            try HeaderCredential(["X-Token": "a", "X-TOKEN": "a"] as HTTPFields)
        }
    }

    @Test(.tags(.multiFieldTokens), arguments: [[:], ["": "a"], ["a b": "c"], ["X": "a\r\nY: b"], ["X\u{301}": "a"]])
    func `A credential of several fields is refused if HTTP has no room for it`(fields: [String: String]) {
        #expect(throws: AuthError.invalidCredential) { try HeaderCredential(fields) }
    }

    @Test(.tags(.multiFieldTokens))
    func `A credential of several fields is equal in any order and any case of its names`() throws {
        let first = try HeaderCredential(["A": "1", "B": "2"] as HTTPFields)
        try expectEqual(first, HeaderCredential(["b": "2", "a": "1"] as HTTPFields))
        try expectNotEqual(first, HeaderCredential(["A": "1", "B": "3"] as HTTPFields))
        try expectNotEqual(first, HeaderCredential(["A": "1"] as HTTPFields))
        try expectNotEqual(first, HeaderCredential(["A": "1", "C": "2"] as HTTPFields))
    }
}
