// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import TestTags
import Testing

@Suite struct ScopesTests {
    @Test(arguments: ["", "a b", "a\"b", "a\\b", "ä", "a\n", "a\u{0}"])
    func `A list of scopes refuses an invalid scope-token`(text: String) { expectNil(Scope(rawValue: text)) }

    @Test(.tags(.scopeHierarchy))
    func `A list of scopes is read with spaces, without repetition and with unknown ones`() {
        let scopes = Scopes(parsing: "  files:read   x:fly files:read \u{e9} openid ")
        expectEqual(scopes.text, "files:read x:fly openid")
        expectEqual(scopes.count, 3)
    }

    @Test func `A list of scopes is written as literals`() {
        let scopes: Scopes = ["projects:read", "files:write"]
        expectEqual(scopes.text, "projects:read files:write")
        expectEqual(scopes, "files:write projects:read")
        let scope: Scope = "projects:read"
        expectEqual(scope, Scope(rawValue: "projects:read"))
        let wrong: [Scope] = ["a b", ""]
        expectEqual(wrong.map(\.rawValue), ["a_b", "_"])
    }

    @Test func `A list of scopes is equal in any order`() {
        expectEqual(Scopes(parsing: "a b"), Scopes(parsing: "b a"))
        expectEqual(Set([Scopes(parsing: "a b"), Scopes(parsing: "b a")]).count, 1)
        expectNotEqual(Scopes(parsing: "a"), Scopes(parsing: "a b"))
    }

    @Test(.tags(.scopeHierarchy)) func `The admin scope implies delete, write and read of its resource only`() throws {
        let admin = Scopes(parsing: "widgets:admin")
        for level in ["read", "write", "delete", "admin"] {
            #expect(admin.allow(try #require(Scope(resource: "widgets", level: level))))
            #expect(!admin.allow(try #require(Scope(resource: "projects", level: level))))
        }
        #expect(!admin.allow(try #require(Scope(rawValue: "widgets:execute"))))
        #expect(!Scopes(parsing: "widgets:write").allow(try #require(Scope(rawValue: "widgets:delete"))))
        #expect(Scopes(parsing: "widgets:write").allow(all: Scopes(parsing: "widgets:read widgets:write")))
    }

    @Test func `A list of scopes names the missing ones`() {
        let granted = Scopes(parsing: "widgets:write files:read")
        let wanted = Scopes(parsing: "files:write widgets:read openid")
        expectEqual(granted.missing(from: wanted).text, "files:write openid")
        expectEqual(
            granted.missing(from: wanted, in: ScopeHierarchy(levels: [])).text, "files:write widgets:read openid")
    }

    @Test func `A list of scopes splits at the last colon`() {
        expectEqual(Scope(rawValue: "admin:users:read")?.level, "read")
        expectNil(Scope(rawValue: ":read")?.level)
        expectNil(Scope(rawValue: "files:")?.level)
        expectNil(Scope(rawValue: "openid")?.level)
    }

    @Test func `A list of scopes is kept with tokens as text`() {
        var tokens = Tokens(access: "a", scope: "files:read  files:write")
        expectEqual(tokens.grantedScopes?.text, "files:read files:write")
        tokens.scope = nil
        expectNil(tokens.grantedScopes)
    }
}
