// SPDX-License-Identifier: Apache-2.0

import Expectations
import Testing

@testable import LatchGenerator

@Suite struct SwiftNamesTests {
    @Test(arguments: [
        ("user_id", "userId"), ("avatar_url", "avatarUrl"), ("requires_2fa", "requires2fa"), ("id", "id"),
        ("HTTPServer", "httpServer"), ("avatarURL", "avatarUrl"), ("URLs", "urLs"), ("ID", "id"),
        ("oauth2_client_id", "oauth2ClientId"), ("ipV6Address", "ipV6Address"), ("__foo__bar__", "fooBar"),
        ("field1", "field1"), ("a_b_c", "aBC"), ("XMLHttpRequest", "xmlHttpRequest"),
        ("SCREAMING_CASE", "screamingCase"),
        ("list_OAuthClients", "listOAuthClients"),
    ])
    func `Names in Swift have the words that heck finds`(name: String, camel: String) {
        expectEqual(SwiftNames.lowerCamel(name), camel)
    }

    @Test(arguments: [("user_id", "UserId"), ("requires_2fa", "Requires2fa"), ("OAuth", "OAuth")])
    func `Names in Swift begin with a capital letter if they name types`(name: String, pascal: String) {
        expectEqual(SwiftNames.pascal(name), pascal)
    }

    @Test(arguments: [
        ("default", "`default`"), ("in", "`in`"), ("class", "`class`"), ("self", "self_"), ("init", "init_"),
        ("description", "description_"), ("storage", "storage_"), ("hash_value", "hashValue_"), ("json", "json"),
        ("_2fa", "_2fa"), ("_", "empty_"), ("unknown_fields", "unknownFields_"), ("type", "type"),
    ])
    func `Names of fields in Swift avoid those of Swift and of messages`(name: String, property: String) {
        expectEqual(SwiftNames.property(name), property)
    }

    @Test(arguments: [
        ("User", "User"), ("oAuthURL", "OAuthURL"), ("foo_bar", "FooBar"), ("Type", "Type_"), ("Protocol", "Protocol_"),
        ("Task", "Task"), ("Swift", "Swift_"), ("user", "User"),
    ])
    func `Names of types in Swift keep their acronyms`(name: String, type: String) {
        expectEqual(SwiftNames.type(name), type)
    }

    @Test(arguments: [
        ("USER_ROLE_SUPER_ADMIN", "UserRole", "superAdmin"), ("ADMIN", "UserRole", "admin"),
        ("COLORLESS", "Color", "colorless"), ("LEVEL_2", "Level", "level2"), ("Level", "Level", "level"),
        ("HTTP_CODE_OK", "HTTPCode", "ok"), ("ROLE_DEFAULT", "Role", "`default`"), ("ROLE_INIT", "Role", "init_"),
        ("E_UNRECOGNIZED", "E", "unrecognized_"), ("ROLE_", "Role", "role"),
    ])
    func `Names of an enum's values in Swift lose the enum's name`(value: String, name: String, spelling: String) {
        expectEqual(SwiftNames.enumCase(value, of: name), spelling)
    }

    @Test func `Names of a oneof's cases in Swift avoid those of Optional`() {
        expectEqual(SwiftNames.oneofCase("some"), "some_")
        expectEqual(SwiftNames.oneofCase("e_mail"), "eMail")
    }

    @Test func `Names of methods in Swift begin with a small letter`() {
        expectEqual(SwiftNames.method("RequestPasswordReset"), "requestPasswordReset")
        expectEqual(SwiftNames.method("Import"), "`import`")
        expectEqual(SwiftNames.bare(SwiftNames.method("Import")), "import")
    }

    @Test func `Names in Swift and texts become literals`() {
        expectEqual(SwiftNames.literal("a\"b\\c\n\u{1}\\(d)é"), #""a\"b\\c\n\u{1}\\(d)é""#)
    }
}
