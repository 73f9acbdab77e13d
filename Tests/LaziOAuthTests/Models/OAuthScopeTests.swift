// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LaziOAuth
import TestTags
import Testing

@Suite struct OAuthScopeTests {
    @Test(.tags(.scopeHierarchy)) func `The scopes of the app are eleven, with the texts of the document`() {
        let texts = OAuthScope.allCases.map { "\($0.rawValue) - \($0.description)" }
        expectEqual(
            texts,
            [
                "widgets:read - View widget configurations", "widgets:write - Create/modify widgets",
                "widgets:delete - Delete widgets", "widgets:admin - Full widget admin access",
                "projects:read - View projects", "projects:write - Create/modify projects",
                "projects:delete - Delete projects", "projects:admin - Full project admin access",
                "files:read - Access uploaded files", "files:write - Upload files", "files:delete - Delete files",
            ])
    }

    @Test(.tags(.scopeHierarchy)) func `The scopes of the app have their own name and one of three categories`() {
        expectEqual(Set(OAuthScope.allCases.map(\.displayName)).count, 11)
        expectEqual(OAuthScope.widgetsRead.displayName, "Read Widgets")
        expectEqual(OAuthScope.filesDelete.displayName, "Delete Files")
        expectEqual(OAuthScope.projectsAdmin.displayName, "Administer Projects")
        let categories = Dictionary(grouping: OAuthScope.allCases, by: \.category).mapValues(\.count)
        expectEqual(categories, ["Widgets": 4, "Projects": 4, "Files": 3])
        #expect(OAuthScope.allCases.allSatisfy { $0.rawValue.hasPrefix($0.category.lowercased()) })
    }

    @Test(
        .tags(.scopeHierarchy),
        arguments: [
            ("widgets:read widgets:write", [.widgetsRead, .widgetsWrite]),
            ("  files:read   files:read ", [.filesRead]), ("", []), ("organizations:read Widgets:Read", []),
            ("projects:read,projects:write", []), ("openid files:write", [.filesWrite]),
        ] as [(String, [OAuthScope])])
    func `The scopes of the app are read from a list with any separators`(text: String, scopes: [OAuthScope]) {
        expectEqual(OAuthScope.known(in: text), scopes)
    }

    @Test(.tags(.scopeHierarchy)) func `The scopes of the app come back from their own texts`() {
        for scope in OAuthScope.allCases { expectEqual(OAuthScope(rawValue: scope.id), scope) }
        expectNil(OAuthScope(rawValue: "files:admin"))
    }
}

@Suite struct GrantedScopeTests {
    @Test(
        .tags(.scopeHierarchy),
        arguments: [
            ("widgets:admin", ["widgets:delete", "widgets:write", "widgets:read", "widgets:admin"]),
            ("widgets:delete", ["widgets:delete", "widgets:write", "widgets:read"]),
            ("widgets:write", ["widgets:write", "widgets:read"]), ("widgets:read", ["widgets:read"]),
        ])
    func `A granted scope contains the lower ones: admin ⊃ delete ⊃ write ⊃ read`(granted: String, allowed: [String]) {
        let scopes: GrantedScopes = [granted]
        for scope in OAuthScope.allCases {
            let isAllowed = allowed.contains(scope.rawValue)
            expectEqual(scopes.contains(scope), isAllowed)
            expectEqual(scopes.contains(scope.rawValue), isAllowed)
            expectEqual(scopes.containsExactly(scope.rawValue), scope.rawValue == granted)
        }
    }

    @Test(.tags(.scopeHierarchy)) func `Granted scopes can be queried for several at once`() {
        let scopes: GrantedScopes = ["projects:write", "custom"]
        #expect(["projects:read", "projects:write"].allSatisfy { scopes.contains($0) })
        #expect(!["projects:read", "files:read"].allSatisfy { scopes.contains($0) })
        #expect(scopes.contains("custom"))
        #expect(!scopes.contains("cust"))
        #expect(!scopes.contains(""))
        #expect(!scopes.contains("projects:write custom"))
    }

    @Test func `Granted scopes are a list of texts in the server's order`() {
        let scopes: GrantedScopes = ["b:read", "a:read", "b:read"]
        expectEqual(Array(scopes), ["b:read", "a:read"])
        expectEqual(scopes.count, 2)
        expectEqual(scopes, ["a:read", "b:read"])
        #expect(([] as GrantedScopes).isEmpty)
    }
}
